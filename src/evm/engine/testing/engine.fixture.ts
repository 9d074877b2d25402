/** A ledger of a few entities to run bytecode on. */
import type { EntityRecord } from '../../state/records.ts';
import { entityRecord, type MemoryState, memoryReader } from '../../state/testing/memory-reader.fixture.ts';
import { longZeroHex, World } from '../../state/world.ts';
import type { RunContext, SystemCall, SystemContract, SystemResult } from '../../system-contracts/system-contract.ts';
import { createExecute } from '../execute.ts';
import { NAMES } from '../interpreter/opcodes.ts';
import type { RunEnvironment, RunOutcome, RunTransaction } from '../run.ts';
import { bytesToHex } from '../words.ts';

const codeOf = new Map(
  NAMES.flatMap((name, code) => (name === undefined ? [] : [[name.replace('ħ', ''), code] as const])),
);

const push = (digits: string): number[] => {
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return [0x5f + bytes.length, ...bytes];
};

/** Bytecode from instructions, where numbers and `0x` words are pushed: `5 7 ADD 0 MSTORE 32 0 RETURN`. */
export const assemble = (text: string): Uint8Array =>
  Uint8Array.from(
    text
      .trim()
      .split(/\s+/)
      .flatMap((token) => {
        if (token.startsWith('0x')) return push(token.slice(2));
        if (/^\d+$/.test(token)) return push(BigInt(token).toString(16));
        const code = codeOf.get(token);
        if (code === undefined) throw new Error(`${token} is no instruction`);
        return [code];
      }),
  );

/** Code that returns what the instructions leave on top of the stack. */
export const returning = (text: string): Uint8Array => assemble(`${text} 0 MSTORE 32 0 RETURN`);

/** Init code that deploys this code. */
export const initCodeOf = (code: Uint8Array): Uint8Array =>
  Uint8Array.from([...assemble(`0x${code.length.toString(16).padStart(4, '0')} DUP1 12 0 CODECOPY 0 RETURN`), ...code]);

/** `0x` and 40 digits, as assemble takes it. */
export const addressWord = (id: bigint): string => `0x${longZeroHex(id)}`;

export const SENDER_ID = 2_001n;
export const CONTRACT_ID = 2_002n;
export const BLOCK_HASH = Uint8Array.from({ length: 48 }, (_, index) => index + 1);

export const environmentOf = (world: World, changes: Partial<RunEnvironment> = {}): RunEnvironment => ({
  world,
  block: { number: 500n, timestamp: 1_700_000_000n, hash: BLOCK_HASH },
  network: { chainId: 296n, ledgerId: '0x01' },
  version: '0.67',
  exchangeRate: { hbarEquiv: 1n, centEquiv: 12n },
  gasPriceMilliTinycents: 852_000n,
  now: 1_750_000_000_000_000_000n,
  blockHash: async () => undefined,
  minimumAccountBalance: 100_000_000_000_000_000n,
  ...changes,
});

export const worldOf = (state: MemoryState): World => new World(memoryReader(state), { shard: 0n, realm: 0n });

export const contractRecord = (id: bigint, changes: Partial<EntityRecord> = {}): EntityRecord =>
  entityRecord(id, { type: 'CONTRACT', nonce: 1n, ...changes });

/** The sender, the contract 0.0.2002 with this code and 70 tinybars, and what a test adds. */
export const ledgerOf = (
  code: Uint8Array,
  { sender, entities = [], codes = [], ...state }: MemoryState & { readonly sender?: Partial<EntityRecord> } = {},
): World =>
  worldOf({
    ...state,
    entities: [entityRecord(SENDER_ID, sender), contractRecord(CONTRACT_ID, { balance: 70n }), ...entities],
    codes: [[CONTRACT_ID, code], ...codes],
  });

/** A system contract that notes its calls and answers as told. */
export const scriptedContract = (
  number: bigint,
  answer: (call: SystemCall, run: RunContext) => SystemResult,
): SystemContract & { readonly calls: SystemCall[] } => {
  const calls: SystemCall[] = [];
  return {
    number,
    calls,
    call: async (call, run) => {
      calls.push(call);
      return answer(call, run);
    },
  };
};

const table = (contracts: readonly SystemContract[]): ReadonlyMap<string, SystemContract> =>
  new Map(contracts.map((contract) => [longZeroHex(contract.number), contract]));

const TOKEN_CREATE_SELECTOR = 0xea83f293;

const executeWith = (contracts: readonly SystemContract[]) =>
  createExecute({ systemContracts: table(contracts), feeSelectors: new Set([TOKEN_CREATE_SELECTOR]) });

/** Shared by runs that bring no system contracts of their own: loading WebAssembly takes a while. */
const withoutSystemContracts = executeWith([]);

export interface RunOptions {
  readonly transaction?: Partial<RunTransaction>;
  readonly environment?: Partial<RunEnvironment>;
  readonly systemContracts?: readonly SystemContract[];
}

/** Runs a call of the contract 0.0.2002 by 0.0.2001, or what the options make of it. */
export const run = async (world: World, options: RunOptions = {}): Promise<RunOutcome> => {
  const { systemContracts } = options;
  const execute = await (systemContracts === undefined ? withoutSystemContracts : executeWith(systemContracts));
  return execute(
    {
      from: longZeroHex(SENDER_ID),
      to: longZeroHex(CONTRACT_ID),
      value: 0n,
      gas: 1_000_000n,
      data: new Uint8Array(),
      ...options.transaction,
    },
    environmentOf(world, options.environment),
  );
};

/** Output as a number. */
export const outputWord = ({ output }: RunOutcome): bigint => BigInt(`0x${bytesToHex(output) || '0'}`);
