import { describe, expect, it } from 'vitest';
import { TransactionBody } from '../protobuf/generated/services/transaction.ts';
import type { RecordFileItem } from '../streams/record-file-content.ts';
import { isTopLevel, type RecordItem } from './record-item.ts';
import { decodeRecordItems } from './record-items.ts';
import { account, type RawItemFields, rawItem, recordFileOf, SECOND, START } from './testing/items.fixture.ts';

const decode = (...raw: readonly RecordFileItem[]): { items: RecordItem[]; problems: string[] } => {
  const problems: string[] = [];
  const items = decodeRecordItems(recordFileOf(raw), (_, message) => problems.push(message));
  return { items, problems };
};

const only = (fields: RawItemFields): RecordItem => decode(rawItem(fields)).items[0] as RecordItem;

const transfer = { data: { $case: 'cryptoTransfer', cryptoTransfer: {} } } as const;
const at = (nanos: number) => ({ seconds: SECOND, nanos });

describe('a record item', () => {
  it.each(['embedded', 'bodyBytes', 'signed'] as const)('has the body of a transaction that is %s', (generation) => {
    const item = only({
      generation,
      at: 7,
      body: { ...transfer, memo: 'hello' },
      signatureMap: {
        sigPair: [{ pubKeyPrefix: new Uint8Array([1]), signature: { $case: 'ed25519', ed25519: new Uint8Array(64) } }],
      },
    });
    expect(item.type).toBe(14);
    expect(item.payer).toBe(1001n);
    expect(item.consensusTimestamp).toBe(START + 7n);
    expect(item.successful).toBe(true);
    expect(Buffer.from(item.memo).toString()).toBe('hello');
    expect(item.body.data?.$case).toBe('cryptoTransfer');
    expect(item.signatures).toHaveLength(1);
    expect(item.hapiVersion).toEqual({ major: 0, minor: 60, patch: 1 });
  });

  it('gives the same after it was released', () => {
    const item = only({ body: { ...transfer, memo: 'again' } });
    const { body, record } = item;
    item.release?.();
    expect(item.body).toEqual(body);
    expect(item.body).not.toBe(body);
    expect(item.record).toEqual(record);
    expect(Buffer.from(item.memo).toString()).toBe('again');
  });

  it('names the contract of its result, before and after it was released', () => {
    const result = (contractCallResult: object) =>
      only({ record: { body: { $case: 'contractCallResult', contractCallResult } } });
    const call = result({ contractID: { contract: { $case: 'contractNum', contractNum: 7n } } });
    call.release?.();
    expect(call.resultContract).toBe(7n);
    expect(call.resultContract).toBe(7n);
    expect(result({}).resultContract).toBe(0n);
    expect(only({ body: transfer }).resultContract).toBeUndefined();
  });

  it('keeps the exact bytes of memo, batch key and fee limits', () => {
    const key = { key: { $case: 'ed25519', ed25519: new Uint8Array(32).fill(5) } } as const;
    const plain = TransactionBody.encode(
      TransactionBody.fromPartial({ ...transfer, batchKey: key, maxCustomFees: [{ fees: [{ amount: 3n }] }] }),
    ).finish();
    const notUtf8 = [0x32, 3, 0xff, 0xfe, 0x41];
    const item = only({ bodyBytes: Uint8Array.from([...plain, ...notUtf8]) });
    expect([...item.memo]).toEqual([0xff, 0xfe, 0x41]);
    expect(Buffer.from(item.batchKey ?? []).toString('hex')).toBe(`1220${'05'.repeat(32)}`);
    expect(item.maxCustomFees.map((limit) => Buffer.from(limit).toString('hex'))).toEqual(['12020803']);
  });

  it('keeps the exact bytes of what is to be scheduled, whose fields may come in any order', () => {
    // Field 2 (memo) before field 1 (fee), in field 1 of a ScheduleCreate, which is field 42.
    const scheduled = Uint8Array.of(0x12, 1, 0x78, 0x08, 5);
    const bodyBytes = Uint8Array.of(0xd2, 0x02, scheduled.length + 2, 0x0a, scheduled.length, ...scheduled);
    expect(only({ bodyBytes })).toMatchObject({ type: 42, scheduledBody: scheduled });
    expect(only({ body: transfer }).scheduledBody).toEqual(new Uint8Array(0));
  });

  it('has the number of a type that is not known', () => {
    const unknownPart = [0xba, 0x06, 0]; // field 103, empty message
    const common = TransactionBody.encode(TransactionBody.fromPartial({ memo: 'x' })).finish();
    expect(only({ bodyBytes: Uint8Array.from([...common, ...unknownPart]) }).type).toBe(103);
  });

  it('does not take an unknown field for the type when there is a known one, nor one of several', () => {
    const later = [0xda, 0x3e, 0]; // field 1003
    const other = [0xe2, 0x3e, 0]; // field 1004
    const known = TransactionBody.encode(TransactionBody.fromPartial(transfer)).finish();
    expect(only({ bodyBytes: Uint8Array.from([...known, ...later]) }).type).toBe(14);
    const { items, problems } = decode(rawItem({ bodyBytes: Uint8Array.from([...later, ...other]) }));
    expect(items[0]?.type).toBe(0);
    expect(items[0]?.body.data).toBeUndefined();
    expect(problems).toEqual(['the body has 2 unknown fields and no type']);
  });

  it('tells when there is no type', () => {
    const { items, problems } = decode(rawItem({ body: { memo: 'x' } }));
    expect(items[0]?.type).toBe(0);
    expect(items[0]?.body.memo).toBe('x');
    expect(problems).toEqual(['the body has no type']);
  });

  it('keeps a body whose type-specific part cannot be decoded, and tells it once', () => {
    const common = TransactionBody.encode(
      TransactionBody.fromPartial({ transactionID: { accountID: account(1001n) }, memo: 'm' }),
    ).finish();
    const brokenTransfer = [0x72, 2, 0x0a, 9]; // field 14 whose first field runs beyond its end
    const raw = rawItem({ bodyBytes: Uint8Array.from([...common, ...brokenTransfer]) });
    const { items, problems } = decode(raw, rawItem({ at: 1, body: transfer }));
    const item = items[0] as RecordItem;
    expect(item.type).toBe(14);
    expect(item.body.data).toBeUndefined();
    expect(item.body.memo).toBe('m');
    expect(item.payer).toBe(1001n);
    item.release?.();
    expect(item.body.memo).toBe('m');
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/type 14 cannot be decoded/);
    expect(items[1]?.body.data?.$case).toBe('cryptoTransfer');
  });

  it('keeps items apart whose time does not fit', () => {
    const overflowing = (at: number) =>
      rawItem({ at, body: transfer, record: { consensusTimestamp: { seconds: 1_568_376_750_538n, nanos: at } } });
    const { items } = decode(overflowing(1), rawItem({ at: 2, body: transfer }), overflowing(3));
    const max = 9_223_372_036_854_775_807n;
    expect(items.map(({ consensusTimestamp }) => consensusTimestamp)).toEqual([max - 1n, START + 2n, max]);
  });

  it('refuses a transaction without a body, naming file and index', () => {
    const good = rawItem({ body: transfer });
    expect(() => decode(good, { transaction: new Uint8Array(0), record: good.record })).toThrow(
      expect.objectContaining({
        code: 'RECORD_ITEM_UNDECODABLE',
        details: { file: '2023-11-14T22_13_20.000000001Z.rcd.gz', index: 1 },
      }),
    );
  });

  it('takes an impossible payer as empty', () => {
    const { items, problems } = decode(
      rawItem({ body: { ...transfer, transactionID: { accountID: account(1n << 40n) } } }),
    );
    expect(items[0]?.payer).toBe(0n);
    expect(problems[0]).toMatch(/payer: Invalid entity id/);
  });
});

