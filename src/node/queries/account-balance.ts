import { longZeroAddress } from '../../ledger/evm-address.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { tokenId } from '../../simulator/records/proto-ids.ts';
import type { Account } from '../../simulator/state/ledger-entities.ts';
import type { LedgerState } from '../../simulator/state/ledger-state.ts';
import { isContract } from '../transactions/account-directory.ts';
import { demand } from '../transactions/refusal.ts';
import { idOf, type QueryContext, queryKind } from './query-kind.ts';

const tokenBalances = ({ fungible, nfts }: LedgerState, { holdings }: Account) => {
  if (holdings.size === 0) return [];
  const decimals = new Map([...fungible, ...nfts].map((token) => [token.num, token.decimals]));
  return [...holdings].map(([num, { balance }]) => ({
    tokenId: tokenId(num),
    balance,
    decimals: decimals.get(num) ?? 0,
  }));
};

type ContractName =
  | { readonly $case: 'contractNum'; contractNum: bigint }
  | { readonly $case: 'evmAddress'; evmAddress: Uint8Array };

const findContract = (name: ContractName | undefined, { state, directory }: QueryContext): Account | undefined => {
  const address = name?.$case === 'evmAddress' ? name.evmAddress : longZeroAddress(name?.contractNum ?? 0n);
  const account = directory.withAlias(address);
  return account !== undefined && isContract(state, account.num) ? account : undefined;
};

/** What an account has, free of charge. */
export const accountBalance = queryKind({
  name: 'cryptogetAccountBalance',
  price: 0n,
  find: ({ balanceSource }, context) => {
    const isOfContract = balanceSource?.$case === 'contractID';
    const account = isOfContract
      ? findContract(balanceSource.contractID.contract, context)
      : context.directory.find(balanceSource?.accountID);
    demand(
      account !== undefined,
      isOfContract ? ResponseCodeEnum.INVALID_CONTRACT_ID : ResponseCodeEnum.INVALID_ACCOUNT_ID,
    );
    demand(!account.deleted, ResponseCodeEnum.ACCOUNT_DELETED);
    return {
      answer: {
        accountID: idOf(account),
        balance: account.balance,
        tokenBalances: tokenBalances(context.state, account),
      },
    };
  },
});
