/** Runs on a ledger in memory, by any route that leads to a system contract. */
import { type AbiFunction, decodeAbiParameters, encodeFunctionData, type Hex, toFunctionSignature } from 'viem';
import { createExecute } from '../engine/execute.ts';
import { intrinsicGas } from '../engine/intrinsic-gas.ts';
import type { RunEnvironment, RunOutcome, RunTransaction } from '../engine/run.ts';
import type { StateSource } from '../state/state-source.ts';
import { type MemoryState, memoryReader } from '../state/testing/memory-reader.fixture.ts';
import { World } from '../state/world.ts';
import { createSystemContracts, feeSelectors } from '../system-contracts/system-contracts.ts';
import { createSimulate } from '../workers/simulate.ts';
import { simulationSettingsOf } from '../workers/simulation-settings.ts';
import { web3SettingsWith } from '../workers/testing/web3-settings.fixture.ts';
import { type CompiledContract, contractNamed } from './solidity.fixture.ts';
import { ALICE, at, CALLER_ADDRESS, NOW, toHex } from './system-ledger.fixture.ts';

export const bytesOf = (hex: Hex): Uint8Array => new Uint8Array(Buffer.from(hex.slice(2), 'hex'));

/** The function with a canonical signature. */
export const functionOf = ({ abi }: CompiledContract, signature: string): AbiFunction => {
  const found = abi.find((item) => item.type === 'function' && toFunctionSignature(item) === signature);
  if (found?.type !== 'function') throw new Error(`The contract has no function ${signature}`);
  return found;
};

export const inputOf = (item: AbiFunction, args: readonly unknown[]): Hex => encodeFunctionData({ abi: [item], args });

