/**
 * Accounts: their numbers, EVM addresses, and nonces where an account delegates its code
 * ([EIP-7702](https://eips.ethereum.org/EIPS/eip-7702)).
 */
import { toHex } from '../../ledger/bytes.ts';
import { EVM_ADDRESS_LENGTH } from '../../ledger/evm-address.ts';
import { evmAddressOfAlias } from '../../ledger/key.ts';
import type { AccountID } from '../../protobuf/generated/services/basic_types.ts';
import type { Family } from '../record-parts.ts';
import { accountNumOf } from '../state-index.ts';
import type { TransactionView } from '../transaction-view.ts';

export const accountCreate: Family = (view, parts) => {
  const body = view.data('cryptoCreateAccount')?.cryptoCreateAccount;
  if (!view.isSuccessful || body === undefined) return;
  const { alias } = body;
  if (alias.length > 0 && alias.length !== EVM_ADDRESS_LENGTH) parts.evmAddress = evmAddressOfAlias(alias);
  const id = view.output('accountCreate')?.accountCreate.createdAccountId ?? accountOfAlias(view, alias);
  if (id === undefined) {
    parts.lacks('account id', 'the transaction has no output');
    return;
  }
  parts.receipt.accountID = id;
  if (body.delegationAddress.length > 0) parts.ethereumNonce = nonceOf(view, accountNumOf(id));
};

export const accountUpdate: Family = (view, parts) => {
  const body = view.data('cryptoUpdateAccount')?.cryptoUpdateAccount;
  if (!view.isSuccessful || body === undefined || body.delegationAddress.length === 0) return;
  const account = body.accountIDToUpdate?.account;
  const alias = account?.$case === 'alias' ? account.alias : undefined;
  const number = accountNumOf(body.accountIDToUpdate) ?? (alias && accountNumOf(accountOfAlias(view, alias)));
  parts.ethereumNonce = nonceOf(view, number);
};

const accountOfAlias = (view: TransactionView, alias: Uint8Array): AccountID | undefined => {
  if (alias.length === 0) return undefined;
  return view.inState((state) => {
    const number = state.accountsByAlias.get(toHex(alias));
    return number === undefined ? undefined : state.accounts.get(number)?.accountId;
  });
};

const nonceOf = (view: TransactionView, number: bigint | undefined): bigint | undefined =>
  number === undefined ? undefined : view.inState((state) => state.accounts.get(number)?.ethereumNonce);
