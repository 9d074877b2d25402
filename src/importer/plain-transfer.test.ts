import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Setting } from '../config/setting.ts';
import { persistSettings } from '../config/settings/importer.ts';
import { copyHeadroom } from '../database/copy-query.ts';
import { ResponseCodeEnum } from '../protobuf/generated/services/response_code.ts';
import type { RecordFileItem } from '../streams/record-file-content.ts';
import { BlockTransformer } from './block-transformer.ts';
import { CachedEntityLookup } from './entity-lookup.ts';
import { PrefetchedFileContents } from './file-contents.ts';
import { LedgerBatch } from './ledger-batch.ts';
import { PlainTransferReader } from './plain-transfer.ts';
import type { RecordItem } from './record-item.ts';
import { decodeRecordItems } from './record-items.ts';
import {
  account,
  amounts,
  type BodyFields,
  type RawItemFields,
  rawItem,
  recordFileOf,
  SECOND,
  START,
} from './testing/items.fixture.ts';
import type { PersistSettings } from './transaction-handler.ts';
import { transactionHandlers } from './transactions/registry.ts';

const defaults = Object.fromEntries(
  Object.entries(persistSettings).map(([name, setting]) => [name, (setting as Setting<unknown>).default]),
) as PersistSettings;

const decode = (raw: RecordFileItem): RecordItem => decodeRecordItems(recordFileOf([raw]), () => {})[0] as RecordItem;

/** The same item without its short way. */
const ordinary = (item: RecordItem): RecordItem => ({
  consensusTimestamp: item.consensusTimestamp,
  index: item.index,
  type: item.type,
  status: item.status,
  successful: item.successful,
  payer: item.payer,
  body: item.body,
  record: item.record,
  memo: item.memo,
  batchKey: item.batchKey,
  maxCustomFees: item.maxCustomFees,
  scheduledBody: item.scheduledBody,
  signatures: item.signatures,
  transactionBytes: item.transactionBytes,
  recordBytes: item.recordBytes,
  resultContract: item.resultContract,
  sidecarRecords: item.sidecarRecords,
  ethereum: item.ethereum,
  hapiVersion: item.hapiVersion,
  parent: item.parent,
  previous: item.previous,
});

const rowsOf = (item: RecordItem, file = recordFileOf([])): unknown => {
  const lookup = new CachedEntityLookup({ shard: 0n, realm: 0n });
  const batch = new LedgerBatch({ entityHistory: true, entityStaged: lookup.entityStaged });
  const transformer = new BlockTransformer({
    handlers: transactionHandlers,
    lookup,
    files: new PrefetchedFileContents(),
    persist: defaults,
    network: { shard: 0n, realm: 0n },
  });
  transformer.transform({ file, index: 1n, loadStart: 0n, loadEnd: 0n }, [item], batch);
  batch.encodeRows();
  const encoded = (table: 'transaction' | 'crypto_transfer' | 'transaction_hash'): string =>
    Buffer.concat(
      [...(batch.encodedRows(table)?.chunks() ?? [])].map((chunk) => chunk.subarray(copyHeadroom)),
    ).toString('hex');
  return {
    transactions: encoded('transaction'),
    transfers: encoded('crypto_transfer'),
    hashes: encoded('transaction_hash'),
    entities: [...batch.staged('entity').settled()].map(({ delta, versions }) => ({ delta, versions })),
    blocks: batch.rows('record_file'),
  };
};

const num = fc.oneof(fc.bigInt({ min: 1n, max: 2_000n }), fc.bigInt({ min: 1n, max: (1n << 38n) - 1n }));
/** Below 2^52, so that a number holds their encoding exactly. */
const tinybars = fc.bigInt({ min: 1n - (1n << 52n), max: (1n << 52n) - 1n });
const entries = fc.array(fc.tuple(num, tinybars), { maxLength: 6 });

