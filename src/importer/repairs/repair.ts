/** What a repair of known faults in the streams of mainnet is. Each is a file of this folder. */
import type { SettingsOf } from '../../config/setting.ts';
import type { repairSettings } from '../../config/settings/repairs.ts';
import type { DatabaseClient } from '../../database/connection.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import type { RecordFile } from '../../streams/record-file-content.ts';
import type { ItemFilter } from '../filter/item-filter.ts';
import type { PersistSettings } from '../transaction-handler.ts';

export type RepairSettings = SettingsOf<typeof repairSettings>;

/** What repairs know of the newest block in the database. */
export type NewestBlock = Pick<RecordFile, 'consensusEnd' | 'hapiVersion'>;

/** How far the database reaches. */
export interface Reach {
  /** First consensus time that is imported; undefined when only the first block will tell. */
  readonly begins: Nanos | undefined;
  /** Undefined in an empty database. */
  readonly newest: NewestBlock | undefined;
}

export interface RepairContext {
  /** First and last consensus time that are imported, both inclusive; undefined when there is no end. */
  readonly begins: Nanos;
  readonly ends: Nanos | undefined;
  readonly persist: PersistSettings;
  readonly filter: ItemFilter | undefined;
}

export interface Repair {
  /** Its name in `kagami.repair`. */
  readonly name: string;
  readonly setting: keyof RepairSettings;
  /** Whether all that it mends is in the database, or need not be. */
  isDue(reach: Reach): boolean;
  /**
   * Finds nothing to do where it was done before. The client is in a transaction that keeps every other writer away.
   * @returns how many rows were inserted, changed or deleted
   */
  run(client: DatabaseClient, context: RepairContext): Promise<number>;
}

/** Due once a block that ends after `time` is in the database, so that the rows up to then are complete. */
export const isPast = (time: Nanos, { newest }: Reach): boolean => newest !== undefined && newest.consensusEnd > time;
