/** Ethereum transactions whose senders let a contract's code run in their name (EIP-7702), traced by their records. */

import { RLP } from '@ethereumjs/rlp';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import { evmAddressOfEcdsaKey } from '../ledger/evm-address.ts';
import { keccak256 } from '../ledger/hash.ts';
import { createExecute } from './engine/execute.ts';
import type { Execute, RunOutcome } from './engine/run.ts';
import { environmentOf } from './engine/testing/engine.fixture.ts';
import { openStateSource } from './state/database-state-source.ts';
import { World } from './state/world.ts';
import { compileContracts } from './testing/solidity.fixture.ts';
import { recordedTransaction } from './traces/recorded-transaction.ts';
import { BEGINNING, ETHEREUM, PAYER, RecordedLedger, SECOND } from './traces/testing/recorded-ledger.fixture.ts';

const WALLET = 2_001n;
const LOOKER = 2_002n;
const AUTHORITY = 3_001n;
const AT = BEGINNING + 50n * SECOND;
const CHAIN_ID = 298n;
const NONE = 0;
const contracts = compileContracts('delegation.sol');
const privateKey = new Uint8Array(32).fill(7);
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const authority = hexOf(evmAddressOfEcdsaKey(secp256k1.getPublicKey(privateKey)) as Uint8Array);
const numbered = (id: bigint): string => id.toString(16).padStart(40, '0');
const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const selector = (name: string): string => {
  const found = contracts.get('Wallet')?.selectors[name] ?? contracts.get('Looker')?.selectors[name];
  if (found === undefined) throw new Error(`No contract has ${name}`);
  return found;
};

interface Signed {
  readonly nonce: number;
  readonly delegate?: string;
  readonly chainId?: bigint;
}

/** An element of the list as the importer keeps it. */
const authorization = ({ nonce, delegate = numbered(WALLET), chainId = CHAIN_ID }: Signed) => {
  const content = RLP.encode([chainId, Buffer.from(delegate, 'hex'), nonce]);
  const hash = keccak256(Uint8Array.of(5, ...content));
  const signature = secp256k1.Signature.fromBytes(
    secp256k1.sign(hash, privateKey, { prehash: false, format: 'recovered' }),
    'recovered',
  );
  return {
    address: `0x${delegate}`,
    chain_id: chainId === 0n ? '0x' : `0x${chainId.toString(16)}`,
    nonce,
    r: `0x${word(signature.r)}`,
    s: `0x${word(signature.s)}`,
    y_parity: `0x${signature.recovery}`,
  };
};

let target: TestDatabase;
let ledger: RecordedLedger;
let execute: Execute;
beforeAll(async () => {
  target = await createTestDatabase();
  ledger = new RecordedLedger(target.database);
  execute = await createExecute({ systemContracts: new Map(), feeSelectors: new Set() });
}, 60_000);
beforeEach(async () => {
  await ledger.clear();
  await ledger.begin();
  await ledger.contract({ id: WALLET, code: contracts.get('Wallet')?.runtimeCode as Uint8Array });
  await ledger.contract({ id: LOOKER, code: contracts.get('Looker')?.runtimeCode as Uint8Array });
  await target.database.query(
    `insert into entity (id, num, shard, realm, type, created_timestamp, timestamp_range, balance, evm_address)
     values ($1, $1, 0, 0, 'ACCOUNT', 0, '[0,)', 1000, $2)`,
    [AUTHORITY, Buffer.from(authority, 'hex')],
  );
});
afterAll(() => target?.drop());

const run = async (
  to: string,
  data: string,
  list: readonly unknown[] | null,
  senderId = PAYER,
): Promise<{ readonly outcome: RunOutcome; readonly world: World }> => {
  await ledger.result({ at: AT, type: ETHEREUM, contractId: WALLET, senderId, gas: 300_000n });
  await ledger.ethereum({ at: AT, to, callData: Buffer.from(data, 'hex') });
  await target.database.query('update ethereum_transaction set authorization_list = $1', [
    list === null ? null : JSON.stringify(list),
  ]);
  const recorded = await recordedTransaction(target.database, AT);
  if (recorded === undefined) throw new Error('nothing is recorded');
  const source = openStateSource(target.database, { shard: 0n, realm: 0n, maxFileAttempts: 1 });
  const world = new World(source.at(AT - 1n), { shard: 0n, realm: 0n });
  const network = { chainId: CHAIN_ID, ledgerId: '0x03' };
  return { outcome: await execute(recorded.transaction, environmentOf(world, { network })), world };
};

