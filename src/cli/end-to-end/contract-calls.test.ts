/** Simulated contract calls as clients send them: the JSON-RPC relay, and the SDK. */
import {
  AccountId,
  Client,
  ContractFunctionParameters,
  ContractId,
  Long,
  MirrorNodeContractCallQuery,
  MirrorNodeContractEstimateQuery,
} from '@hiero-ledger/sdk';
import { decodeAbiParameters, encodeFunctionData, type Hex, parseAbi, parseAbiParameters } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INCREMENT_CALL, RUNTIME_CODE } from '../../simulator/solidity/counter-contract.ts';
import { isFree } from './testing/free-port.fixture.ts';
import { type ServedLedger, serveSimulatedLedger } from './testing/served-ledger.fixture.ts';

/** Where the SDK sends calls when the mirror node is on this machine. */
const SDK_PORT = 8545;
const sdkPortIsFree = await isFree(SDK_PORT);

let served: ServedLedger;
/** A contract that on any call adds one to a number and answers it: the one called most often. */
let counter: { readonly id: string; readonly count: bigint };
/** Somebody who is no contract. */
let sender: { readonly id: string; readonly address: Hex };

const rows = <R extends Record<string, unknown>>(sql: string) => served.target.database.query<R>(sql);
const one = async <R extends Record<string, unknown>>(sql: string): Promise<R> => {
  const [row] = await rows<R>(sql);
  if (row === undefined) throw new Error(`no row: ${sql}`);
  return row;
};

const longZero = (id: string): Hex => `0x${BigInt(id).toString(16).padStart(40, '0')}`;
const hex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;
const increment = hex(INCREMENT_CALL);

