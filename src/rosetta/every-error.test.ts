/** Every error that `/network/options` lists is met by a request here, or named as one that no request can meet. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import { blockIdentifier, insertBalances, insertBlocks } from './testing/ledger-rows.fixture.ts';
import { hbar, openRosetta, type RosettaFixture } from './testing/rosetta.fixture.ts';

type Ask = (path: string, request?: object) => Promise<unknown>;

const KEY = 'eba8cc093a83a4ca5e813e30d8c503babb35c22d57d34b6ec5ac0303a6aaba77';
const UNSIGNED =
  '0x0a432a410a3d0a140a0c08feafcb840610ae86c0db03120418d8c307120218041880c2d72f2202087872180a160a090a0418d8c30710cf0f' +
  '0a090a0418fec40710d00f1200';
const TOKEN_TRANSACTION =
  '0x0a332a310a2d0a140a0c08a6e4cb840610f6a3aeef0112041882810c12021805188084af5f22020878c20107320508d0c8e1031200';
const WITHOUT_PAYER = '0x2a060a0472020a00';

/** See `rosettaErrors` for the reasons. */
const unmeetable = [103, 112, 113, 114, 116, 120, 122, 123, 131, 132, 137];

let target: TestDatabase;
let starting: TestDatabase;
const opened: RosettaFixture[] = [];

const open = async (...args: Parameters<typeof openRosetta>): Promise<Ask> => {
  const rosetta = await openRosetta(...args);
  opened.push(rosetta);
  return async (path, request) => {
    const { status, body } = await rosetta.ask(path, request);
    expect(status).toBe(500);
    return (body as { code: number }).code;
  };
};

beforeAll(async () => {
  [target, starting] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  await insertBlocks(target.database);
  await insertBalances(target.database, { 2: 5_000n });
});

afterAll(async () => {
  for (const rosetta of opened) await rosetta.stop();
  await Promise.all([target?.drop(), starting?.drop()]);
});

const operation = (index: number, address: string, amount: object | undefined, type = 'CRYPTOTRANSFER') => ({
  operation_identifier: { index },
  type,
  account: { address },
  amount,
});
const transfer = (value: string, address = '0.0.5') => [operation(0, address, hbar(value))];
const signature = (changes: object) => ({
  signing_payload: { hex_bytes: '00' },
  public_key: { hex_bytes: KEY, curve_type: 'edwards25519' },
  signature_type: 'ed25519',
  hex_bytes: '00'.repeat(64),
  ...changes,
});
const combine = (...signatures: object[]) => ({ unsigned_transaction: UNSIGNED, signatures });

it('meets every error of the table', async () => {
  const online = await open(target.database, { settings: { nodes: { '127.0.0.1:1': '0.0.4' } } });
  const offline = await open(target.database, { settings: { online: false } });
  const bookless = await open(target.database);
  const young = await open(starting.database);
  const broken = await open({ transaction: () => target.database.query('select 1 from no_such_table') as never });
  const faulty = await open({ transaction: () => Promise.reject(new TypeError('no')) });
  const operation_type = 'CRYPTOTRANSFER';
  const payloads = (metadata: object) => ({
    operations: [operation(0, '0.0.5', hbar('-1')), operation(1, '0.0.6', hbar('1'))],
    metadata,
  });
  const block_identifier = blockIdentifier(12);
  const two = [operation(0, '0.0.5', hbar('-1')), operation(1, '0.0.6', hbar('1'), 'CRYPTOCREATEACCOUNT')];

  const requests: [code: number, ask: Ask, path: string, request?: object][] = [
    [100, online, '/construction/metadata', { options: { operation_type, account_aliases: `0x1220${KEY}` } }],
    [101, online, '/block', { block_identifier: { index: 99 } }],
    [102, online, '/account/balance', { account_identifier: { address: '0.0.x' } }],
    [104, online, '/construction/preprocess', { operations: transfer('0') }],
    [105, online, '/construction/preprocess', { operations: transfer('-2') }],
    [106, online, '/construction/derive', { public_key: { hex_bytes: 'ff', curve_type: 'edwards25519' } }],
    [107, online, '/construction/combine', combine(signature({}))],
    [108, online, '/block/transaction', { block_identifier, transaction_identifier: { hash: 'xyz' } }],
    [109, online, '/construction/preprocess', { operations: two }],
    [110, young, '/network/status'],
    [111, online, '/mempool'],
    [115, online, '/construction/parse', { signed: false, transaction: 'InvalidTxHexString' }],
    [117, online, '/construction/parse', { signed: false, transaction: '0x6767' }],
    [118, online, '/construction/submit', { signed_transaction: UNSIGNED }],
    [119, online, '/block/transaction', { block_identifier, transaction_identifier: { hash: '00'.repeat(48) } }],
    [121, online, '/construction/parse', { signed: false, transaction: TOKEN_TRANSACTION }],
    [124, online, '/construction/payloads', payloads({ node_account_id: 3 })],
    [125, broken, '/network/status'],
    [126, online, '/construction/preprocess', { operations: [{ ...transfer('-1')[0], type: 'CRYPTOCREATEACCOUNT' }] }],
    [127, online, '/construction/preprocess', { operations: [{ ...transfer('-1')[0], type: 'TOKENMINT' }] }],
    [128, online, '/construction/metadata', { options: { operation_type: 'NOTHING' } }],
    [129, online, '/construction/combine', combine()],
    [130, online, '/construction/preprocess', { operations: [operation(0, '0.0.5', undefined)] }],
    [133, online, '/construction/parse', { signed: false, transaction: WITHOUT_PAYER }],
    [
      134,
      online,
      '/construction/preprocess',
      { operations: [operation(0, '0.0.5', { value: '1', currency: { symbol: 'X', decimals: 8 } })] },
    ],
    [135, online, '/construction/combine', combine(signature({ signature_type: 'ecdsa' }))],
    [136, offline, '/network/status'],
    [138, online, '/construction/metadata', { options: { operation_type: 5 } }],
    [139, online, '/construction/payloads', payloads({ node_account_id: '0.0.3', memo: 5 })],
    [140, bookless, '/construction/metadata', { options: { operation_type } }],
    [141, online, '/construction/payloads', payloads({})],
    [500, faulty, '/network/status'],
  ];

  const met: unknown[] = [];
  for (const [, ask, path, request] of requests) met.push(await ask(path, request));
  expect(met).toEqual(requests.map(([code]) => code));

  const [any] = opened;
  const options = (await any?.ask('/network/options'))?.body as unknown as { allow: { errors: { code: number }[] } };
  const listed = options.allow.errors.map(({ code }) => code);
  expect([...met, ...unmeetable].sort((a, b) => Number(a) - Number(b))).toEqual(listed.sort((a, b) => a - b));
});
