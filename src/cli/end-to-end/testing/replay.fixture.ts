/**
 * Executes the contract transactions of an imported ledger again, each on the state before it, and compares what comes
 * out with what the network recorded.
 */
import type { Database } from '../../../database/connection.ts';
import { createExecute } from '../../../evm/engine/execute.ts';
import type { EvmVersion, Execute, RunOutcome, RunTransaction } from '../../../evm/engine/run.ts';
import { versionRules } from '../../../evm/engine/versions.ts';
import { openStateSource } from '../../../evm/state/database-state-source.ts';
import type { EntityRecord, WordHex } from '../../../evm/state/records.ts';
import type { StateReader } from '../../../evm/state/state-reader.ts';
import type { StateSource } from '../../../evm/state/state-source.ts';
import { World } from '../../../evm/state/world.ts';
import { createSystemContracts, feeSelectors } from '../../../evm/system-contracts/system-contracts.ts';
import { recordedTransaction } from '../../../evm/traces/recorded-transaction.ts';
import { toHex } from '../../../ledger/bytes.ts';
import { ResponseCodeEnum } from '../../../protobuf/generated/services/response_code.ts';
import { RecordedPrices, type RecordedSystemCall, type SystemCallGas } from './recorded-prices.fixture.ts';
import { ReplayState } from './replay-state.fixture.ts';

export interface Difference {
  readonly what:
    | 'created contracts'
    | 'gas'
    | 'gas at system contracts'
    | 'gas consumed'
    | 'logs'
    | 'output'
    | 'status'
    | 'storage';
  readonly recorded: string;
  readonly executed: string;
}

export interface Replay {
  /** Nanoseconds. */
  readonly consensusTimestamp: bigint;
  readonly contractId: bigint;
  /** Whether it is known what the called contract does; a creation brings that along. */
  readonly hasCode: boolean;
  /** Statuses of calls of system contracts that failed, as recorded and as executed. */
  readonly failedChildren: { readonly recorded: readonly string[]; readonly executed: readonly string[] };
  readonly differences: readonly Difference[];
  /** Of the engine itself, with the recorded prices of system contracts; and how the record lets it be known. */
  readonly gas: GasEvidence;
  readonly systemCalls: readonly SystemCallGas[];
}

/** How much of the gas of a replay can be compared. */
export interface GasEvidence {
  readonly limit: bigint;
  /** What was charged is what was used, and not the least that is charged for the limit. */
  readonly charged: boolean;
  /** A trace tells what was consumed. */
  readonly traced: boolean;
  /** Calls of system contracts of which the record tells how much gas was left when they began. */
  readonly systemCalls: number;
}

/** How many replays, and how many of those that came out as recorded, had their gas compared, and how. */
export const gasSummaryOf = (replays: readonly Replay[]) => {
  const count = (holds: (gas: GasEvidence) => boolean) => {
    const compared = replays.filter(({ gas }) => holds(gas));
    return { replayed: compared.length, equal: compared.filter(({ differences }) => differences.length === 0).length };
  };
  return {
    exact: count(({ charged, traced }) => charged || traced),
    atSystemContracts: count(({ charged, traced, systemCalls }) => !charged && !traced && systemCalls > 0),
    onlyBounded: count(({ charged, traced, systemCalls }) => !charged && !traced && systemCalls === 0),
  };
};

/** How many replays there were and came out as recorded, and what the others are about. */
export const summaryOf = (replays: readonly Replay[]) => ({
  replayed: replays.length,
  equal: replays.filter(({ differences }) => differences.length === 0).length,
  withoutCode: replays.filter(({ differences, hasCode }) => differences.length > 0 && !hasCode).length,
  differences: replays
    .filter(({ hasCode }) => hasCode)
    .flatMap(({ contractId, differences }) =>
      differences.map(({ what, recorded, executed }) => `${contractId} ${what}: ${recorded} <> ${executed}`),
    ),
});

