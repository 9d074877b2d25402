import type { RecordParts } from '../../records/draft.ts';
import { accountId, tokenId } from '../../records/proto-ids.ts';
import type { Account, Token } from '../../state/ledger-entities.ts';

/** Metadata that a serial number is minted with. */
export const mintedMetadata = (token: Token, serial: bigint): string => `ipfs://simulated/${token.num}/${serial}`;

export interface TokenChange {
  readonly account: Account;
  readonly amount: bigint;
}

type TokenTransferList = NonNullable<RecordParts['tokenTransferLists']>[number];

/** A token transfer list of a body, in the order given. */
export const bodyTransfers = (
  token: Token,
  changes: readonly TokenChange[],
  approvedSender?: Account,
): TokenTransferList => ({
  token: tokenId(token.num),
  transfers: changes.map(({ account, amount }) => ({
    accountID: accountId(account.num),
    amount,
    isApproval: account === approvedSender,
  })),
});

/** A token transfer list of a record, ordered by account. */
export const recordTransfers = (token: Token, changes: readonly TokenChange[]): TokenTransferList =>
  bodyTransfers(
    token,
    changes.toSorted((a, b) => (a.account.num < b.account.num ? -1 : 1)),
  );

export interface NftChange {
  /** Undefined when the NFT is minted. */
  readonly from: Account | undefined;
  /** Undefined when the NFT is burned or wiped. */
  readonly to: Account | undefined;
  readonly serial: bigint;
}

/** A list of NFT transfers; minting and burning show 0.0.0 on the other side. */
export const nftTransfers = (token: Token, changes: readonly NftChange[]): TokenTransferList => ({
  token: tokenId(token.num),
  nftTransfers: changes.map(({ from, to, serial }) => ({
    senderAccountID: accountId(from?.num ?? 0n),
    receiverAccountID: accountId(to?.num ?? 0n),
    serialNumber: serial,
  })),
});

/** The record's list of associations that a transaction made on its way. */
export const automaticAssociations = (token: Token, accounts: readonly Account[]) =>
  accounts.map((account) => ({ tokenId: tokenId(token.num), accountId: accountId(account.num) }));