const plain = (value: unknown): unknown => {
  if (typeof value === 'string') return /^0x[0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : value;
  // The numbers of narrow types would come as another type than those of wide ones.
  if (typeof value === 'number') return BigInt(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
};

/** Values with addresses in lower case and integers as bigint; structs as objects. */
export const outputsOf = (item: Pick<AbiFunction, 'outputs'>, output: Hex): readonly unknown[] =>
  output === '0x' ? [] : (plain(decodeAbiParameters(item.outputs, output)) as readonly unknown[]);

/**
 * How a frame ended: `success` and its values; `revert` and what it says, a number in one word or a name; `halt` when
 * there are no words at all.
 */
export type Ending = readonly unknown[];

const endingOf = (succeeded: boolean, output: Hex, item: Pick<AbiFunction, 'outputs'>): Ending => {
  if (succeeded) return ['success', ...outputsOf(item, output)];
  if (output === '0x') return ['halt'];
  return ['revert', output.length === 66 ? BigInt(output) : Buffer.from(output.slice(2), 'hex').toString()];
};

const NANOS = 1_000_000_000n;
const NETWORK = { chainId: 298n, ledgerId: '0x03' };
const RATE = { hbarEquiv: 1n, centEquiv: 12n };
const GAS_PRICE = 852_000n;
const BLOCK = 42n;
const blockHash = Uint8Array.from({ length: 48 }, (_, i) => i + 1);

/** A ledger that held this state at block 42, and holds nothing any more. */
const pastSource = (state: MemoryState): StateSource => {
  const block = { index: BLOCK, consensusStart: NOW * NANOS, consensusEnd: NOW * NANOS + 5n, hash: blockHash };
  return {
    block: async () => block,
    blockOf: async () => block,
    latest: () => memoryReader({}),
    at: (timestamp) => memoryReader(timestamp === block.consensusEnd ? state : {}),
    rates: async () => ({ exchangeRate: RATE, gasPriceMilliTinycents: GAS_PRICE }),
    onBlockCommitted: () => undefined,
  };
};

const settings = {
  ...simulationSettingsOf(web3SettingsWith().evm, { shard: 0n, realm: 0n }),
  network: NETWORK,
};

export const createRuns = async (contracts: ReadonlyMap<string, CompiledContract>) => {
  const execute = await createExecute({ systemContracts: createSystemContracts(), feeSelectors });
  const forwarder = contractNamed(contracts, 'Forwarder');

  /** Everything the run may be asked afterwards. */
  const run = async (
    state: MemoryState,
    transaction: Partial<RunTransaction>,
    environment: Partial<RunEnvironment> = {},
  ): Promise<RunOutcome & { readonly world: World }> => {
    const world = new World(memoryReader(state), { shard: 0n, realm: 0n });
    const outcome = await execute(
      {
        from: at(ALICE).slice(2),
        to: CALLER_ADDRESS.slice(2),
        value: 0n,
        gas: 15_000_000n,
        data: new Uint8Array(),
        ...transaction,
      },
      {
        world,
        block: { number: BLOCK, timestamp: NOW, hash: blockHash },
        network: NETWORK,
        version: '0.67',
        exchangeRate: RATE,
        gasPriceMilliTinycents: GAS_PRICE,
        now: NOW * NANOS,
        blockHash: async () => undefined,
        minimumAccountBalance: 100_000_000_000_000_000n,
        ...environment,
      },
    );
    return { ...outcome, world };
  };

  const forwarded = async (
    signature: string,
    state: MemoryState,
    args: readonly unknown[],
    item: Pick<AbiFunction, 'outputs'>,
  ) => {
    const entry = functionOf(forwarder, signature);
    const outcome = await run(state, { data: bytesOf(inputOf(entry, args)) });
    if (outcome.status !== 'SUCCESS') return { ending: ['run', outcome.status] as Ending, outcome };
    const [succeeded, output] = outputsOf(entry, toHex(outcome.output)) as [boolean, Hex];
    return { ending: endingOf(succeeded, output, item), outcome };
  };

  return {
    execute,
    run,
    /** By the contract, with CALL. */
    call: (
      state: MemoryState,
      target: Hex,
      gas: bigint,
      value: bigint,
      input: Hex,
      item: Pick<AbiFunction, 'outputs'>,
    ) => forwarded('forwardCall(address,uint256,uint256,bytes)', state, [target, gas, value, input], item),
    staticCall: (state: MemoryState, target: Hex, gas: bigint, input: Hex, item: Pick<AbiFunction, 'outputs'>) =>
      forwarded('forwardStaticCall(address,uint256,bytes)', state, [target, gas, input], item),
    delegateCall: (state: MemoryState, target: Hex, gas: bigint, input: Hex, item: Pick<AbiFunction, 'outputs'>) =>
      forwarded('forwardDelegateCall(address,uint256,bytes)', state, [target, gas, input], item),
    /** By the transaction itself, in the contract's name; with the gas that the system contract took. */
    direct: async (state: MemoryState, target: Hex, value: bigint, input: Hex, item: Pick<AbiFunction, 'outputs'>) => {
      const data = bytesOf(input);
      const outcome = await run(state, { from: CALLER_ADDRESS.slice(2), to: target.slice(2), value, data });
      const ending = endingOf(outcome.status === 'SUCCESS', toHex(outcome.output), item);
      return { ending, outcome, gas: outcome.gasUsed - BigInt(intrinsicGas(data, false)) };
    },
    /** Like that, at a past block; the newest one has nothing of the state. */
    past: async (
      state: MemoryState,
      target: Hex,
      value: bigint,
      input: Hex,
      item: Pick<AbiFunction, 'outputs'>,
    ): Promise<Ending> => {
      const simulate = createSimulate({ execute, source: pastSource(state), settings, clock: () => NOW * NANOS });
      const answer = await simulate(
        {
          block: { kind: 'number', number: BLOCK },
          data: bytesOf(input),
          from: CALLER_ADDRESS.slice(2),
          to: target.slice(2),
          gas: 15_000_000n,
          isGasGiven: true,
          gasPrice: 0n,
          value,
          estimate: false,
          stateOverrides: [],
        },
        { deadlineMs: performance.now() + 60_000 },
      );
      if (answer.kind === 'result') return endingOf(true, toHex(answer.output), item);
      return answer.kind === 'failure' ? endingOf(false, toHex(answer.output), item) : ['run', answer.kind];
    },
  };
};

export type Runs = Awaited<ReturnType<typeof createRuns>>;