export interface ReplayOptions {
  readonly chainId: bigint;
  /** 0x and hex digits. */
  readonly ledgerId?: string;
  /** Whether earlier replays tell storage and code that no sidecar told. */
  readonly remembers?: boolean;
}

interface ResultRow {
  readonly consensus_timestamp: string;
  readonly transaction_result: number;
  readonly call_result: Buffer | null;
  readonly error_message: string | null;
  readonly gas_limit: string;
  readonly gas_used: string;
  /** Of the first action, if the transaction was traced: its limit and what it used of it. */
  readonly traced_limit: string | null;
  readonly traced_gas: string | null;
  readonly created_contract_ids: string[] | null;
  readonly type: number;
  readonly hapi_minor: number;
}

/**
 * Transactions that ran a contract: not what they did by way of system contracts and creations of their own, nor those
 * that the network refused before anything ran, which used no gas.
 */
const resultsSql = `
  select result.consensus_timestamp, result.transaction_result, result.call_result, result.error_message, result.gas_limit,
    result.gas_used, result.created_contract_ids, action.gas as traced_limit, action.gas_used as traced_gas,
    transaction.type, block.hapi_version_minor as hapi_minor
  from contract_result result
  join transaction using (consensus_timestamp)
  join lateral (
    select hapi_version_minor from record_file where consensus_end >= result.consensus_timestamp
    order by consensus_end limit 1
  ) block on true
  left join contract_action action on action.consensus_timestamp = result.consensus_timestamp and action.call_depth = 0
  where result.gas_used > 0 and result.transaction_nonce = 0 and transaction.type in (7, 8, 50)
  order by 1`;

const CONTRACT_CREATE = 8;
const WITHOUT_CHARGE_FOR_UNUSED_GAS = 69;
/** A fifth of the limit at most was given back. */
const GIVEN_BACK = 5n;

/** The rules of a network release. */
const versionOf = (hapiMinor: number): EvmVersion => {
  const versions = Object.keys(versionRules) as EvmVersion[];
  return versions.findLast((version) => Number(version.slice(2)) <= hapiMinor) ?? '0.30';
};

/** What older networks charged at least: four fifths of the limit. */
const leastCharge = (limit: bigint, hapiMinor: number): bigint =>
  hapiMinor < WITHOUT_CHARGE_FOR_UNUSED_GAS ? limit - limit / GIVEN_BACK : 0n;

const CODE_BYTE_GAS = 200n;

/** Whether what was charged may be more than what was used, so that traces and children must tell. */
const hidesGas = ({ hapi_minor }: ResultRow): boolean => hapi_minor < WITHOUT_CHARGE_FOR_UNUSED_GAS;

/**
 * What a trace tells was consumed, before refunds: what was taken before the first action, what that used, and the price
 * of the bytes of a new contract's code, which traces leave out.
 */
const tracedGas = (row: ResultRow): bigint | undefined => {
  const { gas_limit, traced_limit, traced_gas, call_result, type } = row;
  if (!hidesGas(row) || traced_limit === null || traced_gas === null) return undefined;
  const paysForCode = type === CONTRACT_CREATE && versionRules[versionOf(row.hapi_minor)].chargesForCode;
  const codeGas = paysForCode ? CODE_BYTE_GAS * BigInt(call_result?.length ?? 0) : 0n;
  return BigInt(gas_limit) - BigInt(traced_limit) + BigInt(traced_gas) + codeGas;
};

/**
 * What a failed run left, as hex digits: a revert's data stands in the error message; halts leave nothing but a name
 * there.
 */
const recordedOutput = ({ transaction_result, call_result, error_message }: ResultRow): string => {
  if (transaction_result === ResponseCodeEnum.SUCCESS) return toHex(call_result ?? new Uint8Array());
  return /^0x(?:[0-9a-f]{2})*$/.test(error_message ?? '') ? (error_message ?? '').slice(2) : '';
};

