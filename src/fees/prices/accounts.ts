/** Accounts and allowances. */
import { HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import { keyCount } from '../key-count.ts';
import { extra, extraIfAny, type Price, price } from './price.ts';

export const accountPrices: readonly Price[] = [
  price('cryptoCreateAccount', HederaFunctionality.CryptoCreate, ({ key, hookCreationDetails }) => [
    ...(key === undefined ? [] : [extra('KEYS', keyCount(key))]),
    ...extraIfAny('HOOK_UPDATES', hookCreationDetails.length),
  ]),
  price('cryptoUpdateAccount', HederaFunctionality.CryptoUpdate, ({ key, hookCreationDetails, hookIdsToDelete }) => [
    ...(key === undefined ? [] : [extra('KEYS', keyCount(key))]),
    ...extraIfAny('HOOK_UPDATES', hookCreationDetails.length + hookIdsToDelete.length),
  ]),
  price('cryptoDelete', HederaFunctionality.CryptoDelete),
  price(
    'cryptoApproveAllowance',
    HederaFunctionality.CryptoApproveAllowance,
    ({ cryptoAllowances, tokenAllowances, nftAllowances }) => [
      extra('ALLOWANCES', cryptoAllowances.length + tokenAllowances.length + nftAllowances.length),
    ],
  ),
  price('cryptoDeleteAllowance', HederaFunctionality.CryptoDeleteAllowance, ({ nftAllowances }) => [
    extra('ALLOWANCES', nftAllowances.length),
  ]),
];
