/**
 * Hooks that a crypto transfer runs ([HIP-1195](https://hips.hedera.com/hip/hip-1195)). The network runs each as a call
 * of the hook system contract, whose storage changes are those of the hook; which hook it was follows only from the
 * order in which the transfer names them.
 */
import type { RowOf } from '../../database/table.ts';
import { leftPad, toHex, trimLeadingZeros } from '../../ledger/bytes.ts';
import { EMPTY_ENTITY_ID } from '../../ledger/entity-id.ts';
import type { StorageChange } from '../../protobuf/generated/streams/contract_state_change.ts';
import { problem, type Source } from '../transactions/handler.ts';
import { isHookContract } from './contract-ids.ts';
import type { HookTurn } from './hook-turns.ts';

/** Whether the item is the execution of a hook: a call of the hook system contract that another transaction set off. */
export const isHookExecution = (source: Source): boolean => {
  const { item } = source;
  const { data } = item.body;
  return (
    data?.$case === 'contractCall' &&
    item.record.parentConsensusTimestamp !== undefined &&
    isHookContract(source, data.contractCall.contractID)
  );
};

const SLOT_LENGTH = 32;

type Row = RowOf<'hook_storage_change'>;

/** What one execution did to the storage of hooks: one row for each slot. */
export class HookStorageChanges {
  readonly #source: Source;
  readonly #rows = new Map<string, Row>();

  constructor(source: Source) {
    this.#source = source;
  }

  /** Changes of the hook whose turn it is. */
  add(changes: readonly StorageChange[]): void {
    const turn = this.#source.context.evm.hookTurns.take(this.#source.item, this.#source.context.lookup);
    if (turn === undefined || turn.ownerId === EMPTY_ENTITY_ID) {
      problem(this.#source, 'No transfer names the hook that was executed');
      return;
    }
    for (const change of changes) this.#addSlot(turn, change);
  }

  #addSlot({ ownerId, hookId }: HookTurn, change: StorageChange): void {
    const { item, context } = this.#source;
    const { consensusTimestamp } = item;
    const slot = { owner_id: ownerId, hook_id: hookId };
    const key = leftPad(change.slot, SLOT_LENGTH);
    const written = change.valueWritten && trimLeadingZeros(change.valueWritten);
    const deleted = written?.length === 0;
    const name = `${ownerId} ${hookId} ${toHex(key)}`;
    const earlier = this.#rows.get(name);
    if (earlier === undefined) {
      const row: Row = {
        ...slot,
        key: change.slot,
        consensus_timestamp: consensusTimestamp,
        value_read: trimLeadingZeros(change.valueRead),
        value_written: written ?? null,
        deleted,
      };
      this.#rows.set(name, row);
      context.batch.insert('hook_storage_change', row);
    } else if (written !== undefined) {
      earlier.value_written = written;
      earlier.deleted = deleted;
    }
    if (written === undefined) return;
    context.batch.stage('hook_storage', {
      ...slot,
      key,
      created_timestamp: consensusTimestamp,
      modified_timestamp: consensusTimestamp,
      value: written,
      deleted,
    });
  }
}