const statusName = (code: number): string =>
  Object.entries(ResponseCodeEnum).find(([, value]) => value === code)?.[0] ?? String(code);

/** As tables keep words: without leading zeros. */
const trimmed = (bytes: Uint8Array): string => toHex(bytes).replace(/^(00)+/, '');

/** An address that follows from a nonce or a salt; not one that follows from a number, which a run gives anew. */
const ofNonce = (address: string | undefined): string =>
  address === undefined || address === '' || address.startsWith('0'.repeat(24)) ? 'by number' : address;

/** A world that remembers which contracts it was given. */
class ObservedWorld extends World {
  readonly created = new Set<bigint>();

  override putEntity(entity: EntityRecord): void {
    super.putEntity(entity);
    if (entity.type === 'CONTRACT') this.created.add(entity.id);
  }
}

export class LedgerReplay {
  readonly #db: Database;
  readonly #source: StateSource;
  readonly #execute: Execute;
  readonly #options: ReplayOptions;
  readonly #state: ReplayState;
  readonly #prices: RecordedPrices;

  private constructor(db: Database, execute: Execute, prices: RecordedPrices, options: ReplayOptions) {
    this.#db = db;
    this.#execute = execute;
    this.#options = options;
    this.#prices = prices;
    this.#source = openStateSource(db, { shard: 0n, realm: 0n, maxFileAttempts: 12 });
    this.#state = new ReplayState(db);
  }

  static async open(db: Database, options: ReplayOptions): Promise<LedgerReplay> {
    const prices = new RecordedPrices();
    const systemContracts = prices.observed(createSystemContracts());
    return new LedgerReplay(db, await createExecute({ systemContracts, feeSelectors }), prices, options);
  }

