/**
 * Carries out repairs of known faults in a network's streams: each once, in order, in a database transaction of its own
 * that also notes it in `kagami.repair`. One that was cut off is done anew by the next import.
 */
import type { Database, DatabaseClient, Queryable } from '../../database/connection.ts';
import type { WriterLease } from '../../database/fencing.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import type { ItemFilter } from '../filter/item-filter.ts';
import { networkName } from '../networks/network-preset.ts';
import type { PersistSettings } from '../transaction-handler.ts';
import { mainnetRepairs } from './mainnet-repairs.ts';
import type { NewestBlock, Reach, Repair, RepairSettings } from './repair.ts';

/** First and last consensus time of the import, as far as they are set, and where an empty database begins. */
export interface RepairRange {
  readonly from: Nanos | undefined;
  readonly to: Nanos | undefined;
  readonly beginsAt: Nanos | undefined;
}

export interface RepairOptions {
  readonly database: Database;
  readonly lease: Pick<WriterLease, 'check'>;
  /** Setting `hiero.mirror.importer.network`: only `mainnet` has repairs. */
  readonly network: string;
  readonly settings: RepairSettings;
  readonly persist: PersistSettings;
  readonly filter: ItemFilter | undefined;
  /** For rows that no block holds. */
  readonly range: RepairRange;
  /** The large tables lack their indexes: of what has blocks nothing is repaired until they are back. */
  readonly bulk: boolean;
  readonly signal?: AbortSignal | undefined;
  /** A repair begins. */
  readonly onRepair?: () => void;
}

const NEWEST_BLOCK = `
select consensus_end, hapi_version_major, hapi_version_minor, hapi_version_patch
from record_file order by consensus_end desc limit 1`;

interface NewestRow {
  readonly consensus_end: string;
  readonly hapi_version_major: number | null;
  readonly hapi_version_minor: number | null;
  readonly hapi_version_patch: number | null;
}

export class LedgerRepairs {
  readonly #options: RepairOptions;
  #pending: readonly Repair[];

  constructor(options: RepairOptions, pending: readonly Repair[]) {
    this.#options = options;
    this.#pending = pending;
  }

  /** Whether there is something to be done now that `newest` is in the database. */
  areDue(newest: NewestBlock): boolean {
    if (this.#pending.length === 0 || this.#options.bulk) return false;
    const reach: Reach = { begins: newest.consensusEnd, newest };
    return this.#pending.some((repair) => repair.isDue(reach));
  }

  /**
   * Does what is due.
   * @throws KagamiError WRITER_FENCED, or what the database throws; what was done before stays done.
   */
  async run(): Promise<void> {
    if (this.#pending.length === 0) return;
    const { database, bulk, range, signal } = this.#options;
    const newest = await newestBlock(database);
    if (bulk && newest !== undefined) return;
    const begins = range.from ?? (await firstTime(database)) ?? range.beginsAt;
    for (const repair of this.#pending.filter((pending) => pending.isDue({ begins, newest }))) {
      if (signal?.aborted) return;
      await this.#carryOut(repair, begins ?? 0n);
      this.#pending = this.#pending.filter((pending) => pending !== repair);
    }
  }

  #carryOut(repair: Repair, begins: Nanos): Promise<void> {
    const { database, lease, settings, persist, filter, range, onRepair } = this.#options;
    onRepair?.();
    return database.transaction(async (client) => {
      // Whoever follows commits takes a share of this row; what a repair changes must not change under it.
      await client.query('select from kagami.writer for update');
      await lease.check(client);
      const changes = await repair.run(client, { begins, ends: range.to, persist, filter });
      await note(client, repair.name, settings[repair.setting].checksum, changes);
    });
  }
}

/** The repairs that were not done yet; none on other networks than mainnet, where nothing is even asked. */
export const openRepairs = async (options: RepairOptions): Promise<LedgerRepairs> => {
  const { database, network, settings } = options;
  if (networkName(network) !== 'mainnet') return new LedgerRepairs(options, []);
  const done = await database.query<{ name: string; checksum: number }>('select name, checksum from kagami.repair');
  const checksums = new Map(done.map(({ name, checksum }) => [name, checksum]));
  const pending = mainnetRepairs.filter(({ name, setting }) => {
    const { enabled, checksum } = settings[setting];
    return enabled && checksums.get(name) !== checksum;
  });
  return new LedgerRepairs(options, pending);
};

const note = (client: DatabaseClient, name: string, checksum: number, changes: number): Promise<unknown> =>
  client.query(
    `insert into kagami.repair (name, checksum, changes) values ($1, $2, $3)
     on conflict (name) do update set checksum = excluded.checksum, changes = excluded.changes, done_at = now()`,
    [name, checksum, changes],
  );

const newestBlock = async (database: Queryable): Promise<NewestBlock | undefined> => {
  const [row] = await database.query<NewestRow>(NEWEST_BLOCK);
  if (row === undefined) return undefined;
  const { hapi_version_major: major, hapi_version_minor: minor, hapi_version_patch: patch } = row;
  return {
    consensusEnd: BigInt(row.consensus_end),
    hapiVersion: major === null || minor === null ? null : { major, minor, patch: patch ?? 0 },
  };
};

const firstTime = async (database: Queryable): Promise<Nanos | undefined> => {
  const [row] = await database.query<{ consensus_start: string }>(
    'select consensus_start from record_file order by consensus_end limit 1',
  );
  return row === undefined ? undefined : BigInt(row.consensus_start);
};
