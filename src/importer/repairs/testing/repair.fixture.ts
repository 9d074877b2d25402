/** Rows of a ledger with known faults, and repairs run by themselves, for tests. */
import { isSetting, type Setting, type SettingGroup } from '../../../config/setting.ts';
import { persistSettings } from '../../../config/settings/importer.ts';
import { repairSettings } from '../../../config/settings/repairs.ts';
import type { Database, Queryable } from '../../../database/connection.ts';
import type { PersistSettings } from '../../transaction-handler.ts';
import type { RepairOptions } from '../ledger-repairs.ts';
import type { Repair, RepairContext, RepairSettings } from '../repair.ts';

const defaultsOf = (group: SettingGroup): unknown =>
  Object.fromEntries(
    Object.entries(group).map(([name, node]) => [
      name,
      isSetting(node) ? (node as Setting<unknown>).default : defaultsOf(node),
    ]),
  );

const defaultRepairSettings = defaultsOf(repairSettings) as RepairSettings;
export const defaultPersist = defaultsOf(persistSettings) as PersistSettings;

export const wholeHistory: RepairContext = { begins: 0n, ends: undefined, persist: defaultPersist, filter: undefined };

/** Runs a repair in a transaction of its own, due or not; gives the number of changes. */
export const runRepair = (database: Database, repair: Repair, context: Partial<RepairContext> = {}): Promise<number> =>
  database.transaction((client) => repair.run(client, { ...wholeHistory, ...context }));

type Values = Readonly<Record<string, unknown>>;

export const insertRow = async (database: Queryable, table: string, values: Values): Promise<void> => {
  const columns = Object.keys(values);
  const places = columns.map((_, index) => `$${index + 1}`);
  await database.query(`insert into ${table} (${columns}) values (${places})`, Object.values(values));
};

/** A block of which only what is given matters. */
export const insertBlock = (database: Queryable, end: bigint, values: Values = {}): Promise<void> =>
  insertRow(database, 'record_file', {
    name: `block ${end}`,
    load_start: 0,
    load_end: 0,
    hash: `${end}`,
    prev_hash: '',
    consensus_start: end,
    consensus_end: end,
    count: 1,
    digest_algorithm: 0,
    version: 6,
    file_hash: '',
    index: 0,
    ...values,
  });

export const insertTransaction = (database: Queryable, at: bigint, values: Values = {}): Promise<void> =>
  insertRow(database, 'transaction', {
    consensus_timestamp: at,
    type: 14,
    result: 22,
    payer_account_id: 1001,
    valid_start_ns: at,
    index: 0,
    ...values,
  });

export const insertResult = (database: Queryable, at: bigint, values: Values = {}): Promise<void> =>
  insertRow(database, 'contract_result', {
    consensus_timestamp: at,
    function_parameters: Buffer.alloc(0),
    gas_limit: 1,
    contract_id: 359,
    payer_account_id: 1001,
    transaction_result: 22,
    ...values,
  });

export const insertEntity = (database: Queryable, table: 'entity' | 'entity_history', values: Values): Promise<void> =>
  insertRow(database, table, {
    num: values.id,
    realm: 0,
    shard: 0,
    type: 'ACCOUNT',
    timestamp_range: '[1,)',
    ...values,
  });

/** All but database and lease of a repair of mainnet that leaves nothing out. */
export const mainnetTask: Omit<RepairOptions, 'database' | 'lease'> = {
  network: 'mainnet',
  settings: defaultRepairSettings,
  persist: defaultPersist,
  filter: undefined,
  range: { from: undefined, to: undefined, beginsAt: undefined },
  bulk: false,
};
