/** Runs a random program on our engine and on the stock one, and writes down what can be compared. */
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM } from '@ethereumjs/evm';
import { Account, Address } from '@ethereumjs/util';
import { entityRecord, memoryReader } from '../../state/testing/memory-reader.fixture.ts';
import { World } from '../../state/world.ts';
import { intrinsicGas } from '../intrinsic-gas.ts';
import type { Execute } from '../run.ts';
import { bytesToHex, hexToBytes, hexToWord, wordToBytes, wordToHex } from '../words.ts';
import { programAddresses, type RandomProgram } from './random-program.fixture.ts';

/** What a run did, as text that two engines agree on or not. */
export interface ProgramReport {
  readonly outcome: 'success' | 'revert' | 'halt' | 'too many creations';
  readonly output: string;
  readonly gasUsed: bigint;
  readonly logs: readonly string[];
  /** Slots 0 to 3 of each contract. */
  readonly slots: readonly string[];
  readonly balances: readonly bigint[];
  readonly nonces: readonly bigint[];
}

const SENDER = 'a1'.repeat(20);
const BALANCE = 1_000_000_000n;
const BLOCK_HASH = new Uint8Array(48).fill(7);
const BLOCK_NUMBER = 1_000n;
const TIMESTAMP = 1_700_000_000n;
const GAS_PRICE = 71n;

const logText = (address: string, topics: readonly Uint8Array[], data: Uint8Array): string =>
  [address, ...topics.map(bytesToHex), bytesToHex(data)].join(' ');

const withCode = programAddresses.slice(0, 3);
const existing = programAddresses.slice(0, 4);

export const runOurs = async (execute: Execute, program: RandomProgram): Promise<ProgramReport> => {
  const { codes, slots, input, value, gas } = program;
  const entities = existing.map((evmAddress, index) =>
    entityRecord(2_000n + BigInt(index), {
      type: index < 3 ? 'CONTRACT' : 'ACCOUNT',
      evmAddress,
      balance: BALANCE,
      nonce: 1n,
    }),
  );
  const world = new World(
    memoryReader({
      entities: [...entities, entityRecord(3_000n, { evmAddress: SENDER, balance: BALANCE })],
      codes: codes.map((code, index) => [2_000n + BigInt(index), code] as const),
      slots: slots.flatMap((values, index) =>
        values.map((stored, key) => [2_000n + BigInt(index), wordToHex(BigInt(key)), wordToHex(stored)] as const),
      ),
    }),
    { shard: 0n, realm: 0n },
  );
  const { status, output, gasUsed, logs } = await execute(
    { from: SENDER, to: programAddresses[0], value, gas, data: input },
    {
      world,
      block: { number: BLOCK_NUMBER, timestamp: TIMESTAMP, hash: BLOCK_HASH },
      network: { chainId: 1n, ledgerId: '0x03' },
      version: '0.67',
      exchangeRate: { hbarEquiv: 1n, centEquiv: 12n },
      gasPriceMilliTinycents: 852_000n,
      now: 0n,
      blockHash: async () => new Uint8Array(32),
      minimumAccountBalance: 0n,
    },
  );
  const ids = entities.map(({ id }) => id);
  const stored: string[] = [];
  for (const id of ids.slice(0, 3)) {
    for (let key = 0n; key < 4n; key += 1n) stored.push(await world.slot(id, wordToHex(key)));
  }
  const after = await Promise.all(ids.map((id) => world.entity(id)));
  const ends = {
    SUCCESS: 'success',
    CONTRACT_REVERT_EXECUTED: 'revert',
    MAX_CHILD_RECORDS_EXCEEDED: 'too many creations',
  };
  return {
    outcome: (ends as Record<string, ProgramReport['outcome']>)[status] ?? 'halt',
    output: bytesToHex(output),
    gasUsed,
    logs: logs.map(({ address, topics, data }) => logText(address, topics, data)),
    slots: stored,
    balances: after.map((entity) => entity?.balance ?? 0n),
    nonces: after.map((entity) => entity?.nonce ?? 0n),
  };
};

export const createStockCommon = (): Common => new Common({ chain: Mainnet, hardfork: Hardfork.Cancun });

export const runStock = async (common: Common, program: RandomProgram): Promise<ProgramReport> => {
  const { codes, slots, input, value, gas } = program;
  // Every EVM listens to its rules for good.
  common.events.removeAllListeners('hardforkChanged');
  const evm = await createEVM({ common, allowUnlimitedInitCodeSize: true });
  const { stateManager, journal } = evm;
  const addresses = existing.map((address) => new Address(hexToBytes(address)));
  const sender = new Address(hexToBytes(SENDER));
  await stateManager.putAccount(sender, new Account(0n, BALANCE));
  for (const [index, address] of addresses.entries()) {
    await stateManager.putAccount(address, new Account(1n, BALANCE));
    if (index >= withCode.length) continue;
    await stateManager.putCode(address, codes[index] as Uint8Array);
    for (const [key, stored] of (slots[index] as readonly bigint[]).entries()) {
      if (stored !== 0n) await stateManager.putStorage(address, wordToBytes(BigInt(key)), wordToBytes(stored));
    }
  }
  for (let n = 1; n <= 10; n += 1) journal.addAlwaysWarmAddress(n.toString(16).padStart(40, '0'));
  journal.addAlwaysWarmAddress(SENDER);
  journal.addAlwaysWarmAddress(existing[0] as string);
  const limit = BigInt(Number(gas) - intrinsicGas(input, false));
  const { execResult } = await evm.runCall({
    caller: sender,
    origin: sender,
    to: addresses[0] as Address,
    value,
    data: input,
    gasLimit: limit,
    gasPrice: GAS_PRICE,
    skipNonceIncrement: true,
    block: {
      header: {
        number: BLOCK_NUMBER,
        coinbase: new Address(hexToBytes('62'.padStart(40, '0'))),
        timestamp: TIMESTAMP,
        difficulty: 0n,
        prevRandao: BLOCK_HASH.subarray(0, 32),
        gasLimit: gas,
        baseFeePerGas: 0n,
        slotNumber: 0n,
        getBlobGasPrice: () => 1n,
      },
    },
  });
  const stored: string[] = [];
  for (const address of addresses.slice(0, 3)) {
    for (let key = 0n; key < 4n; key += 1n) {
      const bytes = await stateManager.getStorage(address, wordToBytes(key));
      stored.push(wordToHex(bytes.length === 0 ? 0n : hexToWord(bytesToHex(bytes))));
    }
  }
  const after = await Promise.all(addresses.map((address) => stateManager.getAccount(address)));
  const error = execResult.exceptionError?.error;
  const spent = gas - limit + execResult.executionGasUsed;
  const refund = execResult.gasRefund ?? 0n;
  const failed = error === undefined ? 'success' : 'halt';
  return {
    outcome: error === 'revert' ? 'revert' : failed,
    output: bytesToHex(failed === 'halt' && error !== 'revert' ? new Uint8Array() : execResult.returnValue),
    gasUsed: spent - (refund < spent / 5n ? refund : spent / 5n),
    logs: (execResult.logs ?? []).map(([address, topics, data]) => logText(bytesToHex(address), topics, data)),
    slots: stored,
    balances: after.map((account) => account?.balance ?? 0n),
    nonces: after.map((account) => account?.nonce ?? 0n),
  };
};
