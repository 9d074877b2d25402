import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../ledger/bytes.ts';
import type { EthereumTransaction } from '../../ledger/ethereum-transaction.ts';
import { keccak256 } from '../../ledger/hash.ts';
import { encodeTransaction, transactionOf } from '../../ledger/testing/ethereum-transaction.fixture.ts';
import { hasRealStreams, realStreams } from '../../streams/testing/real-streams.fixture.ts';
import { PrefetchedFileContents } from '../file-contents.ts';
import { LedgerBatch } from '../ledger-batch.ts';
import type { RecordItem } from '../record-item.ts';
import { useTestLedger } from '../testing/ledger.fixture.ts';
import { applyItem, contextOf, handle, type ItemFields, itemOf } from '../transactions/testing/handled.fixture.ts';
import {
  hasSnapshots,
  type RealLedger,
  recordFileLedgers,
  snapshotLedgers,
} from '../transactions/testing/real-items.fixture.ts';
import { ethereumTransactionOf, evmHashOf } from './ethereum-of.ts';

const CALL_DATA = new Uint8Array(300).fill(0x60);
const HEX_TEXT = new TextEncoder().encode(toHex(CALL_DATA));
const PREFIXED = new TextEncoder().encode(`0x${toHex(CALL_DATA).toUpperCase()}`);
const OWN_HASH = new Uint8Array(48).fill(0xcc);

const ethereumItem = (ethereumData: Uint8Array, fileNum?: bigint, record: ItemFields['record'] = {}): RecordItem =>
  itemOf({
    data: {
      $case: 'ethereumTransaction',
      ethereumTransaction: { ethereumData, ...(fileNum !== undefined && { callData: { fileNum } }) },
    },
    record: { transactionHash: OWN_HASH, ...record },
  });

const hashOf = (item: RecordItem, files: Record<string, Uint8Array> = {}): Uint8Array =>
  evmHashOf(item, contextOf(new LedgerBatch({ entityHistory: true }), { files }));

const NO_DATA: Partial<EthereumTransaction> = { callData: new Uint8Array(0) };
const ENTRY = { address: new Uint8Array(20).fill(1), storageKeys: [] };

describe('the hash of an Ethereum transaction', () => {
  it('is the one in the record', () => {
    const ethereumHash = new Uint8Array(32).fill(0xee);
    expect(hashOf(ethereumItem(encodeTransaction(transactionOf(2)), 5n, { ethereumHash }))).toEqual(ethereumHash);
  });

  it.each([0, 1, 2, 4] as const)('of type %d is else that of its bytes', (type) => {
    const whole = encodeTransaction(transactionOf(type));
    expect(hashOf(ethereumItem(whole))).toEqual(keccak256(whole));
    expect(hashOf(ethereumItem(whole, 5n), { 5: HEX_TEXT })).toEqual(keccak256(whole));
    const empty = encodeTransaction(transactionOf(type, NO_DATA));
    expect(hashOf(ethereumItem(empty))).toEqual(keccak256(empty));
  });

  it.each([0, 1, 2, 4] as const)('of type %d counts the call data in a file as its own', (type) => {
    const signed = encodeTransaction(transactionOf(type, { callData: CALL_DATA }));
    const item = ethereumItem(encodeTransaction(transactionOf(type, NO_DATA)), 5n);
    expect(hashOf(item, { 5: HEX_TEXT })).toEqual(keccak256(signed));
    expect(hashOf(item, { 5: PREFIXED })).toEqual(keccak256(signed));
  });

  it('is empty, and noted, where the file is missing, is no hex, or an access list stands by', () => {
    const item = ethereumItem(encodeTransaction(transactionOf(2, NO_DATA)), 5n);
    const outcome = (one: RecordItem, files: Record<string, Uint8Array>) => {
      const { problems, rows } = handle(one, { files });
      expect(hashOf(one, files)).toEqual(new Uint8Array(0));
      return [problems, rows('ethereum_transaction')[0]?.hash];
    };
    const fault = 'the hash is unknown: the file with the call data is missing or not hex';
    expect(outcome(item, {})).toEqual([[fault], new Uint8Array(0)]);
    expect(outcome(item, { 5: new TextEncoder().encode('hello') })).toEqual([[fault], new Uint8Array(0)]);
    const listed = ethereumItem(encodeTransaction(transactionOf(2, { ...NO_DATA, accessList: [ENTRY] })), 5n);
    expect(outcome(listed, { 5: HEX_TEXT })).toEqual([
      ['the hash is unknown: there is an access list, and the call data is in a file'],
      new Uint8Array(0),
    ]);
  });
});

describe('the hash of anything else', () => {
  it('is the beginning of its own, padded where it is short', () => {
    expect(hashOf(ethereumItem(new Uint8Array(3)))).toEqual(new Uint8Array(32).fill(0xcc));
    const call = { data: { $case: 'contractCall' as const, contractCall: {} } };
    expect(hashOf(itemOf({ ...call, record: { transactionHash: OWN_HASH } }))).toEqual(new Uint8Array(32).fill(0xcc));
    const short = hashOf(itemOf({ ...call, record: { transactionHash: Uint8Array.of(1, 2) } }));
    expect(toHex(short)).toBe(`0102${'00'.repeat(30)}`);
    expect(ethereumTransactionOf(itemOf(call))).toBeUndefined();
  });
});

interface HashCase {
  readonly callDataId: number | null;
  readonly data: string;
  readonly hash: string;
}

const base64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));

describe.skipIf(!hasRealStreams)('Ethereum transactions of public networks', () => {
  const ledger = useTestLedger();

  it('have the hashes by which these networks know them', async () => {
    await ledger.database.query(readFileSync(`${realStreams}/ethereum/file_data.sql`, 'utf8'));
    const cases = JSON.parse(
      readFileSync(`${realStreams}/ethereum/ethereum_transaction.json`, 'utf8'),
    ) as readonly HashCase[];
    const items = cases.map(({ data, callDataId }) =>
      ethereumItem(base64(data), callDataId === null ? undefined : BigInt(callDataId)),
    );
    const files = new PrefetchedFileContents();
    await files.prefetch(ledger.database, items);
    expect(items.map((item) => toHex(evmHashOf(item, { files })))).toEqual(
      cases.map(({ hash }) => toHex(base64(hash))),
    );
    expect(cases.filter(({ callDataId }) => callDataId !== null)).toHaveLength(3);
  });
});

/** What the hashes of a ledger's Ethereum transactions would be if the records didn't say them, and what these say. */
const hashesOf = ({ items }: RealLedger): [computed: string, recorded: string][] => {
  const batch = new LedgerBatch({ entityHistory: true });
  batch.beginBlock();
  const files = new PrefetchedFileContents();
  files.useBatch(batch);
  const hashes: [string, string][] = [];
  for (const item of items) {
    applyItem(item, contextOf(batch));
    const { data } = item.body;
    if (data?.$case !== 'ethereumTransaction') continue;
    hashes.push([toHex(evmHashOf(itemOf({ data }), { files })), toHex(item.record.ethereumHash)]);
  }
  return hashes;
};

describe.skipIf(!hasRealStreams || !hasSnapshots)('Ethereum transactions of real records', () => {
  it('have the hashes that their records say', () => {
    const hashes = [...recordFileLedgers(), ...snapshotLedgers()].flatMap(hashesOf);
    expect(hashes.map(([computed]) => computed)).toEqual(hashes.map(([, recorded]) => recorded));
    expect(hashes).toHaveLength(35);
  });
});