  /** All contract transactions, in their order. */
  async replayAll(): Promise<Replay[]> {
    const rows = await this.#db.query<ResultRow>(resultsSql);
    const replays: Replay[] = [];
    for (const row of rows) replays.push(await this.#replay(row));
    return replays;
  }

  async #replay(row: ResultRow): Promise<Replay> {
    const timestamp = BigInt(row.consensus_timestamp);
    const recorded = await recordedTransaction(this.#db, timestamp);
    if (recorded === undefined) throw new Error(`Nothing is recorded at ${timestamp}`);
    const reader = await this.#state.readerAt(timestamp, this.#source.at(timestamp - 1n), recorded);
    const world = new ObservedWorld(reader, { shard: 0n, realm: 0n });
    this.#prices.expect(await this.#systemCalls(timestamp));
    const outcome = await this.#run(world, recorded.transaction, timestamp, row.hapi_minor);
    const created = await this.#createdBy(world, reader, row);
    const differences = [
      ...this.#compareResult(row, outcome),
      ...(hidesGas(row) ? this.#compareSystemCalls() : []),
      ...(await this.#compareLogs(world, timestamp, outcome, created)),
      ...(await this.#compareStorage(world, reader, timestamp, created)),
      ...(await this.#compareCreated(world, row, created)),
    ];
    if (this.#options.remembers === true && outcome.status === 'SUCCESS') await this.#state.remember(world, created);
    const { contractId, transaction } = recorded;
    const hasCode = transaction.to === undefined || (await reader.code(contractId)) !== undefined;
    const failedChildren = { recorded: await this.#failedChildren(timestamp), executed: outcome.childStatuses };
    const systemCalls = this.#prices.seen;
    const gas: GasEvidence = {
      limit: BigInt(row.gas_limit),
      charged: BigInt(row.gas_used) !== leastCharge(BigInt(row.gas_limit), row.hapi_minor),
      traced: tracedGas(row) !== undefined,
      systemCalls: systemCalls.filter(({ recorded }) => recorded.gas > 0n).length,
    };
    return { consensusTimestamp: timestamp, contractId, hasCode, failedChildren, differences, gas, systemCalls };
  }

  /** Children that record calls of system contracts. Views are recorded with a gas of 1, which says nothing. */
  async #systemCalls(timestamp: bigint): Promise<RecordedSystemCall[]> {
    const rows = await this.#db.query<{ number: string; input: Buffer; gas: string; gas_used: string }>(
      `select result.contract_id as number, result.function_parameters as input, result.gas_limit as gas, result.gas_used
       from contract_result result join transaction using (consensus_timestamp)
       where transaction.parent_consensus_timestamp = $1 and result.contract_id < 1000 and result.gas_used is not null
       order by result.consensus_timestamp`,
      [timestamp],
    );
    return rows.map(({ number, input, gas, gas_used }) => ({
      number: BigInt(number),
      input: toHex(input),
      gas: gas === '1' ? 0n : BigInt(gas),
      gasUsed: BigInt(gas_used),
    }));
  }

  async #failedChildren(timestamp: bigint): Promise<string[]> {
    const rows = await this.#db.query<{ result: number }>(
      `select result from transaction where parent_consensus_timestamp = $1 and result not in (22, 280)
       order by consensus_timestamp`,
      [timestamp],
    );
    return rows.map(({ result }) => statusName(result));
  }

  async #run(world: World, transaction: RunTransaction, timestamp: bigint, hapiMinor: number): Promise<RunOutcome> {
    const source = this.#source;
    const block = await source.blockOf(timestamp);
    if (block === undefined) throw new Error(`No block has ${timestamp}`);
    return this.#execute(transaction, {
      world,
      block: { number: block.index, timestamp: block.consensusStart / 1_000_000_000n, hash: block.hash },
      network: { chainId: this.#options.chainId, ledgerId: this.#options.ledgerId ?? '0x03' },
      version: versionOf(hapiMinor),
      ...(await source.rates(timestamp)),
      now: timestamp,
      blockHash: async (number) => (await source.block({ kind: 'number', number }))?.hash.slice(0, 32),
      minimumAccountBalance: 100_000_000_000_000_000n,
    });
  }

  /** The recorded ids of contracts that the run created, by ours: both in the order of their creation. */
  async #createdBy(world: ObservedWorld, reader: StateReader, row: ResultRow): Promise<Map<bigint, bigint>> {
    const ours: bigint[] = [];
    for (const id of world.created) {
      const isNew = (await reader.entity(id)) === undefined && (await world.entity(id)) !== undefined;
      if (isNew) ours.push(id);
    }
    const theirs = (row.created_contract_ids ?? []).map(BigInt).toSorted((a, b) => Number(a - b));
    return new Map(ours.toSorted((a, b) => Number(a - b)).map((id, index) => [id, theirs[index] ?? id]));
  }

