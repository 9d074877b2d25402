/** Contracts that are compiled and constructed for tests, and the rows that the importer would write for them. */
import { createEVM } from '@ethereumjs/evm';
import { createAddressFromString, hexToBytes } from '@ethereumjs/util';
import type { Database } from '../../database/connection.ts';
import { compile } from '../compilers/compile.ts';
import { openCompilerStore } from '../compilers/compiler-store.ts';
import type { CompilerInput } from '../model.ts';

/** Only what comes with Kagami. */
const installedOnly = { folder: '/nowhere', download: false, mirror: '', vyper: new Map<string, string>() };

export const VERSION = '0.8.26+commit.8a97fa7a';

export interface Compiled {
  /** 0x and hex digits, libraries not linked. */
  readonly creation: string;
  readonly metadata: string;
}

export const solidityInput = (sources: Readonly<Record<string, string>>): CompilerInput => ({
  language: 'Solidity',
  sources: Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }])),
  settings: {},
});

/** Contracts by `path:Name`. */
export const compileForTest = async (input: CompilerInput): Promise<ReadonlyMap<string, Compiled>> => {
  const compiler = await openCompilerStore(installedOnly).locate('Solidity', VERSION);
  const selection = { outputSelection: { '*': { '*': ['evm.bytecode.object', 'metadata'] } } };
  const bounds = { timeoutMs: 60_000, memoryMb: 1024 };
  const { contracts = {} } = await compile(compiler, { ...input, settings: selection }, bounds);
  const compiled = new Map<string, Compiled>();
  for (const [path, named] of Object.entries(contracts)) {
    for (const [name, output] of Object.entries(named)) {
      const { evm, metadata } = output as { evm: { bytecode: { object: string } }; metadata: string };
      compiled.set(`${path}:${name}`, { creation: `0x${evm.bytecode.object}`, metadata });
    }
  }
  return compiled;
};

/** Runs a constructor; gives the code that it leaves and the address, which libraries write into theirs. */
export const construct = async (creation: string): Promise<{ readonly runtime: Buffer; readonly address: Buffer }> => {
  const evm = await createEVM();
  const caller = createAddressFromString(`0x${'11'.repeat(20)}`);
  const { createdAddress, execResult } = await evm.runCall({
    caller,
    data: hexToBytes(creation as `0x${string}`),
    gasLimit: 10_000_000n,
  });
  if (execResult.exceptionError !== undefined || createdAddress === undefined)
    throw new Error('The constructor failed');
  return { runtime: Buffer.from(execResult.returnValue), address: Buffer.from(createdAddress.bytes) };
};

export interface LedgerContract {
  readonly id: number;
  readonly created: bigint;
  readonly evmAddress: Buffer | null;
  readonly runtime: Buffer | null;
  readonly initcode?: Buffer | null;
  readonly fileId?: number;
  readonly deleted?: boolean;
}

export const insertContract = async (database: Database, contract: LedgerContract): Promise<void> => {
  const { id, created, evmAddress, runtime, initcode = null, fileId = null, deleted = false } = contract;
  await database.query(
    `insert into entity (id, num, realm, shard, type, created_timestamp, timestamp_range, evm_address, deleted)
     values ($1, $1, 0, 0, 'CONTRACT', $2, $3, $4, $5)`,
    [id, created, `[${created},)`, evmAddress, deleted],
  );
  await database.query('insert into contract (id, file_id, initcode, runtime_bytecode) values ($1, $2, $3, $4)', [
    id,
    fileId,
    initcode,
    runtime,
  ]);
};

export interface LedgerTransaction {
  readonly at: bigint;
  readonly hash: Buffer;
  /** Of the transaction that caused this one. */
  readonly parent?: bigint;
  readonly payer?: number;
  readonly index?: number;
}

export const insertTransaction = async (database: Database, transaction: LedgerTransaction): Promise<void> => {
  const { at, hash, parent = null, payer = 1001, index = 0 } = transaction;
  await database.query(
    `insert into transaction (consensus_timestamp, type, result, payer_account_id, valid_start_ns, transaction_hash,
       parent_consensus_timestamp, index) values ($1, 8, 22, $2, $3, $4, $5, $6)`,
    [at, payer, at - 5n, hash, parent, index],
  );
};

export const insertBlock = (database: Database, index: number, start: bigint, end: bigint): Promise<unknown> =>
  database.query(
    `insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start, consensus_end, count,
       digest_algorithm, version, file_hash, index) values ($1, 0, 0, '', '', $2, $3, 1, 0, 6, '', $4)`,
    [`block ${index}`, start, end, index],
  );
