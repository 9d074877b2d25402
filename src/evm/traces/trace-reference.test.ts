import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { ALIASED, BEGINNING, CONTRACT_CALL, PAYER, RecordedLedger, SECOND } from './testing/recorded-ledger.fixture.ts';
import { parseTraceReference, referencedTimestamp } from './trace-reference.ts';

const digits = 'Ab'.repeat(32);
const hash = new Uint8Array(32).fill(0xab);

describe('a reference', () => {
  it.each([
    [digits, { kind: 'hash', hash }],
    [`0x${digits}`, { kind: 'hash', hash }],
    ['0.0.1001-1700000000-1', { kind: 'transaction-id', payerId: 1001n, validStart: 1_700_000_000_000_000_001n }],
    [
      '0.0.1001-1700000000-000000001',
      { kind: 'transaction-id', payerId: 1001n, validStart: 1_700_000_000_000_000_001n },
    ],
    [
      '0.0.1001-1700000000-100000000',
      { kind: 'transaction-id', payerId: 1001n, validStart: 1_700_000_000_100_000_000n },
    ],
    ['1.2.3-0-0', { kind: 'transaction-id', payerId: (1n << 54n) + (2n << 38n) + 3n, validStart: 0n }],
    [
      '0.0.1001-9223372036-854775807',
      { kind: 'transaction-id', payerId: 1001n, validStart: 9_223_372_036_854_775_807n },
    ],
  ])('%s is read', (text, expected) => {
    expect(parseTraceReference(text)).toEqual(expected);
  });

  it.each([
    '',
    '1001',
    digits.slice(2),
    `${digits}${digits.slice(32)}`,
    `0X${digits}`,
    `0x${'g'.repeat(64)}`,
    '0.0.1001@1700000000.000000001',
    '0.0.1001-1700000000',
    '0.0.1001-1700000000-',
    '0.0.1001-1700000000-1234567890',
    '0.1001-1700000000-1',
    '0.0.0x3e9-1700000000-1',
    '-0.0.1001-1700000000-1',
    '0.0.1001--1700000000-1',
    ' 0.0.1001-1700000000-1',
    '0.0.1001-9223372036-854775808',
    '0.0.274877906944-1-1',
    '1024.0.3-1-1',
  ])('"%s" is none', (text) => {
    expect(parseTraceReference(text)).toBeUndefined();
  });
});

describe('the transaction it names', () => {
  let target: TestDatabase;
  let ledger: RecordedLedger;
  beforeAll(async () => {
    target = await createTestDatabase();
    ledger = new RecordedLedger(target.database);
  });
  beforeEach(() => ledger.clear());
  afterAll(() => target?.drop());

  const found = (text: string) => {
    const reference = parseTraceReference(text);
    if (reference === undefined) throw new Error(`${text} is no reference`);
    return referencedTimestamp(target.database, reference);
  };

  it('is the first with that hash', async () => {
    await ledger.hash(BEGINNING + 9n, 'ab'.repeat(32));
    await ledger.hash(BEGINNING + 5n, 'ab'.repeat(32));
    await ledger.hash(BEGINNING + 1n, 'cd'.repeat(32));
    expect(await found(digits)).toBe(BEGINNING + 5n);
    expect(await found('ef'.repeat(32))).toBeUndefined();
  });

  it('is the first with that id', async () => {
    await ledger.transaction(BEGINNING + 7n, CONTRACT_CALL, PAYER, BEGINNING - 1n);
    await ledger.transaction(BEGINNING + 6n, CONTRACT_CALL, PAYER, BEGINNING - 1n);
    await ledger.transaction(BEGINNING + 3n, CONTRACT_CALL, ALIASED, BEGINNING - 1n);
    await ledger.transaction(BEGINNING + 2n, CONTRACT_CALL, PAYER, BEGINNING - SECOND);
    expect(await found('0.0.1001-1699999999-999999999')).toBe(BEGINNING + 6n);
    expect(await found('0.0.1001-1699999999-0')).toBe(BEGINNING + 2n);
    expect(await found('0.0.1003-1699999999-999999999')).toBeUndefined();
  });
});
