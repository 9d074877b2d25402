/** Byte vectors are those that clients of mirror nodes test against. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { fromHex } from '../../ledger/bytes.ts';
import { Transaction } from '../../protobuf/generated/services/transaction.ts';
import { insertAccount } from '../testing/ledger-rows.fixture.ts';
import { hbar, openRosetta, type RosettaFixture } from '../testing/rosetta.fixture.ts';
import { openSimulatedNode, type SimulatedNode } from '../testing/simulated-node.fixture.ts';

const KEY = 'eba8cc093a83a4ca5e813e30d8c503babb35c22d57d34b6ec5ac0303a6aaba77';
const ALIAS = `0x1220${KEY}`;
const BODY =
  '0a140a0c08feafcb840610ae86c0db03120418d8c307120218041880c2d72f2202087872180a160a090a0418d8c30710cf0f0a090a0418fec40710d00f';
const UNSIGNED = `0x0a432a410a3d${BODY}1200`;
const SIGNATURE =
  '793de745bc19dd8fe8e817891f51b8fe1e259c2e6428bd7fa075b181585a2d40e3666a7c9a1873abb5433ffe1414502836d8d37082eaf94a648b530e9fa78108';
const SIGNED = `0x0aaa012aa7010a3d${BODY}12660a640a20${KEY}1a40${SIGNATURE}`;
const HASH = '0xc371b00f25490004c01b7d50350aecacaf7569ca564955465aa2b48fafd68dda5f7f277465a5f1b862f438e630c30648';
const LEGACY =
  '0x0a4522430a140a0c08d2ec84be0610e5a2eef602120418d8c3071880c2d72f2202087832087472616e7366657272180a160a090a0418d8c30710cf0f0a090a0418fec40710d00f';
const TOKEN_TRANSACTION =
  '0x0a332a310a2d0a140a0c08a6e4cb840610f6a3aeef0112041882810c12021805188084af5f22020878c20107320508d0c8e1031200';
const NOW = 1_700_000_000_000_000_000n;

let target: TestDatabase;
let node: SimulatedNode;
let rosetta: RosettaFixture;

beforeAll(async () => {
  target = await createTestDatabase();
  node = await openSimulatedNode();
  await insertAccount(target.database, { id: 100n, alias: fromHex(ALIAS) as Uint8Array });
  rosetta = await openRosetta(target.database, { settings: { nodes: { [node.address]: '0.0.4' } } });
});

afterAll(async () => {
  await rosetta?.stop();
  node?.stop();
  await target?.drop();
});

const operation = (index: number, address: string, value: string, type = 'CRYPTOTRANSFER', metadata?: object) => ({
  operation_identifier: { index },
  type,
  account: { address },
  amount: hbar(value),
  ...(metadata && { metadata }),
});

const transfer = (payer = '0.0.123352') => [operation(0, payer, '-1000'), operation(1, '0.0.123518', '1000')];

const codeOf = async (path: string, request: object): Promise<unknown> => {
  const { status, body } = await rosetta.ask(`/construction/${path}`, request);
  expect(status).toBe(500);
  return (body as { code: number }).code;
};

const bodyOf = async (path: string, request: object): Promise<Record<string, unknown>> => {
  const { status, body } = await rosetta.ask(`/construction/${path}`, request);
  expect(body).not.toHaveProperty('code');
  expect(status).toBe(200);
  return body;
};

describe('derive', () => {
  it('gives the alias of a key', async () => {
    const public_key = { hex_bytes: KEY, curve_type: 'edwards25519' };
    expect(await bodyOf('derive', { public_key })).toEqual({ account_identifier: { address: ALIAS } });
  });

  it('is refused for other keys', async () => {
    expect(await codeOf('derive', { public_key: { hex_bytes: KEY, curve_type: 'secp256k1' } })).toBe(106);
    expect(await codeOf('derive', { public_key: { hex_bytes: 'ff', curve_type: 'edwards25519' } })).toBe(106);
    expect(await codeOf('derive', {})).toBe(0);
  });
});

describe('preprocess', () => {
  it('names those who sign, and the payer where it is an alias', async () => {
    expect(await bodyOf('preprocess', { operations: transfer(), metadata: { memo: 'x' } })).toEqual({
      options: { memo: 'x', operation_type: 'CRYPTOTRANSFER' },
      required_public_keys: [{ address: '0.0.123352' }],
    });
    expect(await bodyOf('preprocess', { operations: transfer(ALIAS) })).toEqual({
      options: { operation_type: 'CRYPTOTRANSFER', account_aliases: ALIAS },
      required_public_keys: [{ address: ALIAS }],
    });
  });

  it.each([
    ['no operations', [], 0],
    ['two types', [operation(0, '0.0.5', '-1'), operation(1, '0.0.6', '1', 'CRYPTOCREATEACCOUNT')], 109],
    ['a type of tokens', [operation(0, '0.0.5', '-1', 'TOKENMINT')], 127],
    ['a type that is none', [operation(0, '0.0.5', '-1', 'FEE')], 0],
    ['a status', [{ ...operation(0, '0.0.5', '-1'), status: 'SUCCESS' }], 0],
    ['a wrong index', [operation(1, '0.0.5', '-1')], 0],
    ['no account', [{ ...operation(0, '0.0.5', '-1'), account: undefined }], 0],
    ['an account that is none', [operation(0, '0.0.x', '-1'), operation(1, '0.0.6', '1')], 102],
    ['the account 0.0.0', [operation(0, '0.0.0', '-1'), operation(1, '0.0.6', '1')], 102],
    ['no amount', [{ ...operation(0, '0.0.5', '-1'), amount: undefined }], 130],
    ['another currency', [{ ...operation(0, '0.0.5', '-1'), amount: { value: '1', currency: { symbol: 'X' } } }], 134],
    ['nothing to transfer', [operation(0, '0.0.5', '0')], 104],
    ['an amount that is no number', [operation(0, '0.0.5', '1.5')], 104],
    ['more than there can be', [operation(0, '0.0.5', '9223372036854775808')], 104],
    ['more taken than given', [operation(0, '0.0.5', '-2'), operation(1, '0.0.6', '1')], 105],
    ['two creations', [0, 1].map((index) => operation(index, '0.0.5', '-1', 'CRYPTOCREATEACCOUNT', { key: KEY })), 130],
    ['a creation for a negative balance', [operation(0, '0.0.5', '1', 'CRYPTOCREATEACCOUNT', { key: KEY })], 104],
    ['a creation without key', [operation(0, '0.0.5', '-1', 'CRYPTOCREATEACCOUNT')], 126],
    [
      'a creation with a memo of numbers',
      [operation(0, '0.0.5', '-1', 'CRYPTOCREATEACCOUNT', { key: KEY, memo: 1 })],
      126,
    ],
  ])('is refused for %s', async (_name, operations, code) => {
    expect(await codeOf('preprocess', { operations })).toBe(code);
  });
});

describe('metadata', () => {
  const ask = (options: object) => bodyOf('metadata', { options });

  it('names a node, the time until which to submit, and the fee', async () => {
    expect(await ask({ operation_type: 'CRYPTOTRANSFER', memo: 'x' })).toEqual({
      metadata: {
        operation_type: 'CRYPTOTRANSFER',
        memo: 'x',
        node_account_id: '0.0.4',
        valid_until_nanos: (NOW + 180_000_000_000n).toString(),
      },
      suggested_fee: [hbar('100000000')],
    });
    expect((await ask({ operation_type: 'CRYPTOCREATEACCOUNT' })).suggested_fee).toEqual([hbar('500000000')]);
  });

  it('resolves aliases', async () => {
    const { metadata } = await ask({ operation_type: 'CRYPTOTRANSFER', account_aliases: ALIAS });
    expect(metadata).toMatchObject({ account_map: `${ALIAS}:0.0.100` });
    expect(metadata).not.toHaveProperty('account_aliases');
  });

  it('is refused for options that are none', async () => {
    const operation_type = 'CRYPTOTRANSFER';
    expect(await codeOf('metadata', {})).toBe(138);
    expect(await codeOf('metadata', { options: { operation_type: 5 } })).toBe(138);
    expect(await codeOf('metadata', { options: { operation_type: 'NOTHING' } })).toBe(128);
    expect(await codeOf('metadata', { options: { operation_type, account_aliases: 5 } })).toBe(138);
    expect(await codeOf('metadata', { options: { operation_type, account_aliases: '0x12' } })).toBe(102);
    expect(await codeOf('metadata', { options: { operation_type, account_aliases: `0x1220${'ab'.repeat(32)}` } })).toBe(
      100,
    );
  });

  it('knows no node without an address book, and the first ones of a named network offline', async () => {
    const bookless = await openRosetta(target.database);
    const options = { operation_type: 'CRYPTOTRANSFER' };
    expect((await bookless.ask('/construction/metadata', { options })).body).toMatchObject({ code: 140 });
    await bookless.stop();
    const offline = await openRosetta(target.database, { settings: { online: false } });
    const { body } = await offline.ask('/construction/metadata', { options });
    expect((body as { metadata: { node_account_id: string } }).metadata.node_account_id).toMatch(/^0\.0\.[3-9]$/);
    const aliased = { ...options, account_aliases: ALIAS };
    expect((await offline.ask('/construction/metadata', { options: aliased })).body).toMatchObject({ code: 136 });
    expect((await offline.ask('/construction/submit', { signed_transaction: SIGNED })).body).toMatchObject({
      code: 136,
    });
    await offline.stop();
  });
});

describe('payloads', () => {
  const time = { node_account_id: '0.0.3', valid_start_nanos: '123456789000000123' };
  const transfers = '72180a160a090a0418d8c30710cf0f0a090a0418fec40710d00f';

  it.each([
    ['a start', time, '0a0f0a0708959aef3a107b120418d8c307120218031880c2d72f220308b401'],
    [
      'a memo',
      { ...time, memo: 'transfer' },
      '0a0f0a0708959aef3a107b120418d8c307120218031880c2d72f220308b40132087472616e73666572',
    ],
    [
      'an end, which wins',
      {
        node_account_id: '0.0.3',
        valid_until_nanos: '123456609000000123',
        valid_start_nanos: 'ignored',
        valid_duration: 'ignored',
      },
      '0a0f0a0708ad97ef3a107b120418d8c307120218031880c2d72f220308b401',
    ],
  ])('are the bytes of a transaction with %s', async (_name, metadata, head) => {
    const hex_bytes = `${head}${transfers}`;
    const { unsigned_transaction, payloads } = await bodyOf('payloads', { operations: transfer(), metadata });
    expect(payloads).toEqual([{ account_identifier: { address: '0.0.123352' }, hex_bytes, signature_type: 'ed25519' }]);
    const size = hex_bytes.length / 2;
    const byte = (value: number) => value.toString(16).padStart(2, '0');
    expect(unsigned_transaction).toBe(`0x0a${byte(size + 6)}2a${byte(size + 4)}0a${byte(size)}${hex_bytes}1200`);
  });

  it('has the number of an alias that pays', async () => {
    const metadata = { ...time, account_map: `${ALIAS}:0.0.100` };
    const { payloads } = await bodyOf('payloads', { operations: transfer(ALIAS), metadata });
    expect(payloads).toMatchObject([{ account_identifier: { address: ALIAS } }]);
    expect((payloads as { hex_bytes: string }[])[0]?.hex_bytes).toMatch(
      /^0a0d0a0708959aef3a107b12021864120218031880c2d72f220308b401/,
    );
    const { operations } = await bodyOf('parse', {
      signed: false,
      transaction: (await bodyOf('payloads', { operations: transfer(ALIAS), metadata })).unsigned_transaction,
    });
    expect(operations).toEqual(transfer(ALIAS));
  });

  it('begins a transaction just before now, each at another time', async () => {
    const ask = () => bodyOf('payloads', { operations: transfer(), metadata: { node_account_id: '0.0.3' } });
    const [first, second] = [await ask(), await ask()];
    expect(first.unsigned_transaction).not.toBe(second.unsigned_transaction);
  });

  it.each([
    ['no node', {}, 141],
    ['a node that is no text', { node_account_id: 3 }, 124],
    ['a node that is no account', { node_account_id: 'x' }, 102],
    ['a duration that is no text', { ...time, valid_duration: 5 }, 124],
    ['too long a duration', { ...time, valid_duration: '181' }, 124],
    ['a negative start', { ...time, valid_start_nanos: '-1' }, 124],
    ['an end before all time', { ...time, valid_until_nanos: '5' }, 124],
    ['a memo that is no text', { ...time, memo: 5 }, 139],
  ])('is refused for %s', async (_name, metadata, code) => {
    expect(await codeOf('payloads', { operations: transfer(), metadata })).toBe(code);
  });

  it('is refused for an alias of unknown number', async () => {
    const ask = (account_map?: string) =>
      codeOf('payloads', { operations: transfer(ALIAS), metadata: { ...time, account_map } });
    expect(await ask()).toBe(100);
    expect(await ask(`${ALIAS}:x`)).toBe(102);
  });
});

describe('combine', () => {
  const signature = (changes: object = {}) => ({
    signing_payload: { hex_bytes: '00' },
    public_key: { hex_bytes: KEY, curve_type: 'edwards25519' },
    signature_type: 'ed25519',
    hex_bytes: SIGNATURE,
    ...changes,
  });
  const ask = (signatures: object[], unsigned_transaction = UNSIGNED) => ({ unsigned_transaction, signatures });

  it('puts signatures to a transaction', async () => {
    expect(await bodyOf('combine', ask([signature()]))).toEqual({ signed_transaction: SIGNED });
  });

  it('is refused for what does not sign it', async () => {
    expect(await codeOf('combine', ask([]))).toBe(129);
    expect(await codeOf('combine', ask([signature({ signature_type: 'ecdsa' })]))).toBe(135);
    expect(await codeOf('combine', ask([signature({ public_key: { hex_bytes: 'ff' } })]))).toBe(106);
    expect(await codeOf('combine', ask([signature({ hex_bytes: `00${SIGNATURE.slice(2)}` })]))).toBe(107);
    expect(await codeOf('combine', ask([signature()], ''))).toBe(0);
    expect(await codeOf('combine', ask([signature()], TOKEN_TRANSACTION))).toBe(121);
  });
});

describe('parse', () => {
  it('gives operations, and signers of a signed one', async () => {
    expect(await bodyOf('parse', { signed: true, transaction: SIGNED })).toEqual({
      operations: [{ ...operation(0, '0.0.123352', '-1000') }, { ...operation(1, '0.0.123518', '1000') }],
      account_identifier_signers: [{ address: '0.0.123352' }],
      metadata: {},
    });
    expect(await bodyOf('parse', { signed: false, transaction: LEGACY })).toMatchObject({
      operations: transfer(),
      account_identifier_signers: [],
      metadata: { memo: 'transfer' },
    });
  });

  it('is refused for what is no transaction', async () => {
    const ask = (transaction: string) => codeOf('parse', { signed: false, transaction });
    expect(await ask('InvalidTxHexString')).toBe(115);
    expect(await ask('0x6767')).toBe(117);
    expect(await ask('0x')).toBe(117);
    expect(await ask(TOKEN_TRANSACTION)).toBe(121);
    expect(await ask('')).toBe(0);
    // A transfer without transaction id, so without payer.
    expect(await ask('0x2a060a0472020a00')).toBe(133);
  });
});

describe('hash', () => {
  it('is that of the signed bytes', async () => {
    expect(await bodyOf('hash', { signed_transaction: SIGNED })).toEqual({ transaction_identifier: { hash: HASH } });
    expect(await codeOf('hash', { signed_transaction: '' })).toBe(0);
  });
});

describe('submit', () => {
  const submit = (signed_transaction: string) => rosetta.ask('/construction/submit', { signed_transaction });

  it('hands the transaction to its node', async () => {
    node.answer(0);
    expect(await submit(SIGNED)).toEqual({ status: 200, body: { transaction_identifier: { hash: HASH } } });
    const [sent] = node.received.splice(0);
    expect(sent?.method).toBe('cryptoTransfer');
    const { signedTransactionBytes } = Transaction.decode(sent?.bytes ?? Buffer.alloc(0));
    expect(Buffer.from(signedTransactionBytes).toString('hex')).toBe(SIGNED.slice(2 + 6 + 6));
  });

  it('tells why the node refuses it, after one attempt', async () => {
    node.answer(12);
    expect(await submit(SIGNED)).toEqual({
      status: 500,
      body: { code: 118, message: 'Transaction submission failed', retriable: false, details: { reason: 'BUSY' } },
    });
    expect(node.received.splice(0)).toHaveLength(1);
  });

  it('reports nodes that are unknown or do not answer', async () => {
    // For node 0.0.3.
    const operations = transfer();
    const metadata = { node_account_id: '0.0.3', valid_start_nanos: '123456789000000123' };
    const { unsigned_transaction } = await bodyOf('payloads', { operations, metadata });
    expect((await submit(unsigned_transaction as string)).body).toMatchObject({
      code: 118,
      details: { reason: 'no address of node 0.0.3 is known' },
    });
    const deaf = await openRosetta(target.database, { settings: { nodes: { '127.0.0.1:1': '0.0.4' } } });
    const { body } = await deaf.ask('/construction/submit', { signed_transaction: SIGNED });
    expect(body).toMatchObject({ code: 118, details: { reason: expect.stringMatching(/^UNAVAILABLE: /) } });
    await deaf.stop();
  });
});

describe('the whole way', () => {
  it('creates an account with a key of its own', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const key = publicKey.export({ format: 'der', type: 'spki' }).toString('hex');
    const operations = [
      operation(0, '0.0.2', '-5', 'CRYPTOCREATEACCOUNT', {
        key,
        memo: 'new',
        auto_renew_period: 7_000_000,
        max_automatic_token_associations: 3,
        proxy_account_id: '0.0.6',
      }),
    ];
    const { options } = await bodyOf('preprocess', { operations });
    const { metadata } = await bodyOf('metadata', { options });
    const { unsigned_transaction, payloads } = await bodyOf('payloads', { operations, metadata });
    const [payload] = payloads as unknown as { hex_bytes: string }[];
    expect(await bodyOf('parse', { signed: false, transaction: unsigned_transaction })).toMatchObject({ operations });
    const { signed_transaction } = await bodyOf('combine', {
      unsigned_transaction,
      signatures: [
        {
          signing_payload: payload,
          public_key: { hex_bytes: key.slice(24), curve_type: 'edwards25519' },
          signature_type: 'ed25519',
          hex_bytes: sign(null, Buffer.from(payload?.hex_bytes ?? '', 'hex'), privateKey).toString('hex'),
        },
      ],
    });
    expect(await bodyOf('parse', { signed: true, transaction: signed_transaction })).toMatchObject({
      operations,
      account_identifier_signers: [{ address: '0.0.2' }],
    });
    node.answer(0);
    expect(await bodyOf('submit', { signed_transaction })).toEqual(await bodyOf('hash', { signed_transaction }));
    expect(node.received.splice(0)).toMatchObject([{ method: 'createAccount' }]);
  });
});
