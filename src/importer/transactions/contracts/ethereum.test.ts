import { describe, expect, it } from 'vitest';
import type { EthereumTransaction } from '../../../ledger/ethereum-transaction.ts';
import { keccak256 } from '../../../ledger/hash.ts';
import { encodeTransaction, transactionOf } from '../../../ledger/testing/ethereum-transaction.fixture.ts';
import { ResponseCodeEnum } from '../../../protobuf/generated/services/response_code.ts';
import { since, useTestLedger } from '../../testing/ledger.fixture.ts';
import {
  account,
  applyItem,
  bytes,
  contextOf,
  contract,
  handle,
  handleFailed,
  type ItemFields,
  itemOf,
  PAYER,
  T,
} from '../testing/handled.fixture.ts';

const HASH = new Uint8Array(32).fill(0xee);
const TO = bytes('7e'.repeat(20));
const SENDER = 1010n;

type Fields = Partial<EthereumTransaction>;

const ethereum = (
  transaction: EthereumTransaction | Uint8Array,
  { body = {}, record = {}, ...more }: { body?: object; record?: object } & Omit<ItemFields, 'record'> = {},
): ItemFields => ({
  data: {
    $case: 'ethereumTransaction',
    ethereumTransaction: {
      ethereumData: transaction instanceof Uint8Array ? transaction : encodeTransaction(transaction),
      maxGasAllowance: 10_000_000_000n,
      ...body,
    },
  },
  record: { ethereumHash: HASH, ...record },
  ...more,
});

const called = (result: object = {}) => ({
  body: {
    $case: 'contractCallResult' as const,
    contractCallResult: { contractID: contract(1700n), senderId: account(SENDER), ...result },
  },
});

const row = (type: 0 | 1 | 2 | 4, fields: Fields = {}) =>
  handle(itemOf(ethereum(transactionOf(type, fields)))).rows('ethereum_transaction')[0];

const COMMON = {
  call_data: bytes('1234'),
  call_data_id: null,
  consensus_timestamp: T,
  gas_limit: 98_304n,
  hash: HASH,
  max_gas_allowance: 10_000_000_000n,
  nonce: 5n,
  payer_account_id: PAYER,
  recovery_id: 1,
  signature_r: bytes('11'.repeat(32)),
  signature_s: bytes('22'.repeat(32)),
  to_address: TO,
  value: bytes('00ff'),
};

const WITHOUT_PRICE = { gas_price: null, max_fee_per_gas: bytes('2f'), max_priority_fee_per_gas: bytes('01') };
const WITH_PRICE = { gas_price: bytes('2f'), max_fee_per_gas: null, max_priority_fee_per_gas: null };

describe('the row of an Ethereum transaction', () => {
  it('of the legacy type has its v and the chain that it says', () => {
    expect(row(0)).toEqual({
      ...COMMON,
      ...WITH_PRICE,
      access_list: null,
      authorization_list: null,
      chain_id: bytes('0128'),
      data: encodeTransaction(transactionOf(0)),
      signature_v: bytes('0274'),
      type: 0,
    });
    expect(row(0, { signatureV: bytes('1b') })).toMatchObject({ chain_id: null, recovery_id: 0 });
  });

  const typed = { chain_id: bytes('0128'), signature_v: null, access_list: '[]', authorization_list: null };

  it('of the later types has their prices and lists', () => {
    const data = (type: 1 | 2 | 4) => encodeTransaction(transactionOf(type));
    expect(row(1)).toEqual({ ...COMMON, ...WITH_PRICE, ...typed, data: data(1), type: 1 });
    expect(row(2)).toEqual({ ...COMMON, ...WITHOUT_PRICE, ...typed, data: data(2), type: 2 });
    expect(row(4)).toEqual({ ...COMMON, ...WITHOUT_PRICE, ...typed, data: data(4), type: 4, authorization_list: '[]' });
  });

  it('keeps empty bytes empty and shows zero as a byte', () => {
    const none = new Uint8Array(0);
    expect(row(2, { toAddress: none, callData: none, chainId: none, maxFeePerGas: none, value: 0n })).toMatchObject({
      to_address: none,
      call_data: none,
      chain_id: none,
      max_fee_per_gas: none,
      value: bytes('00'),
    });
    const most = (1n << 64n) - 1n;
    expect(row(2, { nonce: most, gasLimit: 1n << 63n })).toMatchObject({ nonce: -1n, gas_limit: -(1n << 63n) });
  });

  const ACCESS = { address: bytes('a0'.repeat(20)), storageKeys: [bytes('81'), bytes('ff'.repeat(32))] };
  const AUTHORIZATION = {
    chainId: bytes('000127'),
    address: bytes('11'.repeat(20)),
    nonce: (1n << 64n) - 1n,
    yParity: 1,
    signatureR: bytes('02'),
    signatureS: bytes('33'.repeat(32)),
  };
  const ACCESS_JSON = [
    { address: `0x${'a0'.repeat(20)}`, storage_keys: [`0x${'81'.padStart(64, '0')}`, `0x${'ff'.repeat(32)}`] },
  ];

  it('writes the lists as JSON', () => {
    const written = row(4, {
      accessList: [ACCESS],
      authorizationList: [AUTHORIZATION, { ...AUTHORIZATION, chainId: bytes(''), nonce: 0n, yParity: 0 }],
    });
    expect(JSON.parse(written?.access_list as string)).toEqual(ACCESS_JSON);
    const first =
      `{"address":"0x${'11'.repeat(20)}","chain_id":"0x127","nonce":18446744073709551615,` +
      `"r":"0x${'02'.padStart(64, '0')}","s":"0x${'33'.repeat(32)}","y_parity":"0x1"}`;
    const second = first
      .replace('0x127', '0x0')
      .replace('18446744073709551615', '0')
      .replace('"y_parity":"0x1"', '"y_parity":"0x0"');
    expect(written?.authorization_list).toBe(`[${first},${second}]`);
  });

  it('names the file with the call data, and is written when the transaction failed', () => {
    const fields = ethereum(transactionOf(2), { body: { callData: { fileNum: 1500n } } });
    for (const handled of [handle(itemOf(fields)), handleFailed(fields)]) {
      expect(handled.rows('ethereum_transaction')).toMatchObject([{ call_data_id: 1500n, hash: HASH }]);
      expect(handled.touched).toContain(1500n);
    }
  });

  it('has the hash of its bytes where the record has none', () => {
    const raw = encodeTransaction(transactionOf(2));
    const handled = handle(itemOf(ethereum(raw, { record: { ethereumHash: new Uint8Array(0) } })));
    expect(handled.rows('ethereum_transaction')).toMatchObject([{ hash: keccak256(raw) }]);
    expect(handled.problems).toEqual([]);
  });

  it('is left out, and that is noted, when the bytes are something else', () => {
    const handled = handle(itemOf(ethereum(bytes('03c0'), { record: called({ signerNonce: 9n }) })));
    expect(handled.all).toEqual([]);
    expect(handled.problems).toEqual(['Invalid Ethereum transaction: type 3 is unknown']);
    expect(handled.entityId).toBe(1700n);
  });

  it('is left out when Ethereum transactions are not kept', () => {
    const { all, problems } = handle(itemOf(ethereum(transactionOf(2))), { persist: { ethereumTransactions: false } });
    expect({ all, problems }).toEqual({ all: [], problems: [] });
  });
});