const plainFields: fc.Arbitrary<RawItemFields> = fc
  .record({
    at: fc.integer({ min: 0, max: 999_999_999 }),
    generation: fc.constantFrom('signed', 'bodyBytes'),
    transfers: fc.option(entries, { nil: undefined }),
    paid: fc.option(entries, { nil: undefined }),
    fee: fc.bigInt({ min: 0n, max: 1n << 53n }).map((fee) => fee - 1n),
    charged: fc.bigInt({ min: 0n, max: (1n << 53n) - 1n }),
    duration: fc.option(fc.bigInt({ min: 1n, max: 1n << 40n }), { nil: undefined }),
    node: fc.option(num, { nil: undefined }),
    memo: fc.string({ maxLength: 100, unit: 'grapheme' }),
    hashLength: fc.constantFrom(1, 32, 48, 33),
    withRate: fc.boolean(),
    signatures: fc.integer({ min: 0, max: 2 }),
  })
  .map((given) => ({
    at: given.at,
    generation: given.generation as 'signed' | 'bodyBytes',
    signatureMap: {
      sigPair: Array.from({ length: given.signatures }, () => ({
        pubKeyPrefix: new Uint8Array([1]),
        signature: { $case: 'ed25519' as const, ed25519: new Uint8Array(64) },
      })),
    },
    body: {
      transactionFee: given.fee < 0n ? 0n : given.fee,
      transactionValidDuration: given.duration === undefined ? undefined : { seconds: given.duration },
      nodeAccountID: given.node === undefined ? undefined : account(given.node),
      memo: given.memo,
      data: {
        $case: 'cryptoTransfer',
        cryptoTransfer: {
          transfers: given.transfers === undefined ? undefined : { accountAmounts: amounts(...given.transfers) },
        },
      },
    },
    record: {
      transactionFee: given.charged,
      memo: given.memo,
      transactionHash: new Uint8Array(given.hashLength).fill(7),
      transferList: given.paid === undefined ? undefined : { accountAmounts: amounts(...given.paid) },
      receipt: given.withRate
        ? { exchangeRate: { currentRate: { hbarEquiv: 1, centEquiv: 12 }, nextRate: { hbarEquiv: 1, centEquiv: 13 } } }
        : {},
    },
  }));

const body = (
  data: Partial<Extract<NonNullable<NonNullable<BodyFields>['data']>, { $case: 'cryptoTransfer' }>>,
): BodyFields => ({ data: { $case: 'cryptoTransfer', ...data } }) as BodyFields;

const pay = { transfers: { accountAmounts: amounts([1001n, -10n], [1002n, 10n]) } };
const paid = { transferList: { accountAmounts: amounts([1001n, -10n], [1002n, 10n]) } };
const aliased = { account: { $case: 'alias' as const, alias: new Uint8Array(20).fill(9) } };

/** Each in one way more than a plain transfer. */
const notPlain: Readonly<Record<string, RawItemFields>> = {
  'an approved transfer': {
    body: body({
      cryptoTransfer: { transfers: { accountAmounts: amounts([1001n, -10n, true], [1002n, 10n]) } } as never,
    }),
    record: paid,
  },
  'tokens asked for': {
    body: body({ cryptoTransfer: { ...pay, tokenTransfers: [{ token: { tokenNum: 5n } }] } as never }),
    record: paid,
  },
  'a hook': {
    body: body({
      cryptoTransfer: {
        transfers: {
          accountAmounts: [
            {
              accountID: account(1001n),
              amount: -1n,
              hookCall: { $case: 'preTxAllowanceHook', preTxAllowanceHook: {} },
            },
          ],
        },
      } as never,
    }),
    record: paid,
  },
  'token transfers in the record': {
    body: body({ cryptoTransfer: pay as never }),
    record: {
      ...paid,
      tokenTransferLists: [{ token: { tokenNum: 5n }, transfers: amounts([1001n, -1n], [1002n, 1n]) }],
    },
  },
  'an alias in the record': {
    body: body({ cryptoTransfer: pay as never }),
    record: { transferList: { accountAmounts: [{ accountID: aliased, amount: 5n }] } },
  },
  'another realm': {
    body: body({ cryptoTransfer: pay as never }),
    record: { transferList: { accountAmounts: [{ accountID: { ...account(7n), realmNum: 1n }, amount: 5n }] } },
  },
  'a child': {
    body: body({ cryptoTransfer: pay as never }),
    record: { ...paid, parentConsensusTimestamp: { seconds: 1n } },
  },
  'a nonce': { body: body({ cryptoTransfer: pay as never }), record: paid, nonce: 1 },
  'a schedule': { body: body({ cryptoTransfer: pay as never }), record: { ...paid, scheduleRef: { scheduleNum: 8n } } },
  'a staking reward': {
    body: body({ cryptoTransfer: pay as never }),
    record: { ...paid, paidStakingRewards: amounts([1001n, 5n]) },
  },
  'an assessed fee': {
    body: body({ cryptoTransfer: pay as never }),
    record: { ...paid, assessedCustomFees: [{ amount: 5n, feeCollectorAccountId: account(9n) }] },
  },
  'an association': {
    body: body({ cryptoTransfer: pay as never }),
    record: { ...paid, automaticTokenAssociations: [{ accountId: account(9n), tokenId: { tokenNum: 5n } }] },
  },
  'high volume': { body: { ...body({ cryptoTransfer: pay as never }), highVolume: true }, record: paid },
  'a batch key': {
    body: {
      ...body({ cryptoTransfer: pay as never }),
      batchKey: { key: { $case: 'ed25519', ed25519: new Uint8Array(32) } },
    },
    record: paid,
  },
  'a limit of custom fees': {
    body: { ...body({ cryptoTransfer: pay as never }), maxCustomFees: [{ accountId: account(7n) }] },
    record: paid,
  },
  'a failure': {
    body: body({ cryptoTransfer: pay as never }),
    record: paid,
    status: ResponseCodeEnum.INSUFFICIENT_ACCOUNT_BALANCE,
  },
  'a contract result': {
    body: body({ cryptoTransfer: pay as never }),
    record: { ...paid, body: { $case: 'contractCallResult', contractCallResult: { gasUsed: 5n } } },
  },
  'an amount beyond 53 bits': {
    body: body({ cryptoTransfer: pay as never }),
    record: { transferList: { accountAmounts: amounts([1001n, -(1n << 60n)], [1002n, 1n << 60n]) } },
  },
  'an embedded body': { body: body({ cryptoTransfer: pay as never }), record: paid, generation: 'embedded' },
  'another type': {
    body: { data: { $case: 'consensusSubmitMessage', consensusSubmitMessage: {} } } as BodyFields,
    record: paid,
  },
};

