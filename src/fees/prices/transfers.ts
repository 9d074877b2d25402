/** Transfers of hbars and tokens, and airdrops, which cost what a transfer of the same tokens does. */
import {
  type AccountAmount,
  type AccountID,
  HederaFunctionality,
  type HookCall,
  type NftTransfer,
  type TokenTransferList,
} from '../../protobuf/generated/services/basic_types.ts';
import { accountKey } from '../account-key.ts';
import type { LedgerState } from '../ledger-state.ts';
import { unknownTransactionType } from '../problems.ts';
import { type CountedExtra, effect, extra, type Price, price } from './price.ts';

/** Most gas that one execution of a hook is given. */
const mostHookGas = 15_000_000n;

const keyOf = (id: AccountID | undefined): string => {
  if (id === undefined) throw unknownTransactionType();
  return accountKey(id);
};

const accountsOf = (amounts: readonly AccountAmount[], nfts: readonly NftTransfer[]): bigint => {
  const accounts = new Set(amounts.map(({ accountID }) => keyOf(accountID)));
  for (const { senderAccountID, receiverAccountID } of nfts) {
    accounts.add(keyOf(senderAccountID));
    accounts.add(keyOf(receiverAccountID));
  }
  return BigInt(accounts.size);
};

interface HookRun {
  readonly call: HookCall;
  /** A hook may be asked before the transfer, or before and after it. */
  readonly executions: bigint;
}

const amountHooks = ({ hookCall }: AccountAmount): HookRun[] => {
  switch (hookCall?.$case) {
    case 'preTxAllowanceHook':
      return [{ call: hookCall.preTxAllowanceHook, executions: 1n }];
    case 'prePostTxAllowanceHook':
      return [{ call: hookCall.prePostTxAllowanceHook, executions: 2n }];
    default:
      return [];
  }
};

const senderHooks = ({ senderAllowanceHookCall: hook }: NftTransfer): HookRun[] => {
  switch (hook?.$case) {
    case 'preTxSenderAllowanceHook':
      return [{ call: hook.preTxSenderAllowanceHook, executions: 1n }];
    case 'prePostTxSenderAllowanceHook':
      return [{ call: hook.prePostTxSenderAllowanceHook, executions: 2n }];
    default:
      return [];
  }
};

const receiverHooks = ({ receiverAllowanceHookCall: hook }: NftTransfer): HookRun[] => {
  switch (hook?.$case) {
    case 'preTxReceiverAllowanceHook':
      return [{ call: hook.preTxReceiverAllowanceHook, executions: 1n }];
    case 'prePostTxReceiverAllowanceHook':
      return [{ call: hook.prePostTxReceiverAllowanceHook, executions: 2n }];
    default:
      return [];
  }
};

/** The network reads the limit as a signed number; a negative one is no gas. */
const gasOf = ({ callSpec }: HookCall): bigint => {
  const limit = BigInt.asIntN(64, callSpec?.evmHookCall.gasLimit ?? 0n);
  if (limit < 0n) return 0n;
  return limit > mostHookGas ? mostHookGas : limit;
};

const hookExtras = (amounts: readonly AccountAmount[], nfts: readonly NftTransfer[]): CountedExtra[] => {
  const runs = [
    ...amounts.flatMap(amountHooks),
    ...nfts.flatMap((nft) => [...senderHooks(nft), ...receiverHooks(nft)]),
  ];
  if (runs.length === 0) return [];
  return [
    extra(
      'HOOK_EXECUTION',
      runs.reduce((count, { executions }) => count + executions, 0n),
    ),
    extra(
      'GAS',
      runs.reduce((gas, { call, executions }) => gas + gasOf(call) * executions, 0n),
    ),
  ];
};

/** Without knowing the tokens, each list stands for itself, and all its entries count. */
const intrinsicTokenExtras = (lists: readonly TokenTransferList[]): CountedExtra[] =>
  lists.map(({ transfers, nftTransfers }) => extra('TOKEN_TYPES', transfers.length + nftTransfers.length));

/** What a list counts: a fungible token once, NFTs by their serial numbers. */
const tokenTypesIn = (list: TokenTransferList, nonFungible: boolean): number => {
  if (nonFungible) return list.nftTransfers.length;
  return list.transfers.length > 0 ? 1 : 0;
};

const tokenExtras = (lists: readonly TokenTransferList[], state: LedgerState): CountedExtra[] => {
  let types = 0;
  let customFees = false;
  for (const list of lists) {
    if (list.token === undefined) throw unknownTransactionType();
    const { tokenNum } = list.token;
    const count = tokenTypesIn(list, state.isNonFungible(tokenNum));
    types += count;
    customFees ||= count > 0 && state.hasCustomFees(tokenNum);
  }
  if (types === 0) return [];
  return [
    extra(customFees ? 'TOKEN_TRANSFER_BASE_CUSTOM_FEES' : 'TOKEN_TRANSFER_BASE', 1),
    extra('TOKEN_TYPES', types),
  ];
};

/** What the network does in the course of a transfer costs what it would cost as a transaction of its own. */
const effectExtras = ({ effects: { keyedAccounts, hollowAccounts, associations } }: LedgerState): CountedExtra[] => [
  ...effect('CREATED_ACCOUNTS', keyedAccounts + hollowAccounts, HederaFunctionality.CryptoCreate),
  ...effect('COMPLETED_ACCOUNTS', hollowAccounts, HederaFunctionality.CryptoUpdate),
  ...effect('CREATED_AUTO_ASSOCIATIONS', associations, HederaFunctionality.TokenAssociateToAccount),
];

const transferExtras = (
  hbars: readonly AccountAmount[],
  tokens: readonly TokenTransferList[],
  state: LedgerState | undefined,
): CountedExtra[] => {
  const amounts = [...hbars, ...tokens.flatMap(({ transfers }) => transfers)];
  const nfts = tokens.flatMap(({ nftTransfers }) => nftTransfers);
  return [
    extra('ACCOUNTS', accountsOf(amounts, nfts)),
    ...hookExtras(amounts, nfts),
    ...(state === undefined ? intrinsicTokenExtras(tokens) : [...tokenExtras(tokens, state), ...effectExtras(state)]),
  ];
};

export const transferPrices: readonly Price[] = [
  price('cryptoTransfer', HederaFunctionality.CryptoTransfer, ({ transfers, tokenTransfers }, { state }) =>
    transferExtras(transfers?.accountAmounts ?? [], tokenTransfers, state),
  ),
  price(
    'tokenAirdrop',
    HederaFunctionality.TokenAirdrop,
    ({ tokenTransfers }, { state }) => transferExtras([], tokenTransfers, state),
    HederaFunctionality.CryptoTransfer,
  ),
];
