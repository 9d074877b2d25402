/** State of tokens, NFTs, holdings and pending airdrops. */
import { isSuccessful } from '../../ledger/response-code.ts';
import { StateIdentifier } from '../../protobuf/generated/block/stream/output/state_changes.ts';
import type {
  AccountID,
  PendingAirdropId,
  TokenID,
  TokenTransferList,
} from '../../protobuf/generated/services/basic_types.ts';
import type { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { TransactionRecord } from '../../protobuf/generated/services/transaction_record.ts';
import { accountId, timestampOf, tokenId } from '../records/proto-ids.ts';
import type { RecordedItem } from '../records/recorded-item.ts';
import type { Token } from '../state/ledger-entities.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import type { FamilyChanges } from './state-change.ts';

const numOf = (id: AccountID | undefined): bigint => (id?.account?.$case === 'accountNum' ? id.account.accountNum : 0n);

const tokenOf = ({ fungible, nfts, deletedTokens }: LedgerState, num: bigint): Token | undefined => {
  for (const tokens of [fungible, nfts, deletedTokens]) {
    const found = tokens.find((token) => token.num === num);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** What a body says of a token beside its number; the ledger's own copy is changed after the record. */
const tokenOverlay = (
  data: TransactionBody['data'],
):
  | {
      readonly token: TokenID | undefined;
      readonly name?: string;
      readonly memo?: string;
      readonly paused?: boolean;
      readonly deleted?: boolean;
    }
  | undefined => {
  switch (data?.$case) {
    case 'tokenUpdate': {
      const { token, name, memo } = data.tokenUpdate;
      return { token, ...(name !== '' && { name }), ...(memo !== undefined && { memo }) };
    }
    case 'tokenPause':
      return { token: data.tokenPause.token, paused: true };
    case 'tokenUnpause':
      return { token: data.tokenUnpause.token, paused: false };
    case 'tokenDeletion':
      return { token: data.tokenDeletion.token, deleted: true };
    case 'tokenMint':
      return { token: data.tokenMint.token };
    case 'tokenBurn':
      return { token: data.tokenBurn.token };
    case 'tokenWipe':
      return { token: data.tokenWipe.token };
    case 'tokenFeeScheduleUpdate':
      return { token: data.tokenFeeScheduleUpdate.tokenId };
    default:
      return undefined;
  }
};

/** A token that is new is in no list of the ledger yet. */
const putNewToken = ({ draft }: RecordedItem, body: TransactionBody['data'], changes: FamilyChanges): void => {
  const num = draft.receipt?.tokenID?.tokenNum;
  if (body?.$case !== 'tokenCreation' || num === undefined) return;
  const { name, symbol, decimals, initialSupply, treasury, tokenType, memo, metadata, adminKey } = body.tokenCreation;
  changes.put(
    `t${num}`,
    StateIdentifier.STATE_ID_TOKENS,
    { $case: 'tokenIdKey', tokenIdKey: tokenId(BigInt(num)) },
    {
      $case: 'tokenValue',
      tokenValue: {
        tokenId: tokenId(BigInt(num)),
        name,
        symbol,
        decimals,
        totalSupply: initialSupply,
        treasuryAccountId: treasury,
        tokenType,
        memo,
        metadata,
        adminKey,
      },
    },
  );
};

const putChangedToken = (item: RecordedItem, body: TransactionBody['data'], changes: FamilyChanges): void => {
  const overlay = tokenOverlay(body);
  const num = overlay?.token?.tokenNum;
  const token = num === undefined ? undefined : tokenOf(item.state, num);
  if (overlay === undefined || token === undefined) return;
  changes.put(
    `t${token.num}`,
    StateIdentifier.STATE_ID_TOKENS,
    { $case: 'tokenIdKey', tokenIdKey: tokenId(token.num) },
    {
      $case: 'tokenValue',
      tokenValue: {
        tokenId: tokenId(token.num),
        name: overlay.name ?? token.name,
        memo: overlay.memo ?? token.memo,
        decimals: token.decimals,
        totalSupply: item.draft.receipt?.newTotalSupply ?? token.supply,
        treasuryAccountId: accountId(token.treasury.num),
        lastUsedSerialNumber: token.nextSerial - 1n,
        tokenType: token.nft ? 1 : 0,
        paused: overlay.paused ?? token.paused,
        deleted: overlay.deleted ?? token.deleted,
      },
    },
  );
};

const putHolding = (
  changes: FamilyChanges,
  { state }: RecordedItem,
  account: bigint,
  token: bigint,
  automatic: boolean,
): void => {
  const holding = state.accounts.get(account)?.holdings.get(token);
  if (holding === undefined) return;
  const ids = { tokenId: tokenId(token), accountId: accountId(account) };
  changes.put(
    `r${account}/${token}`,
    StateIdentifier.STATE_ID_TOKEN_RELS,
    { $case: 'tokenRelationshipKey', tokenRelationshipKey: ids },
    {
      $case: 'tokenRelationValue',
      tokenRelationValue: {
        ...ids,
        balance: holding.balance,
        frozen: holding.frozen,
        kycGranted: holding.kyc,
        automaticAssociation: automatic,
      },
    },
  );
};

const putTransfers = (
  item: RecordedItem,
  lists: readonly TokenTransferList[],
  body: TransactionBody['data'],
  changes: FamilyChanges,
): void => {
  for (const { token, transfers, nftTransfers } of lists) {
    const num = token?.tokenNum ?? 0n;
    for (const { accountID } of transfers) putHolding(changes, item, numOf(accountID), num, false);
    const minted = body?.$case === 'tokenMint' ? body.tokenMint.metadata : undefined;
    for (const [index, { senderAccountID, receiverAccountID, serialNumber }] of nftTransfers.entries()) {
      const [sender, receiver] = [numOf(senderAccountID), numOf(receiverAccountID)];
      for (const account of [sender, receiver]) putHolding(changes, item, account, num, false);
      const nftId = { tokenId: tokenId(num), serialNumber };
      const name = `n${num}/${serialNumber}`;
      const key = { $case: 'nftIdKey' as const, nftIdKey: nftId };
      if (receiver === 0n) changes.remove(name, StateIdentifier.STATE_ID_NFTS, key);
      else {
        const ofMint = sender === 0n && {
          mintTime: timestampOf(item.at),
          metadata: minted?.[index] ?? new Uint8Array(),
        };
        changes.put(name, StateIdentifier.STATE_ID_NFTS, key, {
          $case: 'nftValue',
          // An NFT that its treasury holds has no owner in the state.
          nftValue: { nftId, ...(isTreasury(item, num, receiver) ? {} : { ownerId: accountId(receiver) }), ...ofMint },
        });
      }
    }
  }
};

const isTreasury = ({ state }: RecordedItem, token: bigint, account: bigint): boolean =>
  tokenOf(state, token)?.treasury.num === account;

const airdropName = ({ senderId, receiverId, tokenReference }: PendingAirdropId): string => {
  const token =
    tokenReference?.$case === 'nonFungibleToken'
      ? `${tokenReference.nonFungibleToken.tokenID?.tokenNum}/${tokenReference.nonFungibleToken.serialNumber}`
      : tokenReference?.fungibleTokenType.tokenNum;
  return `p${numOf(senderId)}/${numOf(receiverId)}/${token}`;
};

/** Airdrops that wait now, and those that don't any longer. */
const putAirdrops = (
  record: TransactionRecord | undefined,
  body: TransactionBody['data'],
  changes: FamilyChanges,
): void => {
  const stateId = StateIdentifier.STATE_ID_PENDING_AIRDROPS;
  for (const { pendingAirdropId, pendingAirdropValue } of record?.newPendingAirdrops ?? []) {
    if (pendingAirdropId === undefined) continue;
    changes.put(
      airdropName(pendingAirdropId),
      stateId,
      { $case: 'pendingAirdropIdKey', pendingAirdropIdKey: pendingAirdropId },
      { $case: 'accountPendingAirdropValue', accountPendingAirdropValue: { pendingAirdropValue } },
    );
  }
  const ended =
    body?.$case === 'tokenClaimAirdrop'
      ? body.tokenClaimAirdrop.pendingAirdrops
      : body?.$case === 'tokenCancelAirdrop'
        ? body.tokenCancelAirdrop.pendingAirdrops
        : [];
  for (const id of ended) {
    changes.remove(airdropName(id), stateId, { $case: 'pendingAirdropIdKey', pendingAirdropIdKey: id });
  }
};

/** Puts what the transaction did to tokens. */
export const putTokens = (item: RecordedItem, changes: FamilyChanges, body: TransactionBody['data']): void => {
  if (!isSuccessful(item.status)) return;
  putNewToken(item, body, changes);
  putChangedToken(item, body, changes);
  const { tokenTransferLists = [], newPendingAirdrops = [], automaticTokenAssociations = [] } = item.draft.record ?? {};
  const record =
    tokenTransferLists.length + newPendingAirdrops.length + automaticTokenAssociations.length === 0
      ? undefined
      : TransactionRecord.fromPartial({ tokenTransferLists, newPendingAirdrops, automaticTokenAssociations });
  for (const { accountId: account, tokenId: token } of record?.automaticTokenAssociations ?? []) {
    putHolding(changes, item, numOf(account), token?.tokenNum ?? 0n, true);
  }
  putTransfers(item, record?.tokenTransferLists ?? [], body, changes);
  putAirdrops(record, body, changes);
};
