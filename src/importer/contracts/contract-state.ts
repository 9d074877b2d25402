/**
 * Storage of contracts that a transaction read or wrote, as its sidecar tells
 * ([HIP-513](https://hips.hedera.com/hip/hip-513)).
 */
import type { RowOf } from '../../database/table.ts';
import { leftPad, toHex } from '../../ledger/bytes.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import type { ContractStateChange, StorageChange } from '../../protobuf/generated/streams/contract_state_change.ts';
import type { Source } from '../transactions/handler.ts';
import { contractNumber } from './contract-ids.ts';

type Row = RowOf<'contract_state_change'>;

const SLOT_LENGTH = 32;

/** The storage that one transaction used: one row for each slot, even if its sidecar names a slot twice. */
export class StateChanges {
  readonly #source: Source;
  readonly #rows = new Map<string, Row>();

  constructor(source: Source) {
    this.#source = source;
  }

  /** `migration` marks what a contract held before the network began to record changes. Adds to the ids `involved`. */
  add(change: ContractStateChange, migration: boolean, involved: Set<EntityId>): void {
    const contractId = contractNumber(this.#source, change.contractId);
    for (const storageChange of change.storageChanges) {
      this.#addSlot(contractId, storageChange, migration);
      involved.add(contractId);
    }
    this.#source.context.touch(contractId);
  }

  #addSlot(contractId: EntityId, { slot, valueRead, valueWritten }: StorageChange, migration: boolean): void {
    const { item, context } = this.#source;
    const key = `${contractId} ${toHex(slot)}`;
    const earlier = this.#rows.get(key);
    if (earlier === undefined) {
      const row: Row = {
        consensus_timestamp: item.consensusTimestamp,
        contract_id: contractId,
        payer_account_id: item.payer,
        slot,
        value_read: valueRead,
        value_written: valueWritten ?? null,
        migration,
      };
      this.#rows.set(key, row);
      context.batch.insert('contract_state_change', row);
    } else if (valueWritten !== undefined) {
      earlier.value_written = valueWritten;
    }
    const value = valueWritten ?? (migration ? valueRead : undefined);
    if (value === undefined) return;
    context.batch.stage('contract_state', {
      contract_id: contractId,
      slot: leftPad(slot, SLOT_LENGTH),
      value,
      created_timestamp: item.consensusTimestamp,
      modified_timestamp: item.consensusTimestamp,
    });
  }
}