describe('a plain transfer', () => {
  it('leaves the rows that its decoded messages leave', () => {
    fc.assert(
      fc.property(plainFields, (fields) => {
        const raw = rawItem(fields);
        expect(decode(raw).plainTransfer?.()).toBeDefined();
        expect(rowsOf(decode(raw))).toEqual(rowsOf(ordinary(decode(raw))));
      }),
      { numRuns: 500 },
    );
  });

  it('is read as what it says', () => {
    const item = decode(
      rawItem({
        at: 5,
        body: { ...body({ cryptoTransfer: pay as never }), memo: 'rent' },
        record: { ...paid, transactionFee: 77n },
      }),
    );
    const transfer = item.plainTransfer?.();
    expect(transfer).toMatchObject({
      payer: 1001,
      node: 3,
      validDuration: 120,
      maxFee: 100_000_000,
      chargedFee: 77,
      status: ResponseCodeEnum.SUCCESS,
      memo: new Uint8Array(Buffer.from('rent')),
      transactionHash: new Uint8Array(48).fill(6),
      entries: 2,
    });
    expect(transfer?.validStart).toBe(START - 10_000_000_000n + 5n);
    expect(transfer?.consensusTimestamp).toBe(SECOND * 1_000_000_000n + 5n);
    expect(transfer?.accounts.slice(0, 2)).toEqual([1001, 1002]);
    expect(transfer?.amounts.slice(0, 2)).toEqual([-10, 10]);
    expect(item.consensusTimestamp).toBe(SECOND * 1_000_000_000n + 5n);
  });

  it.each(Object.entries(notPlain))('is not one with %s', (_, fields) => {
    const raw = rawItem({ at: 5, ...fields });
    expect(decode(raw).plainTransfer?.()).toBeUndefined();
    expect(rowsOf(decode(raw))).toEqual(rowsOf(ordinary(decode(raw))));
  });

  it('is looked for in damaged bytes without a fault', () => {
    const reader = new PlainTransferReader();
    fc.assert(
      fc.property(plainFields, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(), (fields, at, byte, length) => {
        const { transaction, record } = rawItem(fields);
        for (const part of [transaction, record]) {
          part[at % part.length] = byte;
          const cut = part.subarray(0, length % part.length);
          expect(reader.read(transaction, cut) && reader.entries > reader.accounts.length).toBe(false);
          expect(typeof reader.read(transaction, record)).toBe('boolean');
          expect(typeof reader.read(cut, record)).toBe('boolean');
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