  #compareResult(row: ResultRow, { status, output, gasUsed, refund }: RunOutcome): Difference[] {
    const least = leastCharge(BigInt(row.gas_limit), row.hapi_minor);
    const charged = BigInt(row.gas_used);
    // Where the least was charged, all that is known of the gas used is that it was no more.
    const isKnown = charged !== least || gasUsed > least;
    const found: Difference[] = [
      { what: 'status', recorded: statusName(row.transaction_result), executed: status },
      { what: 'gas', recorded: row.gas_used, executed: (isKnown ? gasUsed : charged).toString() },
      { what: 'output', recorded: recordedOutput(row), executed: toHex(output) },
    ];
    const consumed = tracedGas(row);
    if (consumed !== undefined) {
      found.push({ what: 'gas consumed', recorded: `${consumed}`, executed: `${gasUsed + refund}` });
    }
    return found.filter(({ recorded, executed }) => recorded !== executed);
  }

  /** The gas that was left when system contracts were called: what the engine itself had used until then. */
  #compareSystemCalls(): Difference[] {
    const known = this.#prices.seen.filter(({ recorded }) => recorded.gas > 0n);
    return differ(
      'gas at system contracts',
      known.map(({ recorded }) => recorded.gas.toString()),
      known.map(({ executed }) => executed.gas.toString()),
    );
  }

  async #compareLogs(
    world: World,
    timestamp: bigint,
    { logs }: RunOutcome,
    created: ReadonlyMap<bigint, bigint>,
  ): Promise<Difference[]> {
    const rows = await this.#db.query<Record<string, string | null>>(
      `select contract_id, encode(topic0, 'hex') as t0, encode(topic1, 'hex') as t1, encode(topic2, 'hex') as t2,
         encode(topic3, 'hex') as t3, encode(data, 'hex') as data
       from contract_log where consensus_timestamp = $1 and synthetic is not true order by index`,
      [timestamp.toString()],
    );
    const recorded = rows.map((row) =>
      Object.values(row)
        .map((value) => value ?? '-')
        .join(' '),
    );
    const executed: string[] = [];
    for (const { address, topics, data } of logs) {
      const id = (await world.idAt(address)) ?? 0n;
      const words = [0, 1, 2, 3].map((index) => {
        const topic = topics[index];
        if (topic === undefined) return '-';
        return trimmed(topic) === '' ? '00' : trimmed(topic);
      });
      executed.push([created.get(id) ?? id, ...words, toHex(data)].join(' '));
    }
    return differ('logs', recorded, executed);
  }

  async #compareStorage(
    world: World,
    reader: StateReader,
    timestamp: bigint,
    created: ReadonlyMap<bigint, bigint>,
  ): Promise<Difference[]> {
    if (!(await this.#state.tellsStorage(timestamp))) return [];
    const rows = await this.#db.query<{ id: string; slot: string; written: string }>(
      `select contract_id as id, lpad(encode(slot, 'hex'), 64, '0') as slot,
         lpad(encode(value_written, 'hex'), 64, '0') as written
       from contract_state_change where consensus_timestamp = $1 and value_written is not null`,
      [timestamp.toString()],
    );
    const recorded = rows.map(({ id, slot, written }) => `${id} ${slot} ${written}`).toSorted();
    const executed: string[] = [];
    for (const [id, slot, value] of world.changedSlots()) {
      const before: WordHex = created.has(id) ? '0'.repeat(64) : await reader.slot(id, slot);
      if (before !== value) executed.push(`${created.get(id) ?? id} ${slot} ${value}`);
    }
    return differ('storage', recorded, executed.toSorted());
  }

  async #compareCreated(
    world: World,
    { created_contract_ids }: ResultRow,
    created: ReadonlyMap<bigint, bigint>,
  ): Promise<Difference[]> {
    const ids = created_contract_ids ?? [];
    const rows = await this.#db.query<{ id: string; address: string; code: string | null }>(
      `select entity.id, encode(coalesce(evm_address, ''::bytea), 'hex') as address,
         encode(runtime_bytecode, 'hex') as code
       from entity left join contract using (id) where entity.id = any($1)`,
      [ids],
    );
    const known = new Map(rows.map((row) => [row.id, row]));
    const recorded = ids.map((id) => `${id} ${ofNonce(known.get(id)?.address)} ${known.get(id)?.code ?? '-'}`);
    const executed: string[] = [];
    for (const [ours, theirs] of created) {
      const row = known.get(theirs.toString());
      const code = row?.code === null ? '-' : toHex((await world.code(ours)) ?? new Uint8Array());
      executed.push(`${theirs} ${ofNonce((await world.entity(ours))?.evmAddress)} ${code}`);
    }
    return differ('created contracts', recorded.toSorted(), executed.toSorted());
  }
}

const differ = (what: Difference['what'], recorded: readonly string[], executed: readonly string[]): Difference[] =>
  recorded.join('\n') === executed.join('\n')
    ? []
    : [{ what, recorded: recorded.join('\n'), executed: executed.join('\n') }];
