/**
 * `npm run conformance -- verification [filter...]`: each case's contract goes into a database of its own rows, is
 * verified from its uploads or standard JSON, and must match as the case says. Compilers are fetched when they are not
 * installed; a case whose compiler can't be had must end by saying so.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { VerificationSettings } from '../src/config/settings/verification.ts';
import type { Database } from '../src/database/connection.ts';
import { keccak256 } from '../src/ledger/hash.ts';
import type { CompilationTarget, Match, UploadedFile, VerificationResult } from '../src/verification/model.ts';
import { openVerifier } from '../src/verification/open-verifier.ts';
import type { Verifier } from '../src/verification/verifier.ts';

interface Expectation {
  readonly runtimeMatch?: string | null;
  readonly creationMatch?: string | null;
  readonly error?: string;
  readonly withExtraSources?: Expectation;
  readonly runtimeTransformations?: unknown;
  readonly runtimeValues?: unknown;
  readonly creationTransformations?: unknown;
  readonly creationValues?: unknown;
}

interface Case {
  readonly id: string;
  readonly kind: 'stdjson' | 'metadata';
  readonly language: CompilationTarget['input']['language'];
  readonly compilerVersion: string;
  readonly contractIdentifier: string;
  readonly address?: string;
  readonly extraSources?: Readonly<Record<string, string>>;
  readonly onchain: { readonly runtimeBytecode: string; readonly creationBytecode: string };
  readonly expect: Expectation;
}

export interface VerificationConformanceOptions {
  readonly database: Database;
  readonly folder: string;
  /** Parts of case names; none: all cases. */
  readonly filters: readonly string[];
  readonly settings: VerificationSettings;
  readonly compilersFolder: string;
}

const CHAIN_ID = '298';

const matches: Readonly<Record<string, Match>> = {
  exact_match: 'perfect',
  match: 'partial',
  perfect: 'perfect',
  partial: 'partial',
};

const expectedMatch = (name: string | null | undefined): Match => matches[name ?? ''] ?? null;

/** Codes with which a case may end whose compiler is not to be had. */
const withoutCompiler = new Set(['unsupported_compiler_version', 'compiler_unreachable']);

const bytesOf = (hex: string | null): Buffer | null => (hex ? Buffer.from(hex.replace(/^0x/, ''), 'hex') : null);

const addressOf = ({ id, address }: Case): Buffer =>
  bytesOf(address ?? null) ?? Buffer.from(keccak256(Buffer.from(id)).subarray(12));

/** The rows that the importer writes for a contract created by a ContractCreate with a sidecar. */
const insertContract = async (database: Database, one: Case, number: number): Promise<void> => {
  const id = 1_000 + number;
  const created = `${1_700_000_000 + number}000000000`;
  const range = `[${created},)`;
  await database.query(
    `insert into entity (id, num, realm, shard, type, created_timestamp, timestamp_range, evm_address)
     values ($1, $1, 0, 0, 'CONTRACT', $2, $3, $4)`,
    [id, created, range, addressOf(one)],
  );
  await database.query('insert into contract (id, initcode, runtime_bytecode) values ($1, $2, $3)', [
    id,
    bytesOf(one.onchain.creationBytecode),
    bytesOf(one.onchain.runtimeBytecode),
  ]);
  await database.query(
    `insert into transaction (consensus_timestamp, type, result, payer_account_id, valid_start_ns, entity_id, transaction_hash)
     values ($1, 8, 22, 2, $1, $2, $3)`,
    [created, id, Buffer.alloc(48, number + 1)],
  );
};

const targetOf = (folder: string, one: Case): CompilationTarget => {
  const input = JSON.parse(readFileSync(join(folder, 'stdJsonInput.json'), 'utf8')) as CompilationTarget['input'];
  const at = one.contractIdentifier.lastIndexOf(':');
  const [path, name] = [one.contractIdentifier.slice(0, at), one.contractIdentifier.slice(at + 1)];
  return { compilerVersion: one.compilerVersion, input: { ...input, language: one.language }, path, name };
};

const uploadsOf = (folder: string): readonly UploadedFile[] =>
  [
    'metadata.json',
    ...readdirSync(join(folder, 'sources'), { recursive: true, encoding: 'utf8' }).map((path) => join('sources', path)),
  ]
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => ({ path, content: readFileSync(join(folder, path)) }));

