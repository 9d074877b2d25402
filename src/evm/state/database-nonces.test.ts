/** Nonces that are asked for at past moments, of entities whose rows hold those of now. */
import { RLP } from '@ethereumjs/rlp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { keccak256 } from '../../ledger/hash.ts';
import { ContractFunctionResult } from '../../protobuf/generated/services/contract_types.ts';
import { openStateSource } from './database-state-source.ts';
import { World } from './world.ts';

const FACTORY = 2_001n;
const CALLED = 2_002n;
const SENDER = 1_001n;
const IDLE = 2_003n;
const UPDATED = 1_002n;
const UPDATED_FACTORY = 2_004n;
const OTHER_ADDRESS = 'fb'.repeat(20);
const ADDRESS = 'fa'.repeat(20);

let target: TestDatabase;

const entity = (id: bigint, type: string, at: bigint, nonce: bigint, address: Uint8Array | null): Promise<unknown> =>
  target.database.query(
    `insert into entity (id, num, shard, realm, type, created_timestamp, timestamp_range, balance, evm_address,
      ethereum_nonce) values ($1, $1, 0, 0, $2, $3, int8range($3, null), 0, $4, $5)`,
    [id, type, at, address === null ? null : Buffer.from(address), nonce],
  );

/** A version that ended, with the nonce from before the block in which that happened. */
const earlier = (id: bigint, type: string, from: bigint, until: bigint, nonce: bigint, address: Uint8Array | null) =>
  target.database.query(
    `insert into entity_history (id, num, shard, realm, type, created_timestamp, timestamp_range, balance, evm_address,
      ethereum_nonce) values ($1, $1, 0, 0, $2, $3::bigint, int8range($3, $4), 0, $5, $6)`,
    [id, type, from, until, address === null ? null : Buffer.from(address), nonce],
  );

const child = (nonce: bigint, creator = ADDRESS): Uint8Array =>
  keccak256(RLP.encode([Buffer.from(creator, 'hex'), nonce])).subarray(12);

const result = (
  at: bigint,
  status: number,
  told: Partial<ContractFunctionResult>,
  senderId = SENDER,
): Promise<unknown> =>
  target.database.query(
    `insert into contract_result (consensus_timestamp, contract_id, payer_account_id, sender_id, gas_limit,
      function_parameters, function_result, transaction_result) values ($1, $2, 1001, $5, 1, '', $3, $4)`,
    [
      at,
      CALLED,
      Buffer.from(ContractFunctionResult.encode(ContractFunctionResult.fromPartial(told)).finish()),
      status,
      senderId,
    ],
  );

const sent = (at: bigint, nonce: bigint): Promise<unknown> =>
  target.database.query(
    `insert into ethereum_transaction (consensus_timestamp, data, gas_limit, hash, max_gas_allowance, nonce,
      payer_account_id, signature_r, signature_s, type) values ($1, '', 1, '', 0, $2, 1001, '', '', 2)`,
    [at, nonce],
  );

