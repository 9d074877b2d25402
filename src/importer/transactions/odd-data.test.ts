import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { TransactionRecord } from '../../protobuf/generated/services/transaction_record.ts';
import { ethereumContentOf } from '../contracts/ethereum-content.ts';
import type { RecordItem } from '../record-item.ts';
import { unwritableColumns } from './testing/column-check.fixture.ts';
import {
  account,
  bytes,
  contract,
  ED25519,
  handle,
  type ItemFields,
  itemOf,
  token,
} from './testing/handled.fixture.ts';
import { hasSnapshots, snapshotLedgers } from './testing/real-items.fixture.ts';

/** Milliseconds that a busy machine may take. */
const PATIENCE = 120_000;

const ODD_BIGINTS = [-1n, 1n, 1n << 38n, (1n << 63n) - 1n, -(1n << 63n), (1n << 64n) - 1n];
const ODD_NUMBERS = [-1, 1, 40_000, 2 ** 31 - 1, -(2 ** 31), 2 ** 32 - 1];
const ODD_TEXTS = ['\0', 'x'.repeat(101), '\u{1F600}"\\'];
const ODD_BYTES = [
  bytes(''),
  bytes('00'),
  bytes('0a'),
  bytes('ff'.repeat(20)),
  bytes('00'.repeat(33)),
  bytes('3a2102'.padEnd(70, '1')),
];

/** An odd value in place of a message's value; undefined takes a submessage away. */
const oddOf = (value: unknown, choice: number): unknown => {
  const pick = <T>(values: readonly T[]): T => values[choice % values.length] as T;
  if (typeof value === 'bigint') return pick(ODD_BIGINTS);
  if (typeof value === 'number') return pick(ODD_NUMBERS);
  if (typeof value === 'string') return pick(ODD_TEXTS);
  if (typeof value === 'boolean') return !value;
  if (value instanceof Uint8Array) return pick(ODD_BYTES);
  return Array.isArray(value) ? pick([[], [...value, ...value]]) : undefined;
};

type Place = readonly [holder: Record<string, unknown>, name: string];

const placesIn = (message: unknown): Place[] => {
  if (message === null || typeof message !== 'object' || message instanceof Uint8Array) return [];
  const holder = message as Record<string, unknown>;
  return Object.keys(holder)
    .filter((name) => name !== '$case' && name !== '_unknownFields')
    .flatMap((name) => [[holder, name] as const, ...placesIn(holder[name])]);
};

/** Changes some values of a message and reads it back; undefined when it cannot be encoded any more. */
const withOddValues = <T>(
  codec: { encode(message: T): { finish(): Uint8Array }; decode(input: Uint8Array): T },
  message: T,
  choices: readonly (readonly [number, number])[],
): T | undefined => {
  try {
    const changed = codec.decode(codec.encode(message).finish());
    for (const [place, choice] of choices) {
      const places = placesIn(changed);
      const [holder, name] = places[place % places.length] ?? [{}, ''];
      holder[name] = oddOf(holder[name], choice);
    }
    return codec.decode(codec.encode(changed).finish());
  } catch {
    return undefined;
  }
};

const oddities = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 4 });

/** A successful transaction in the place of `item`, with another body and record. */
const replaced = (item: RecordItem, body: TransactionBody, record: TransactionRecord): RecordItem => ({
  ...itemOf({ timestamp: item.consensusTimestamp }),
  type: item.type,
  hapiVersion: item.hapiVersion,
  parent: item.parent,
  previous: item.previous,
  body,
  record,
  ethereum: ethereumContentOf(body),
});

/** Whatever odd values stand in body and record, the rows can be written, and no handler throws. */
const expectWritable = (items: readonly RecordItem[], numRuns: number): void => {
  let handled = 0;
  const property = fc.property(fc.nat(), oddities, oddities, (index, inBody, inRecord) => {
    const item = items[index % items.length] as RecordItem;
    const body = withOddValues(TransactionBody, item.body, inBody);
    const record = withOddValues(TransactionRecord, item.record, inRecord);
    if (body === undefined || record === undefined) return;
    handled++;
    const { all } = handle(replaced(item, body, record));
    expect(all.flatMap(unwritableColumns)).toEqual([]);
  });
  fc.assert(property, { numRuns });
  expect(handled).toBeGreaterThan(numRuns / 2);
};