const verifyCase = async (
  verifier: Verifier,
  folder: string,
  one: Case,
  extra: readonly UploadedFile[],
): Promise<VerificationResult> => {
  const contract = { chainId: CHAIN_ID, address: `0x${addressOf(one).toString('hex')}` };
  if (one.kind === 'stdjson') return verifier.verify({ ...contract, target: targetOf(folder, one) });
  const { contracts } = await verifier.inspect(uploadsOf(folder));
  const [target] = contracts;
  if (target === undefined) throw new Error('The uploads describe no contract');
  return verifier.verify({ ...contract, target, furtherSources: extra });
};

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

/** Why the result is not what was expected; undefined when it is. */
const differenceOf = (result: VerificationResult, expected: Expectation): string | undefined => {
  const told = result.failure === undefined ? '' : ` (${result.failure.code}: ${result.failure.message.slice(0, 200)})`;
  if (expected.error !== undefined)
    return result.failure?.code === expected.error ? undefined : `no ${expected.error}${told}`;
  for (const side of ['runtime', 'creation'] as const) {
    const wanted = expectedMatch(expected[`${side}Match`]);
    const found = result[`${side}Match`];
    if (found !== wanted) return `${side} is ${found}, not ${wanted}${told}`;
    const transformations = result.details?.transformations[side];
    const [list, values] = [expected[`${side}Transformations`], expected[`${side}Values`]];
    if (wanted === null || list === undefined || list === null) continue;
    if (sorted(transformations?.list) !== sorted(list))
      return `${side} transformations are ${sorted(transformations?.list)}`;
    if (sorted(transformations?.values) !== sorted(values))
      return `${side} values are ${sorted(transformations?.values)}`;
  }
  return undefined;
};

const runCase = async (verifier: Verifier, folder: string, one: Case): Promise<'passed' | 'no compiler' | string> => {
  const result = await verifyCase(verifier, folder, one, []);
  if (withoutCompiler.has(result.failure?.code ?? '')) return 'no compiler';
  const difference = differenceOf(result, one.expect);
  if (difference !== undefined || one.expect.withExtraSources === undefined) return difference ?? 'passed';
  const extra = Object.entries(one.extraSources ?? {}).map(([path, text]) => ({ path, content: Buffer.from(text) }));
  return differenceOf(await verifyCase(verifier, folder, one, extra), one.expect.withExtraSources) ?? 'passed';
};

export interface VerificationConformance {
  readonly failed: number;
  /** Groups of which no case had its compiler; where the filters select nothing, the filters. */
  readonly silent: readonly string[];
}

/** Cases are grouped by the first word of their names. */
const groupOf = (name: string): string => name.split('-', 1)[0] ?? name;

/** Runs the cases that the filters select. */
export const runVerificationCases = async (
  options: VerificationConformanceOptions,
): Promise<VerificationConformance> => {
  const { database, folder, filters, settings, compilersFolder } = options;
  const network = { chainId: CHAIN_ID, name: 'conformance', shard: 0n, realm: 0n };
  const verifier = openVerifier({ database, network, settings, compilersFolder });
  const counts = new Map<string, number>();
  const ran = new Set<string>();
  const names = readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'case.json')))
    .filter((name) => filters.length === 0 || filters.some((filter) => name.includes(filter)));
  try {
    for (const [number, name] of names.entries()) {
      const one = JSON.parse(readFileSync(join(folder, name, 'case.json'), 'utf8')) as Case;
      await insertContract(database, one, number);
      const started = performance.now();
      const outcome = await runCase(verifier, join(folder, name), one);
      const kind = outcome === 'passed' || outcome === 'no compiler' ? outcome : 'failed';
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      if (kind !== 'no compiler') ran.add(groupOf(name));
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${kind.padEnd(12)} ${name} (${seconds} s)${kind === 'failed' ? `: ${outcome}` : ''}`);
    }
  } finally {
    await verifier.close();
  }
  console.log([...counts].map(([kind, count]) => `${kind}: ${count}`).join(', '));
  const groups =
    names.length > 0 ? new Set(names.map(groupOf)) : new Set(filters.length > 0 ? filters : ['verification']);
  return { failed: counts.get('failed') ?? 0, silent: [...groups].filter((group) => !ran.has(group)) };
};
