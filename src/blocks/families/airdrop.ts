/**
 * Airdrops ([HIP-904](https://hips.hedera.com/hip/hip-904)): those of its credits wait for their receivers that the
 * transaction did not transfer.
 */
import { toHex } from '../../ledger/bytes.ts';
import { AccountID, type NftTransfer, type TokenTransferList } from '../../protobuf/generated/services/basic_types.ts';
import { PendingAirdropRecord } from '../../protobuf/generated/services/transaction_record.ts';
import type { Family, RecordParts } from '../record-parts.ts';
import { accountNumOf, airdropName } from '../state-index.ts';
import type { TransactionView } from '../transaction-view.ts';

export const tokenAirdrop: Family = (view, parts) => {
  const body = view.data('tokenAirdrop')?.tokenAirdrop;
  if (!view.isSuccessful || body === undefined) return;
  // Looked at from the last to the first, as everything that is walked back.
  for (const list of body.tokenTransfers.toReversed()) {
    const transferred = transferredOf(view, list);
    for (const nft of list.nftTransfers.toReversed()) addNft(view, list, nft, transferred, parts);
    for (const credit of list.transfers.toReversed()) {
      if (credit.amount > 0n) addUnits(view, list, credit, transferred, parts);
    }
  }
  parts.airdrops.reverse();
};

interface Transferred {
  readonly receivers: ReadonlySet<bigint>;
  readonly serials: ReadonlySet<bigint>;
}

const transferredOf = (view: TransactionView, { token }: TokenTransferList): Transferred => {
  const lists = view.tokenTransfers.filter((list) => list.token?.tokenNum === token?.tokenNum);
  const credits = lists.flatMap(({ transfers }) => transfers.filter(({ amount }) => amount > 0n));
  return {
    receivers: new Set(credits.map(({ accountID }) => accountNumOf(accountID) ?? -1n)),
    serials: new Set(lists.flatMap(({ nftTransfers }) => nftTransfers.map(({ serialNumber }) => serialNumber))),
  };
};

/** Bodies may name accounts by alias, which those that exist by now have in the state changes. */
const numbered = (view: TransactionView, id: AccountID | undefined): AccountID | undefined => {
  const account = id?.account;
  if (id === undefined || account === undefined) return undefined;
  if (account.$case === 'accountNum') return id;
  const accountNum = view.inState((state) => state.accountsByAlias.get(toHex(account.alias)));
  if (accountNum === undefined) return undefined;
  return AccountID.fromPartial({
    shardNum: id.shardNum,
    realmNum: id.realmNum,
    account: { $case: 'accountNum', accountNum },
  });
};

const addUnits = (
  view: TransactionView,
  { token, transfers }: TokenTransferList,
  { accountID, amount }: TokenTransferList['transfers'][number],
  { receivers }: Transferred,
  parts: RecordParts,
): void => {
  const receiverId = numbered(view, accountID);
  const senderId = numbered(view, transfers.find((debit) => debit.amount < 0n)?.accountID);
  const receiver = accountNumOf(receiverId);
  const sender = accountNumOf(senderId);
  if (receiver !== undefined && receivers.has(receiver)) return;
  if (token === undefined || receiver === undefined || sender === undefined) {
    parts.lacks('pending airdrops', `sender or receiver of ${amount} units are not known by number`);
    return;
  }
  const name = airdropName(sender, receiver, token.tokenNum, 0n);
  parts.airdrops.push(
    PendingAirdropRecord.fromPartial({
      pendingAirdropId: {
        senderId: senderId as AccountID,
        receiverId: receiverId as AccountID,
        tokenReference: { $case: 'fungibleTokenType', fungibleTokenType: token },
      },
      pendingAirdropValue: { amount: pendingAmount(view, name, amount) },
    }),
  );
};

/** What waits after the transaction: airdrops of the same units from the same sender add up. */
const pendingAmount = (view: TransactionView, name: string, amount: bigint): bigint => {
  const { airdrops } = view.execution;
  const pending =
    view.inOwnState((state) => state.airdrops.get(name)) ??
    (airdrops.has(name) ? airdrops.get(name) : view.inState((state) => state.airdrops.get(name))) ??
    undefined;
  airdrops.set(name, pending !== undefined && pending > amount ? pending - amount : null);
  return pending ?? amount;
};

const addNft = (
  view: TransactionView,
  { token }: TokenTransferList,
  { receiverAccountID, senderAccountID, serialNumber }: NftTransfer,
  { serials }: Transferred,
  parts: RecordParts,
): void => {
  if (serials.has(serialNumber)) return;
  const receiverId = numbered(view, receiverAccountID);
  const senderId = numbered(view, senderAccountID);
  if (token === undefined || receiverId === undefined || senderId === undefined) {
    parts.lacks('pending airdrops', `sender or receiver of NFT ${serialNumber} are not known by number`);
    return;
  }
  parts.airdrops.push(
    PendingAirdropRecord.fromPartial({
      pendingAirdropId: {
        senderId,
        receiverId,
        tokenReference: { $case: 'nonFungibleToken', nonFungibleToken: { tokenID: token, serialNumber } },
      },
    }),
  );
};