const fees = [
  {
    feeCollectorAccountId: account(5n),
    fee: { $case: 'fixedFee', fixedFee: { amount: 1n, denominatingTokenId: token(0n) } },
  },
  {
    feeCollectorAccountId: account(5n),
    fee: { $case: 'fractionalFee', fractionalFee: { fractionalAmount: { numerator: 1n } } },
  },
  { feeCollectorAccountId: account(5n), fee: { $case: 'royaltyFee', royaltyFee: { fallbackFee: { amount: 1n } } } },
];
const hook = {
  hookId: 1n,
  adminKey: ED25519.key,
  hook: {
    $case: 'evmHook',
    evmHook: {
      spec: { bytecodeSource: { $case: 'contractId', contractId: contract(6n) } },
      storageUpdates: [
        { update: { $case: 'storageSlot', storageSlot: { key: bytes('01'), value: bytes('02') } } },
        {
          update: {
            $case: 'mappingEntries',
            mappingEntries: { mappingSlot: bytes('01'), entries: [{ entryKey: { $case: 'key', key: bytes('01') } }] },
          },
        },
      ],
    },
  },
};
const endpoint = { ipAddressV4: bytes('7f000001'), port: 1, domainName: 'a' };
const id = { accountID: account(5n), contractID: contract(6n), tokenID: token(7n), nodeId: 1n, registeredNodeId: 1n };

/** Bodies of the kinds that no snapshot has, and of those with the most fields. */
const richBodies = [
  {
    $case: 'cryptoCreateAccount',
    cryptoCreateAccount: { key: ED25519.key, alias: bytes('aa'), hookCreationDetails: [hook] },
  },
  { $case: 'contractCreateInstance', contractCreateInstance: { adminKey: ED25519.key, hookCreationDetails: [hook] } },
  {
    $case: 'contractUpdateInstance',
    contractUpdateInstance: { contractID: contract(6n), memoField: { $case: 'memo', memo: 'a' } },
  },
  { $case: 'systemDelete', systemDelete: { id: { $case: 'fileID', fileID: { fileNum: 1n } } } },
  { $case: 'freeze', freeze: { startHour: 1, endHour: 2, updateFile: { fileNum: 1n } } },
  {
    $case: 'tokenCreation',
    tokenCreation: { name: 'n', symbol: 's', decimals: 1, customFees: fees, kycKey: ED25519.key },
  },
  { $case: 'tokenFeeScheduleUpdate', tokenFeeScheduleUpdate: { tokenId: token(7n), customFees: fees } },
  {
    $case: 'nodeStakeUpdate',
    nodeStakeUpdate: { endOfStakingPeriod: { seconds: 1n }, nodeStake: [{ stake: 1n, stakeRewarded: 1n }] },
  },
  { $case: 'utilPrng', utilPrng: { range: 1 } },
  {
    $case: 'nodeCreate',
    nodeCreate: { accountId: account(5n), grpcProxyEndpoint: endpoint, associatedRegisteredNode: [1n] },
  },
  { $case: 'nodeUpdate', nodeUpdate: { nodeId: 1n, grpcProxyEndpoint: endpoint, associatedRegisteredNodeList: {} } },
  { $case: 'nodeDelete', nodeDelete: { nodeId: 1n } },
  {
    $case: 'hookStore',
    hookStore: {
      hookId: { hookId: 1n, entityId: { entityId: { $case: 'accountId', accountId: account(5n) } } },
      storageUpdates: hook.hook.evmHook.storageUpdates,
    },
  },
  {
    $case: 'ledgerIdPublication',
    ledgerIdPublication: { ledgerId: bytes('01'), nodeContributions: [{ nodeId: 1n, weight: 1n }] },
  },
  {
    $case: 'registeredNodeCreate',
    registeredNodeCreate: {
      description: 'd',
      serviceEndpoint: [{ port: 1, address: { $case: 'domainName', domainName: 'a' } }],
    },
  },
  { $case: 'registeredNodeUpdate', registeredNodeUpdate: { registeredNodeId: 1n, description: 'd' } },
] as unknown as NonNullable<ItemFields['data']>[];

describe('odd data', () => {
  it(
    'in bodies of every kind still make rows that can be written',
    () => {
      expectWritable(
        richBodies.map((data) =>
          itemOf({
            data,
            receipt: id,
            record: { entropy: { $case: 'prngNumber', prngNumber: 1 }, alias: bytes('aa') },
          }),
        ),
        1_500,
      );
    },
    PATIENCE,
  );

  it.skipIf(!hasSnapshots)(
    'in real transactions still make rows that can be written',
    () => {
      expectWritable(
        [...snapshotLedgers()].flatMap(({ items }) => items),
        1_500,
      );
    },
    PATIENCE,
  );
});