describe('parents', () => {
  it('are found through siblings, and their failure is that of the children', () => {
    const { items } = decode(
      rawItem({ at: 1, body: transfer, status: 11 }),
      rawItem({ at: 2, nonce: 1, body: transfer, record: { parentConsensusTimestamp: at(1) } }),
      rawItem({ at: 3, nonce: 2, body: transfer, record: { parentConsensusTimestamp: at(1) } }),
      rawItem({ at: 4, body: transfer }),
    );
    expect(items.map(({ parent }) => parent?.index)).toEqual([undefined, 0, 0, undefined]);
    expect(items.map(({ successful }) => successful)).toEqual([false, false, false, true]);
  });

  it('are found by an inner transaction whose sibling has children', () => {
    const { items } = decode(
      rawItem({ at: 1, body: { data: { $case: 'atomicBatch', atomicBatch: { transactions: [] } } } }),
      rawItem({ at: 2, body: transfer, record: { parentConsensusTimestamp: at(1) } }),
      rawItem({ at: 3, nonce: 1, body: transfer, record: { parentConsensusTimestamp: at(2) } }),
      rawItem({ at: 4, body: transfer, record: { parentConsensusTimestamp: at(1) } }),
    );
    expect(items.map(({ parent }) => parent?.index)).toEqual([undefined, 0, 1, 0]);
  });

  it('tell top-level transactions from children', () => {
    const fileUpdate = { data: { $case: 'fileUpdate', fileUpdate: {} } } as const;
    const { items } = decode(
      rawItem({ at: 1, body: transfer }),
      rawItem({ at: 2, nonce: 1, body: transfer, record: { parentConsensusTimestamp: at(1) } }),
      rawItem({ at: 3, nonce: 1, body: transfer }),
      rawItem({
        at: 4,
        body: { ...transfer, transactionID: { accountID: account(1n), nonce: 2, scheduled: true } },
        record: { parentConsensusTimestamp: at(1) },
      }),
      rawItem({
        at: 5,
        body: { ...fileUpdate, transactionID: { accountID: account(50n), nonce: 2 } },
        record: { parentConsensusTimestamp: at(1) },
      }),
    );
    expect(items.map(isTopLevel)).toEqual([true, false, true, true, true]);
  });
});
