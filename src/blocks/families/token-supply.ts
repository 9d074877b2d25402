/** Minting, burning and wiping: how many units there were after it. State changes only tell how many there are in the end. */
import type { TokenID } from '../../protobuf/generated/services/basic_types.ts';
import type { Family, RecordParts } from '../record-parts.ts';
import type { TransactionView } from '../transaction-view.ts';

/** `change` is what the transaction added to the supply. */
const addSupply = (view: TransactionView, token: TokenID | undefined, change: bigint, parts: RecordParts): void => {
  if (token === undefined) return;
  const { tokenNum } = token;
  const { supplies } = view.execution;
  const supply =
    view.inOwnState((state) => state.supplies.get(tokenNum)) ??
    supplies.get(tokenNum) ??
    view.inState((state) => state.supplies.get(tokenNum));
  if (supply === undefined) {
    parts.lacks('token supply', `no state change tells the supply of token ${tokenNum}`);
    return;
  }
  parts.receipt.newTotalSupply = supply;
  supplies.set(tokenNum, BigInt.asUintN(64, supply - change));
};

const amountOf = (amount: bigint, nfts: readonly unknown[]): bigint => amount + BigInt(nfts.length);

/** Serial numbers of new NFTs come out of nowhere. */
const mintedSerials = (view: TransactionView, token: TokenID | undefined): bigint[] =>
  view.tokenTransfers
    .filter((list) => token !== undefined && list.token?.tokenNum === token.tokenNum)
    .flatMap(({ nftTransfers }) => nftTransfers.map(({ serialNumber }) => serialNumber))
    .sort((a, b) => (a < b ? -1 : 1));

export const tokenMint: Family = (view, parts) => {
  const body = view.data('tokenMint')?.tokenMint;
  if (!view.isSuccessful || body === undefined) return;
  const { token, amount, metadata } = body;
  addSupply(view, token, amountOf(amount, metadata), parts);
  if (metadata.length > 0) parts.receipt.serialNumbers = mintedSerials(view, token);
};

export const tokenBurn: Family = (view, parts) => {
  const body = view.data('tokenBurn')?.tokenBurn;
  if (!view.isSuccessful || body === undefined) return;
  addSupply(view, body.token, -amountOf(body.amount, body.serialNumbers), parts);
};

export const tokenWipe: Family = (view, parts) => {
  const body = view.data('tokenWipe')?.tokenWipe;
  if (!view.isSuccessful || body === undefined) return;
  addSupply(view, body.token, -amountOf(body.amount, body.serialNumbers), parts);
};