const nonceOf = async (world: World, id: bigint): Promise<bigint | undefined> => {
  const entity = await world.entity(id);
  return entity && (await world.withNonce(entity)).nonce;
};

describe('a delegation', () => {
  it('lets the code run in the name of the account, with its storage', async () => {
    const { outcome, world } = await run(authority, selector('run()'), [authorization({ nonce: NONE })]);
    expect(outcome.status).toBe('SUCCESS');
    expect(hexOf(outcome.output)).toBe(word(BigInt(`0x${authority}`)) + word(1n));
    expect(outcome.logs.map(({ address }) => address)).toEqual([authority]);
    expect(await world.slot(AUTHORITY, word(0n))).toBe(word(1n));
    expect(await world.entity(AUTHORITY)).toMatchObject({ delegationAddress: numbered(WALLET), nonce: 1n });
    // The sender's nonce is used first.
    expect(await nonceOf(world, PAYER)).toBe(1n);
  });

  it('is charged for, and half of that given back for an account that exists', async () => {
    const data = selector('codeOf(address)') + word(PAYER);
    const plain = await run(numbered(LOOKER), data, null);
    await target.database.query(
      'delete from contract_result; delete from ethereum_transaction; delete from transaction',
    );
    const delegating = await run(numbered(LOOKER), data, [authorization({ nonce: NONE })]);
    const spent = plain.outcome.gasUsed + 25_000n;
    const most = spent / 5n;
    expect(delegating.outcome.gasUsed).toBe(spent - (most < 12_500n ? most : 12_500n));
  });

  it('shows as code that designates the contract', async () => {
    const data = selector('codeOf(address)') + authority.padStart(64, '0');
    const { outcome } = await run(numbered(LOOKER), data, [authorization({ nonce: NONE })]);
    expect(hexOf(outcome.output)).toBe(`${word(32n)}${word(23n)}${`ef0100${numbered(WALLET)}`.padEnd(64, '0')}`);
  });

  it('counts the nonce with which the account creates', async () => {
    const { outcome } = await run(authority, selector('create()'), [authorization({ nonce: NONE })]);
    const child = keccak256(RLP.encode([Buffer.from(authority, 'hex'), 1n])).subarray(12);
    expect(hexOf(outcome.output)).toBe(hexOf(child).padStart(64, '0'));
  });

  it('by the sender itself has the nonce after the transaction’s own', async () => {
    const own = await run(authority, selector('run()'), [authorization({ nonce: 1 })], AUTHORITY);
    expect(hexOf(own.outcome.output)).toBe(word(BigInt(`0x${authority}`)) + word(1n));
    expect(await nonceOf(own.world, AUTHORITY)).toBe(2n);
  });

  it('stays when the transaction fails', async () => {
    const { outcome, world } = await run(authority, selector('fail()'), [authorization({ nonce: NONE })]);
    expect(outcome.status).toBe('CONTRACT_REVERT_EXECUTED');
    expect((await world.entity(AUTHORITY))?.delegationAddress).toBe(numbered(WALLET));
  });

  it('is taken back by one to nobody', async () => {
    const list = [authorization({ nonce: NONE }), authorization({ nonce: 1, delegate: '0'.repeat(40) })];
    const { outcome, world } = await run(authority, selector('run()'), list);
    expect([outcome.status, hexOf(outcome.output)]).toEqual(['SUCCESS', '']);
    expect(await world.entity(AUTHORITY)).toMatchObject({ delegationAddress: undefined, nonce: 2n });
  });

  it('makes a hollow account where there is none', async () => {
    await target.database.query('delete from entity where id = $1', [AUTHORITY]);
    const { outcome, world } = await run(authority, selector('run()'), [authorization({ nonce: NONE, chainId: 0n })]);
    expect(hexOf(outcome.output)).toBe(word(BigInt(`0x${authority}`)) + word(1n));
    expect(await world.entityAt(authority)).toMatchObject({ type: 'ACCOUNT', nonce: 1n, key: undefined });
  });

  it.each([
    ['another nonce', authorization({ nonce: 1 })],
    ['another network', authorization({ nonce: NONE, chainId: 295n })],
    ['no signature', { ...authorization({ nonce: NONE }), s: `0x${word(0n)}` }],
  ])('with %s has no effect, and is charged for', async (_, refused) => {
    const { outcome, world } = await run(authority, selector('run()'), [refused]);
    expect([outcome.status, hexOf(outcome.output)]).toEqual(['SUCCESS', '']);
    expect(outcome.gasUsed).toBe(21_000n + 64n + 25_000n);
    expect((await world.entity(AUTHORITY))?.delegationAddress).toBeUndefined();
  });
});