beforeAll(async () => {
  target = await createTestDatabase();
  await entity(FACTORY, 'CONTRACT', 10n, 205n, Buffer.from(ADDRESS, 'hex'));
  // Nonces 1 to 100 at 101 to 200; 101 to 200 created nothing at addresses of their own; 201 to 204 at 301 to 304.
  for (const nonce of [...Array(100).keys()].map((n) => BigInt(n) + 1n)) {
    await entity(10_000n + nonce, 'CONTRACT', 100n + nonce, 1n, child(nonce));
  }
  for (const nonce of [201n, 202n, 203n, 204n])
    await entity(10_000n + nonce, 'CONTRACT', 100n + nonce, 1n, child(nonce));
  await entity(CALLED, 'CONTRACT', 10n, 9n, null);
  await entity(IDLE, 'CONTRACT', 10n, 1n, null);
  await entity(SENDER, 'ACCOUNT', 10n, 12n, null);
  const nonces = (nonce: bigint) => ({
    contractID: { contract: { $case: 'contractNum' as const, contractNum: CALLED }, shardNum: 0n, realmNum: 0n },
    contractNonces: [
      {
        contractId: { contract: { $case: 'contractNum' as const, contractNum: 5n }, shardNum: 0n, realmNum: 0n },
        nonce: 1n,
      },
      {
        contractId: { contract: { $case: 'contractNum' as const, contractNum: CALLED }, shardNum: 0n, realmNum: 0n },
        nonce,
      },
    ],
  });
  await result(400n, 22, { ...nonces(4n), signerNonce: 8n });
  await sent(400n, 7n);
  await result(410n, 22, { ...nonces(6n), contractNonces: [] });
  await sent(410n, 8n);
  // A nonce that was not used.
  await result(420n, 10, {});
  await sent(420n, 99n);
  await result(430n, 33, nonces(9n));
  await sent(430n, 11n);
  // Both were used and changed within one block: the versions before the changes lack what the use left.
  await earlier(UPDATED, 'ACCOUNT', 10n, 520n, 0n, null);
  await entity(UPDATED, 'ACCOUNT', 520n, 2n, null);
  await result(510n, 22, { signerNonce: 1n }, UPDATED);
  await sent(510n, 0n);
  await result(530n, 22, { signerNonce: 2n }, UPDATED);
  await sent(530n, 1n);
  await earlier(UPDATED_FACTORY, 'CONTRACT', 10n, 520n, 1n, Buffer.from(OTHER_ADDRESS, 'hex'));
  await entity(UPDATED_FACTORY, 'CONTRACT', 520n, 2n, Buffer.from(OTHER_ADDRESS, 'hex'));
  await entity(10_500n, 'CONTRACT', 510n, 1n, child(1n, OTHER_ADDRESS));
});
afterAll(() => target?.drop());

const nonceAt = async (id: bigint, at: bigint): Promise<bigint> => {
  const source = openStateSource(target.database, { shard: 0n, realm: 0n, maxFileAttempts: 1 });
  const world = new World(source.at(at), { shard: 0n, realm: 0n });
  const found = await world.entity(id);
  if (found === undefined) throw new Error(`${id} is not there`);
  return (await world.withNonce(found)).nonce;
};

it.each([
  [10n, 1n],
  [100n, 1n],
  [101n, 2n],
  [150n, 51n],
  [200n, 101n],
  [300n, 101n],
  [301n, 202n],
  [303n, 204n],
  [304n, 205n],
  [999n, 205n],
])('follow from what a contract created: at %i', async (at, nonce) => {
  expect(await nonceAt(FACTORY, at)).toBe(nonce);
});

it.each([
  [399n, 1n],
  [400n, 4n],
  [429n, 4n],
  [430n, 9n],
])('follow from what results of calls say: at %i', async (at, nonce) => {
  expect(await nonceAt(CALLED, at)).toBe(nonce);
});

it.each([
  [399n, 0n],
  [400n, 8n],
  [410n, 9n],
  [420n, 9n],
  [430n, 12n],
])('follow from what an account sent: at %i', async (at, nonce) => {
  expect(await nonceAt(SENDER, at)).toBe(nonce);
});

it.each([
  [UPDATED, 509n, 0n],
  [UPDATED, 510n, 1n],
  [UPDATED, 529n, 1n],
  [UPDATED, 530n, 2n],
  [UPDATED_FACTORY, 509n, 1n],
  [UPDATED_FACTORY, 510n, 2n],
])('are those of the moment even where the version holds an earlier one: of %i at %i', async (id, at, nonce) => {
  expect(await nonceAt(id, at)).toBe(nonce);
});

it('are not looked for where there was none but the first', async () => {
  const source = openStateSource(target.database, { shard: 0n, realm: 0n, maxFileAttempts: 1 });
  const record = await source.at(500n).entity(IDLE);
  expect([record?.nonce, record?.nonceMayBeLater]).toEqual([1n, undefined]);
  expect((await source.latest().entity(FACTORY))?.nonceMayBeLater).toBeUndefined();
});
