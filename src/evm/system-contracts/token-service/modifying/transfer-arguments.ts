/** Transfers as functions of the token service are given them. */
import type { EntityId } from '../../../../ledger/entity-id.ts';
import type {
  Adjustment,
  Party,
  SerialTransfer,
  TokenTransfers,
  Transfers,
} from '../../../hapi/transfers/transfers.ts';
import type { AddressHex } from '../../../state/records.ts';
import type { World } from '../../../state/world.ts';
import { referenceOf } from '../../canonical-reference.ts';
import { tokenIdOf, ZERO_ADDRESS } from './addressed.ts';

/** Without an approval where a function knows none. */
export type AdjustmentTuple = readonly [party: AddressHex, amount: bigint, ...isApproval: boolean[]];
export type SerialTuple = readonly [
  sender: AddressHex,
  receiver: AddressHex,
  serialNumber: bigint,
  ...isApproval: boolean[],
];
export type TokenTransfersTuple = readonly [
  token: AddressHex,
  adjustments: readonly AdjustmentTuple[],
  serials: readonly SerialTuple[],
];

const NOBODY: EntityId = 0n;

/** Who gives: an unknown address stays what it is, and is refused. */
export const givingParty = async (world: World, address: AddressHex): Promise<Party> => {
  const reference = await referenceOf(world, address);
  if (reference.kind === 'account') return reference.id;
  return reference.kind === 'unknown' ? address : NOBODY;
};

/** Who gets: whatever has no account may get one, but not the number of one that has an alias. */
const receivingParty = async (world: World, address: AddressHex): Promise<Party> => {
  const reference = await referenceOf(world, address);
  if (reference.kind === 'not-canonical') return ZERO_ADDRESS;
  if (reference.kind === 'unknown') return address;
  return (await world.entity(reference.id)) === undefined ? address : reference.id;
};

const adjustmentOf = async (
  world: World,
  [address, amount, isApproval = false]: AdjustmentTuple,
): Promise<Adjustment<Party>> => ({
  party: await (amount > 0n ? receivingParty : givingParty)(world, address),
  amount,
  isApproval,
});

const serialOf = async (
  world: World,
  [sender, receiver, serialNumber, isApproval = false]: SerialTuple,
): Promise<SerialTransfer<Party>> => ({
  sender: await givingParty(world, sender),
  receiver: await receivingParty(world, receiver),
  serialNumber,
  isApproval,
});

const inOrder = async <T, U>(items: readonly T[], read: (item: T) => Promise<U>): Promise<U[]> => {
  const results: U[] = [];
  for (const item of items) results.push(await read(item));
  return results;
};

/** Adjustments of one account added up. */
const merged = (adjustments: readonly Adjustment<Party>[]): Adjustment<Party>[] => {
  const byParty = new Map<Party, Adjustment<Party>>();
  for (const next of adjustments) {
    const { party, amount, isApproval } = byParty.get(next.party) ?? { ...next, amount: 0n };
    byParty.set(next.party, { party, amount: amount + next.amount, isApproval: isApproval || next.isApproval });
  }
  return [...byParty.values()];
};

const distinct = (serials: readonly SerialTransfer<Party>[]): SerialTransfer<Party>[] => {
  const name = (serial: SerialTransfer<Party>): string =>
    [serial.sender, serial.receiver, serial.serialNumber, serial.isApproval].join(' ');
  return [...new Map(serials.map((serial) => [name(serial), serial])).values()];
};

/** Lists of one token made one list; lists of tokens that come once stay as they are. */
const consolidated = (lists: readonly TokenTransfers<Party>[]): readonly TokenTransfers<Party>[] => {
  const byToken = Map.groupBy(lists, ({ tokenId }) => tokenId);
  if (byToken.size === lists.length) return lists;
  return [...byToken].map(([tokenId, [first, ...rest]]) => {
    const all = first === undefined ? rest : [first, ...rest];
    const adjustments = all.flatMap((list) => list.adjustments);
    const serials = all.flatMap((list) => list.serials);
    return rest.length === 0
      ? { tokenId, adjustments, serials }
      : { tokenId, adjustments: merged(adjustments), serials: distinct(serials) };
  });
};

/** Transfers of `cryptoTransfer`; serials of a list that also has adjustments are left out. */
export const transfersOf = async (
  world: World,
  hbar: readonly AdjustmentTuple[],
  tokens: readonly TokenTransfersTuple[],
): Promise<Transfers<Party>> => ({
  hbar: merged(await inOrder(hbar, (tuple) => adjustmentOf(world, tuple))),
  tokens: consolidated(
    await inOrder(tokens, async ([token, adjustments, serials]) => ({
      tokenId: await tokenIdOf(world, token),
      adjustments: await inOrder(adjustments, (tuple) => adjustmentOf(world, tuple)),
      serials: adjustments.length > 0 ? [] : await inOrder(serials, (tuple) => serialOf(world, tuple)),
    })),
  ),
});

/** One token's adjustments. */
export const unitsOf = async (
  world: World,
  token: AddressHex,
  adjustments: readonly AdjustmentTuple[],
): Promise<Transfers<Party>> => ({
  hbar: [],
  tokens: [
    {
      tokenId: await tokenIdOf(world, token),
      adjustments: await inOrder(adjustments, (tuple) => adjustmentOf(world, tuple)),
      serials: [],
    },
  ],
});

/** One token's serials. */
export const serialsOf = async (
  world: World,
  token: AddressHex,
  serials: readonly SerialTuple[],
): Promise<Transfers<Party>> => ({
  hbar: [],
  tokens: [
    {
      tokenId: await tokenIdOf(world, token),
      adjustments: [],
      serials: await inOrder(serials, (tuple) => serialOf(world, tuple)),
    },
  ],
});
