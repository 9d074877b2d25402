import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, type EVM } from '@ethereumjs/evm';
import { Account, Address } from '@ethereumjs/util';
import { createExecute } from '../../src/evm/engine/execute.ts';
import { intrinsicGas } from '../../src/evm/engine/intrinsic-gas.ts';
import { environmentOf } from '../../src/evm/engine/testing/engine.fixture.ts';
import { hexToBytes } from '../../src/evm/engine/words.ts';
import { entityRecord, memoryReader } from '../../src/evm/state/testing/memory-reader.fixture.ts';
import { World } from '../../src/evm/state/world.ts';
import type { CompiledContract } from './compile.ts';
import type { Load } from './loads.ts';

export interface Measured {
  readonly gasUsed: bigint;
  readonly output: string;
}

/** One engine with the contracts in its state. */
export interface Engine {
  /** On what the runs before have made warm: compiled code, caches. */
  warm(load: Load): Promise<Measured>;
  /** The engine is the same each time, but of the state nothing has been read. */
  cold(load: Load): Promise<Measured>;
}

/** Account that deploys and calls. */
export const SENDER = 'a1'.repeat(20);
export const addresses: Readonly<Record<string, string>> = { Loads: 'c0'.repeat(20), Token: 'c1'.repeat(20) };

export interface Deployed {
  readonly name: string;
  readonly code: Uint8Array;
  readonly slots: readonly (readonly [slot: string, value: string])[];
}

const network = { shard: 0n, realm: 0n };
const sender = entityRecord(3_000n, { evmAddress: SENDER, balance: 1_000_000_000n });

const freshExecute = () => createExecute({ systemContracts: new Map(), feeSelectors: new Set() });

/** Code and storage of the contracts after their constructors ran. */
export const deploy = async (contracts: Readonly<Record<string, CompiledContract>>): Promise<readonly Deployed[]> => {
  const execute = await freshExecute();
  const deployed: Deployed[] = [];
  for (const [name, { initCode }] of Object.entries(contracts)) {
    const world = new World(memoryReader({ entities: [sender] }), network);
    const { createdId } = await execute(
      { from: SENDER, to: undefined, value: 0n, gas: 5_000_000n, data: initCode },
      environmentOf(world),
    );
    const code = createdId === undefined ? undefined : await world.code(createdId);
    if (code === undefined) throw new Error(`${name} could not be deployed`);
    deployed.push({ name, code, slots: [...world.changedSlots()].map(([, slot, value]) => [slot, value] as const) });
  }
  return deployed;
};

const ourReader = (deployed: readonly Deployed[]) =>
  memoryReader({
    entities: [
      sender,
      ...deployed.map(({ name }, index) =>
        entityRecord(2_000n + BigInt(index), { type: 'CONTRACT', nonce: 1n, evmAddress: addresses[name] }),
      ),
    ],
    codes: deployed.map(({ code }, index) => [2_000n + BigInt(index), code.slice()] as const),
    slots: deployed.flatMap(({ slots }, index) =>
      slots.map(([slot, value]) => [2_000n + BigInt(index), slot, value] as const),
    ),
  });

const createOurs = async (deployed: readonly Deployed[]): Promise<Engine> => {
  const execute = await freshExecute();
  const warmReader = ourReader(deployed);
  const run = async (reader: typeof warmReader, { contract, input, gas }: Load): Promise<Measured> => {
    const outcome = await execute(
      { from: SENDER, to: addresses[contract], value: 0n, gas, data: input },
      environmentOf(new World(reader, network)),
    );
    if (outcome.status !== 'SUCCESS') throw new Error(`${contract}: ${outcome.status}`);
    return { gasUsed: outcome.gasUsed, output: Buffer.from(outcome.output).toString('hex') };
  };
  return { warm: (load) => run(warmReader, load), cold: (load) => run(ourReader(deployed), load) };
};

const fillStock = async (evm: EVM, deployed: readonly Deployed[]): Promise<void> => {
  const { stateManager } = evm;
  await stateManager.putAccount(new Address(hexToBytes(SENDER)), new Account(0n, sender.balance));
  for (const { name, code, slots } of deployed) {
    const address = new Address(hexToBytes(addresses[name] ?? ''));
    await stateManager.putAccount(address, new Account(1n, 0n));
    await stateManager.putCode(address, code);
    for (const [slot, value] of slots) await stateManager.putStorage(address, hexToBytes(slot), hexToBytes(value));
  }
};

/** The journal holds on to the manager of the state, so that its content is replaced and not the manager. */
const emptyStock = ({ stateManager }: EVM): void => {
  Object.assign(stateManager, Reflect.construct(stateManager.constructor, []));
};

const createStock = async (deployed: readonly Deployed[]): Promise<Engine> => {
  const build = async (): Promise<EVM> => {
    const evm = await createEVM({ common: new Common({ chain: Mainnet, hardfork: Hardfork.Cancun }) });
    await fillStock(evm, deployed);
    return evm;
  };
  const run = async (evm: EVM, { contract, input, gas }: Load): Promise<Measured> => {
    const { journal } = evm;
    const target = addresses[contract] ?? '';
    journal.addAlwaysWarmAddress(SENDER);
    journal.addAlwaysWarmAddress(target);
    const limit = BigInt(Number(gas) - intrinsicGas(input, false));
    await journal.checkpoint();
    const caller = new Address(hexToBytes(SENDER));
    const { execResult } = await evm.runCall({
      caller,
      origin: caller,
      to: new Address(hexToBytes(target)),
      data: input,
      gasLimit: limit,
      skipNonceIncrement: true,
    });
    await journal.revert();
    await journal.cleanJournal();
    evm.stateManager.originalStorageCache.clear();
    if (execResult.exceptionError !== undefined) throw new Error(`${contract}: ${execResult.exceptionError.error}`);
    const spent = gas - limit + execResult.executionGasUsed;
    const refund = execResult.gasRefund ?? 0n;
    return {
      gasUsed: spent - (refund < spent / 5n ? refund : spent / 5n),
      output: Buffer.from(execResult.returnValue).toString('hex'),
    };
  };
  const [kept, refilled] = [await build(), await build()];
  return {
    warm: (load) => run(kept, load),
    cold: async (load) => {
      emptyStock(refilled);
      await fillStock(refilled, deployed);
      return run(refilled, load);
    },
  };
};

export const createEngines = async (
  contracts: Readonly<Record<string, CompiledContract>>,
): Promise<{ readonly ours: Engine; readonly stock: Engine }> => {
  const deployed = await deploy(contracts);
  return { ours: await createOurs(deployed), stock: await createStock(deployed) };
};