const post = async (body: Readonly<Record<string, unknown>>) => {
  const response = await fetch(`${served.origin}/api/v1/contracts/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { readonly result: Hex } };
};

/** Until a thread has loaded what it executes with, which on a busy machine may take longer than a call may. */
const awaitThread = async (): Promise<void> => {
  for (let tries = 0; tries < 8; tries++) {
    if ((await post({ data: increment, to: longZero(counter.id) })).status === 200) return;
  }
  throw new Error('No call is answered');
};

beforeAll(async () => {
  served = await serveSimulatedLedger(
    {
      seed: 'contract calls',
      transactions: 500,
      tps: 50,
      nodes: 3,
      users: 20,
      mix: 'accountcreate=10,contractcreate=5,contractcall=65,tokencreate=10,transfer=10',
    },
    sdkPortIsFree ? { port: SDK_PORT } : {},
  );
  const found = await one<{ id: string; count: string }>(`
    select s.contract_id as id, ('x' || lpad(right(encode(s.value, 'hex'), 15), 15, '0'))::bit(60)::bigint as count
    from contract_state s join contract c on c.id = s.contract_id
    where c.runtime_bytecode = '${hex(RUNTIME_CODE).replace('0x', '\\x')}'
    order by count desc limit 1`);
  counter = { id: found.id, count: BigInt(found.count) };
  const account = await one<{ id: string; alias: string | null }>(`
    select id, encode(evm_address, 'hex') as alias from entity
    where type = 'ACCOUNT' and num > 1000 and deleted is not true order by id limit 1`);
  sender = { id: account.id, address: account.alias === null ? longZero(account.id) : `0x${account.alias}` };
  await awaitThread();
}, 150_000);
afterAll(() => served?.stop());

describe('the relay', () => {
  /** eth_call, with the members that the relay fills in. */
  const ethCall = (to: Hex | null, data: Hex, block = 'latest') =>
    post({ block, data, estimate: false, from: sender.address, gas: 400_000, to, value: 0 });

  it('calls a contract on the newest state, which stays as it is', async () => {
    const next = { status: 200, body: { result: `0x${(counter.count + 1n).toString(16).padStart(64, '0')}` } };
    expect(counter.count).toBeGreaterThan(3n);
    expect(await ethCall(longZero(counter.id), increment)).toEqual(next);
    expect(await ethCall(longZero(counter.id), increment)).toEqual(next);
  });

  it('calls it on the state of a block, by number and by hash', async () => {
    const written = await rows<{ index: string; hash: string; count: string }>(`
      select r.index, r.hash, ('x' || lpad(right(encode(s.value_written, 'hex'), 15), 15, '0'))::bit(60)::bigint as count
      from contract_state_change s
      join record_file r on s.consensus_timestamp between r.consensus_start and r.consensus_end
      where s.contract_id = ${counter.id} and s.value_written is not null
        and s.consensus_timestamp = (select max(consensus_timestamp) from contract_state_change
          where contract_id = s.contract_id and consensus_timestamp <= r.consensus_end)
      order by r.index`);
    const early = written[0];
    if (early === undefined || written.length < 2) throw new Error('The counter was called in one block only');
    expect(BigInt(early.count)).toBeLessThan(counter.count);
    const result = `0x${(BigInt(early.count) + 1n).toString(16).padStart(64, '0')}`;
    const number = `0x${BigInt(early.index).toString(16)}`;
    expect(await ethCall(longZero(counter.id), increment, number)).toEqual({ status: 200, body: { result } });
    const hash = `0x${early.hash.replace('0x', '').slice(0, 64)}`;
    expect(await ethCall(longZero(counter.id), increment, hash)).toEqual({ status: 200, body: { result } });
  });

  it('asks a token and the token service', async () => {
    const token = await one<{ id: string; name: string }>('select token_id as id, name from token limit 1');
    const name = encodeFunctionData({ abi: parseAbi(['function name()']) });
    const asked = await ethCall(longZero(token.id), name);
    expect(decodeAbiParameters(parseAbiParameters('string'), asked.body.result)).toEqual([token.name]);
    const abi = parseAbi(['function isToken(address)']);
    const isToken = await ethCall(longZero('359'), encodeFunctionData({ abi, args: [longZero(token.id)] }));
    expect(decodeAbiParameters(parseAbiParameters('int64, bool'), isToken.body.result)).toEqual([22n, true]);
  });

  it('reads why a call failed', async () => {
    // Code that reverts at once.
    expect(await ethCall(null, '0x60006000fd')).toEqual({
      status: 400,
      body: { _status: { messages: [{ message: 'CONTRACT_REVERT_EXECUTED', detail: '', data: '0x' }] } },
    });
  });

  it('estimates gas that is enough and not much too much', async () => {
    const { gas } = await one<{ gas: string }>(`
      select gas_consumed as gas from contract_result
      where contract_id = ${counter.id} and transaction_result = 22 and function_parameters = '${increment.replace('0x', '\\x')}'
        and gas_consumed is not null order by consensus_timestamp desc limit 1`);
    const request = { data: increment, from: sender.address, to: longZero(counter.id), block: 'latest' };
    const estimate = await post({ ...request, estimate: true });
    expect(estimate.body.result).toMatch(/^0x[0-9a-f]{16}$/);
    const estimated = BigInt(estimate.body.result);
    expect(estimated).toBeGreaterThanOrEqual(BigInt(gas));
    expect(estimated).toBeLessThanOrEqual((BigInt(gas) * 6n) / 5n);
    expect((await post({ ...request, estimate: false, gas: Number(estimated) })).status).toBe(200);
  });
});

describe.skipIf(!sdkPortIsFree)(`the SDK${sdkPortIsFree ? '' : ` (skipped: port ${SDK_PORT} is taken)`}`, () => {
  let client: Client;
  beforeAll(() => {
    client = Client.forNetwork({ '127.0.0.1:50211': '0.0.3' }, { scheduleNetworkUpdate: false });
    client.setMirrorNetwork(['127.0.0.1:5551']);
  });
  afterAll(() => client?.close());

  it('calls a contract', async () => {
    const query = new MirrorNodeContractCallQuery()
      .setContractId(ContractId.fromString(`0.0.${counter.id}`))
      .setSender(AccountId.fromString(`0.0.${sender.id}`))
      .setSenderEvmAddress(sender.address)
      .setFunction('increment', new ContractFunctionParameters())
      // Numbers travel as strings, and a block number under a name that counts for nothing.
      .setGasLimit(Long.fromNumber(200_000))
      .setValue(Long.ZERO)
      .setBlockNumber(Long.ONE);
    expect(BigInt(await query.execute(client))).toBe(counter.count + 1n);
  });

  it('estimates the gas of a call', async () => {
    const query = new MirrorNodeContractEstimateQuery()
      .setContractId(ContractId.fromString(`0.0.${counter.id}`))
      .setFunction('increment', new ContractFunctionParameters());
    const gas = await query.execute(client);
    expect(gas).toBeGreaterThan(21_000);
    expect(gas).toBeLessThan(60_000);
  });

  it('fails where the call fails', async () => {
    const query = new MirrorNodeContractCallQuery()
      .setContractId(ContractId.fromString(`0.0.${counter.id}`))
      .setFunction('increment', new ContractFunctionParameters())
      .setGasLimit(Long.fromNumber(21_500));
    await expect(query.execute(client)).rejects.toThrow('HTTP error! status: 400');
  });
});