describe('the main entity', () => {
  it('is the contract of the result', () => {
    const entityOf = (record: object, receipt = {}) =>
      handle(itemOf(ethereum(transactionOf(2), { record, receipt }))).entityId;
    expect(entityOf(called())).toBe(1700n);
    const created = { $case: 'contractCreateResult', contractCreateResult: { contractID: contract(2n) } };
    expect(entityOf({ body: created })).toBe(2n);
    expect(entityOf({}, { contractID: contract(3n) })).toBe(0n);
  });
});

describe('the nonce of the sender', () => {
  const nonces = (fields: ItemFields, persist = {}) => handle(itemOf(fields), { persist }).rows('entity');
  const old = { hapi: '0.46.0' };

  it('is the one in the result, whatever became of the transaction', () => {
    const fields = ethereum(transactionOf(2), { record: called({ signerNonce: 42n }) });
    expect(nonces(fields)).toEqual([{ id: SENDER, ethereum_nonce: 42n }]);
    expect(handleFailed(fields).rows('entity')).toEqual([{ id: SENDER, ethereum_nonce: 42n }]);
    expect(handle(itemOf(fields)).touched).toContain(SENDER);
    expect(nonces(ethereum(transactionOf(2), { record: called({ signerNonce: 0n }), ...old }))).toEqual([
      { id: SENDER, ethereum_nonce: 0n },
    ]);
    expect(nonces(fields, { trackNonce: false })).toEqual([]);
    expect(nonces(fields, { ethereumTransactions: false })).toHaveLength(1);
  });

  it('is counted up for networks that did not say it', () => {
    const fields = (more: object) => ethereum(transactionOf(2), { record: called(), ...more });
    const counted = [{ id: SENDER, ethereum_nonce: 6n }];
    expect(nonces(fields(old))).toEqual(counted);
    expect(nonces(fields({ ...old, status: ResponseCodeEnum.CONTRACT_REVERT_EXECUTED }))).toEqual(counted);
    expect(nonces(fields({ ...old, status: ResponseCodeEnum.MAX_CHILD_RECORDS_EXCEEDED }))).toEqual(counted);
    expect(nonces(fields({ ...old, status: ResponseCodeEnum.WRONG_NONCE }))).toEqual([]);
    expect(nonces(fields({ hapi: '0.47.0' }))).toEqual([]);
  });

  it('needs a result that names the sender', () => {
    expect(nonces(ethereum(transactionOf(2), old))).toEqual([]);
    expect(nonces(ethereum(transactionOf(2), { record: called({ senderId: undefined }), ...old }))).toEqual([]);
  });
});

describe('in the database', () => {
  const ledger = useTestLedger();

  it('the lists are JSON, and the nonce changes the sender without a new version', async () => {
    const fields = ethereum(
      transactionOf(4, { accessList: [{ address: TO, storageKeys: [] }], authorizationList: [] }),
      { record: called({ signerNonce: 6n }) },
    );
    await ledger.write((batch) =>
      batch.stage('entity', { id: SENDER, type: 'ACCOUNT', created_timestamp: 1n, timestamp_range: since(1n) }),
    );
    await ledger.write((batch) => {
      applyItem(itemOf(fields), contextOf(batch));
    });
    expect(
      await ledger.row('ethereum_transaction', 'access_list::text, authorization_list::text, value, type', 'true'),
    ).toEqual({
      access_list: `[{"address": "0x${'7e'.repeat(20)}", "storage_keys": []}]`,
      authorization_list: '[]',
      value: Buffer.from('00ff', 'hex'),
      type: 4,
    });
    expect(await ledger.row('entity', 'ethereum_nonce, lower(timestamp_range) as lower', `id = ${SENDER}`)).toEqual({
      ethereum_nonce: '6',
      lower: '1',
    });
    expect(await ledger.rows('entity_history')).toEqual([]);
  });
});
