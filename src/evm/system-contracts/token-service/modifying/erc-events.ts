/** Events of transfers and approvals of tokens, as ERC-20 and ERC-721 define them. */
import type { EntityId } from '../../../../ledger/entity-id.ts';
import { keccak256 } from '../../../../ledger/hash.ts';
import type { Adjustment, TokenTransfers } from '../../../hapi/transfers/transfers.ts';
import type { AddressHex } from '../../../state/records.ts';
import { addressOf, longZeroHex, type World } from '../../../state/world.ts';
import { addressWord, boolWord, EMPTY_OUTPUT, integerWord } from '../../abi/encode.ts';
import type { EmittedLog } from '../../system-contract.ts';

const topicOf = (signature: string): Uint8Array => keccak256(new TextEncoder().encode(signature));

const TRANSFER = topicOf('Transfer(address,address,uint256)');
const APPROVAL = topicOf('Approval(address,address,uint256)');
const APPROVAL_FOR_ALL = topicOf('ApprovalForAll(address,address,bool)');

/** The address by which contracts know an account; the zero address for one that isn't there. */
export const knownAddress = async (world: World, accountId: EntityId): Promise<AddressHex> => {
  const entity = await world.entity(accountId);
  return entity === undefined ? longZeroHex(0n) : addressOf(entity);
};

const byAmountThenId = (a: Adjustment, b: Adjustment): number => {
  if (a.amount !== b.amount) return a.amount > b.amount ? -1 : 1;
  return a.party < b.party ? -1 : 1;
};

interface Pair {
  readonly from: EntityId;
  readonly to: EntityId;
  readonly amount: bigint;
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Who gave to whom: the largest givers and receivers matched first, so that there are few pairs. */
const pairsOf = (adjustments: readonly Adjustment[]): Pair[] => {
  const givers = adjustments.filter(({ amount }) => amount < 0n).map((each) => ({ ...each, amount: -each.amount }));
  const receivers = adjustments.filter(({ amount }) => amount > 0n).map((each) => ({ ...each }));
  givers.sort(byAmountThenId);
  receivers.sort(byAmountThenId);
  const pairs: Pair[] = [];
  let [giver, receiver] = [givers.shift(), receivers.shift()];
  while (giver !== undefined && receiver !== undefined) {
    const amount = smaller(giver.amount, receiver.amount);
    pairs.push({ from: giver.party, to: receiver.party, amount });
    giver.amount -= amount;
    receiver.amount -= amount;
    if (giver.amount === 0n) giver = givers.shift();
    if (receiver.amount === 0n) receiver = receivers.shift();
  }
  return pairs;
};

/** One event per serial and per pair of giver and receiver of units. */
export const transferEvents = async (
  world: World,
  transfers: readonly TokenTransfers[],
): Promise<readonly EmittedLog[]> => {
  const logs: EmittedLog[] = [];
  for (const { tokenId, adjustments, serials } of transfers) {
    const address = longZeroHex(tokenId);
    const topics = async (from: EntityId, to: EntityId): Promise<Uint8Array[]> => [
      TRANSFER,
      addressWord(await knownAddress(world, from)),
      addressWord(await knownAddress(world, to)),
    ];
    for (const { from, to, amount } of pairsOf(adjustments)) {
      logs.push({ address, topics: await topics(from, to), data: integerWord(amount) });
    }
    for (const { sender, receiver, serialNumber } of serials) {
      logs.push({
        address,
        topics: [...(await topics(sender, receiver)), integerWord(serialNumber)],
        data: EMPTY_OUTPUT,
      });
    }
  }
  return logs;
};

interface Approved {
  readonly tokenId: EntityId;
  readonly owner: AddressHex;
  readonly spender: AddressHex;
}

export const unitsApprovalEvent = ({ tokenId, owner, spender }: Approved, amount: bigint): EmittedLog => ({
  address: longZeroHex(tokenId),
  topics: [APPROVAL, addressWord(owner), addressWord(spender)],
  data: integerWord(amount),
});

export const serialApprovalEvent = ({ tokenId, owner, spender }: Approved, serialNumber: bigint): EmittedLog => ({
  address: longZeroHex(tokenId),
  topics: [APPROVAL, addressWord(owner), addressWord(spender), integerWord(serialNumber)],
  data: EMPTY_OUTPUT,
});

export const approvalForAllEvent = ({ tokenId, owner, spender }: Approved, approved: boolean): EmittedLog => ({
  address: longZeroHex(tokenId),
  topics: [APPROVAL_FOR_ALL, addressWord(owner), addressWord(spender)],
  data: boolWord(approved),
});
