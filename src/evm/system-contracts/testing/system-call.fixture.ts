/** Calls of system contracts as the engine makes them, without an engine. */
import { type AbiFunction, encodeFunctionData, type Hex, parseAbiItem } from 'viem';
import type { AddressHex } from '../../state/records.ts';
import { type MemoryState, memoryReader } from '../../state/testing/memory-reader.fixture.ts';
import { World } from '../../state/world.ts';
import type { ChildRecord, RunContext, SystemCall, SystemContract, SystemResult } from '../system-contract.ts';

export const ENOUGH_GAS = 10_000_000n;

/** Long-zero address of a number, without prefix. */
export const longZero = (num: bigint): AddressHex => num.toString(16).padStart(40, '0');

export interface RecordedRun extends RunContext {
  readonly records: readonly ChildRecord[];
}

/** A run of account 0.0.1001 in block 42. */
export const recordedRun = (state: MemoryState = {}, changes: Partial<RunContext> = {}): RecordedRun => {
  const records: ChildRecord[] = [];
  return {
    world: new World(memoryReader(state), { shard: 0n, realm: 0n }),
    block: { number: 42n, timestamp: 1_700_000_000n, hash: new Uint8Array(48).map((_, i) => i + 1) },
    network: { chainId: 298n, ledgerId: '0x03' },
    now: 1_700_000_000_000_000_000n,
    exchangeRate: { hbarEquiv: 1n, centEquiv: 12n },
    gasPriceMilliTinycents: 852_000n,
    payerId: 1001n,
    children: { add: (record) => void records.push(record) },
    records,
    ...changes,
  };
};

const bytesOf = (hex: Hex): Uint8Array => new Uint8Array(Buffer.from(hex.slice(2), 'hex'));

/** Encodes a call by its signature, as a client library does. */
export const inputOf = (signature: string, ...args: readonly unknown[]): Uint8Array => {
  const item: AbiFunction = parseAbiItem(`function ${signature}` as 'function f()');
  return bytesOf(encodeFunctionData({ abi: [item], args }));
};

/** What a facade makes of a call: selector of the wrapper, target, input. */
export const packedRedirect = (wrapper: string, target: AddressHex, input: Uint8Array): Uint8Array =>
  new Uint8Array(Buffer.from(`${wrapper}${target}${Buffer.from(input).toString('hex')}`, 'hex'));

export const systemCall = (input: Uint8Array, changes: Partial<SystemCall> = {}): SystemCall => ({
  input,
  sender: longZero(1001n),
  recipient: longZero(0x167n),
  value: 0n,
  gas: ENOUGH_GAS,
  isStatic: false,
  isDelegate: false,
  ...changes,
});

/** An address as client libraries want it. */
export const address0x = (address: AddressHex): Hex => `0x${address}`;

export const outputHex = (result: SystemResult): Hex => {
  if (result.outcome === 'halt') throw new Error(`Halted with ${result.reason}`);
  return `0x${Buffer.from(result.output).toString('hex')}`;
};

/** Output as text, for reverts that name a status. */
export const outputText = (result: SystemResult): string => Buffer.from(outputHex(result).slice(2), 'hex').toString();

/** Calls through a token's, account's or schedule's facade. */
export const callFacade = (
  contract: SystemContract,
  run: RunContext,
  wrapper: string,
  target: AddressHex,
  input: Uint8Array,
  changes: Partial<SystemCall> = {},
): Promise<SystemResult> =>
  contract.call(
    systemCall(packedRedirect(wrapper, target, input), { recipient: target, isDelegate: true, ...changes }),
    run,
  );
