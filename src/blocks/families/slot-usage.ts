/**
 * Which storage slots a transaction read and what it left in them. Traces tell what was read; slots that were also written
 * are named by their position among the written ones, and what was written follows from who read the slot next, or from
 * what it holds in the end.
 */
import { toHex, trimLeadingZeros } from '../../ledger/bytes.ts';
import type {
  ContractSlotUsage,
  SlotRead,
} from '../../protobuf/generated/block/stream/trace/smart_contract_service.ts';
import type { ContractID } from '../../protobuf/generated/services/basic_types.ts';
import { ContractStateChange, StorageChange } from '../../protobuf/generated/streams/contract_state_change.ts';
import type { RecordParts } from '../record-parts.ts';
import { hookName, type SlotChange, type StateIndex } from '../state-index.ts';
import type { TransactionView } from '../transaction-view.ts';
import { evmOutputOf } from './contract-result.ts';

/**
 * The system contract whose storage is that of the hook that runs ([HIP-1195](https://hips.hedera.com/hip/hip-1195)).
 */
const HOOK_CONTRACT = 365n;

/** Storage of one contract, or of one hook. */
interface Storage {
  readonly name: string;
  /** Its slots that changed. */
  readonly changes: (state: StateIndex) => readonly SlotChange[] | undefined;
}

/** A read before it is known what was written. */
interface Use {
  readonly storage: Storage;
  readonly slot: Uint8Array;
  readonly valueRead: Uint8Array;
  readonly isWritten: boolean;
}

export const storageOf = (
  view: TransactionView,
  usages: readonly ContractSlotUsage[],
  parts: RecordParts,
): ContractStateChange[] => {
  const uses = usages.map((usage) => ({ contractId: usage.contractId, uses: usesOf(view, usage, parts) }));
  const changes = uses
    .filter(({ uses }) => uses.length > 0)
    .map(({ contractId, uses }) =>
      ContractStateChange.fromPartial({
        ...(contractId && { contractId }),
        storageChanges: uses.flatMap((use) => storageChange(view, use, parts) ?? []),
      }),
    );
  // Only now: what this transaction read is what those before it wrote. Its first read of a slot counts.
  const { slotReads } = view.execution;
  for (const use of uses.flatMap(({ uses }) => uses).toReversed()) slotReads.set(nameOf(use), use.valueRead);
  return changes.filter(({ storageChanges }) => storageChanges.length > 0);
};

const usesOf = (view: TransactionView, usage: ContractSlotUsage, parts: RecordParts): Use[] => {
  const storage = storageIn(view, usage.contractId);
  if (storage === undefined) {
    parts.lacks('storage slot', 'it names no contract, or no hook that ran');
    return [];
  }
  return usage.slotReads.flatMap((read) => {
    const slot = slotOf(view, read, usage, storage);
    if (slot === undefined) {
      parts.lacks('storage slot', `nothing names the written slot ${indexOf(read)} of ${storage.name}`);
      return [];
    }
    const isWritten = read.identifier?.$case === 'index';
    return [{ storage, slot, valueRead: trimLeadingZeros(read.readValue), isWritten }];
  });
};

const storageIn = (view: TransactionView, id: ContractID | undefined): Storage | undefined => {
  if (id?.contract?.$case !== 'contractNum') return undefined;
  const { contractNum } = id.contract;
  if (contractNum !== HOOK_CONTRACT) {
    return { name: `contract ${contractNum}`, changes: (state) => state.slots.get(contractNum) };
  }
  const hook = evmOutputOf(view)?.result.executedHookId;
  if (hook === undefined) return undefined;
  const name = hookName(hook);
  return { name: `hook of ${name}`, changes: (state) => state.hookSlots.get(name) };
};

const indexOf = ({ identifier }: SlotRead): number => (identifier?.$case === 'index' ? identifier.index : -1);

/** Slots that were only read are named by their key. */
const slotOf = (
  view: TransactionView,
  read: SlotRead,
  { writtenSlotKeys }: ContractSlotUsage,
  { changes }: Storage,
): Uint8Array | undefined => {
  if (read.identifier?.$case === 'key') return read.identifier.key;
  const keys = writtenSlotKeys?.keys ?? [];
  const index = indexOf(read);
  const key = keys.length > 0 ? keys[index] : view.inState(changes)?.[index]?.key;
  return key && trimLeadingZeros(key);
};

/** The value that a slot has in the end; keys are compared without leading zeros. */
const lastValue = (changes: readonly SlotChange[], slot: Uint8Array): Uint8Array | undefined => {
  const wanted = toHex(trimLeadingZeros(slot));
  return changes.findLast(({ key }) => toHex(trimLeadingZeros(key)) === wanted)?.value;
};

const nameOf = ({ storage, slot }: Use): string => `${storage.name} ${toHex(trimLeadingZeros(slot))}`;

const storageChange = (view: TransactionView, use: Use, parts: RecordParts): StorageChange | undefined => {
  const { slot, valueRead, isWritten, storage } = use;
  if (!isWritten) return StorageChange.fromPartial({ slot, valueRead });
  const valueWritten =
    view.execution.slotReads.get(nameOf(use)) ?? view.inState((state) => lastValue(storage.changes(state) ?? [], slot));
  if (valueWritten === undefined) {
    parts.lacks('storage slot', `nothing tells what was written to slot ${toHex(slot)} of ${storage.name}`);
    return undefined;
  }
  return StorageChange.fromPartial({ slot, valueRead, valueWritten });
};
