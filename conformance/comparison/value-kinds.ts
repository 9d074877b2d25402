/** What values of a parameter may look like: at the bounds, around those that exist, and wrong ones. */
import { formatTimestamp, NANOS_PER_SECOND, parseTimestamp } from '../../src/ledger/timestamp.ts';

/** Draws from a sequence that its seed decides. */
export interface Draw {
  /** Uniform in [0, bound). */
  below(bound: number): number;
  chance(share: number): boolean;
  one<T>(list: readonly T[]): T;
}

export interface ValueKind {
  /** Whether operators (`gt:`) may stand before it. */
  readonly compared: boolean;
  /** Legal or nearly so: the least, the largest, those that nothing has. */
  readonly bounds: readonly string[];
  readonly wrong: readonly string[];
  /** Another legal value near one that exists. */
  near?(value: string, draw: Draw): string;
}

const largest = 2n ** 63n - 1n;
const wrongEverywhere = ['', ' ', 'null', '%', "'", 'ä', '1;', '\u0000'];
const wrongNumbers = ['-1', 'x', '1.5', '1e3', '0x', '+1', '99999999999999999999', ...wrongEverywhere];

const nearNumber = (value: string, draw: Draw): string => {
  if (!/^\d+$/.test(value)) return value;
  const number = BigInt(value) + BigInt(draw.below(5)) - 2n;
  return String(number < 0n ? 0n : number);
};

const number: ValueKind = {
  compared: true,
  bounds: [
    '0',
    '1',
    '2',
    '2147483647',
    '2147483648',
    String(largest - 1n),
    String(largest),
    String(largest + 1n),
    '007',
  ],
  wrong: wrongNumbers,
  near: nearNumber,
};

const hexText = (digits: readonly number[]): ValueKind => ({
  compared: true,
  bounds: digits.flatMap((length) => ['0'.repeat(length), 'f'.repeat(length), `0x${'0'.repeat(length - 1)}1`]),
  wrong: ['0x', '0xg', 'zz', `0x${'a'.repeat(97)}`, '-1', ...wrongEverywhere],
  near: (value, draw) => {
    if (draw.chance(0.3)) return value.replace(/^0x/, '');
    return draw.chance(0.3) ? value.toUpperCase().replace(/^0X/, '0x') : value;
  },
});

const kinds = {
  entity: {
    compared: true,
    bounds: [
      '0.0.0',
      '0',
      '0.0.1',
      '0.0.999999',
      '0.0.274877906943',
      '0.0.274877906944',
      '1.0.1001',
      '0.1.1001',
    ].concat([
      '1023.65535.274877906943',
      `0x${'0'.repeat(40)}`,
      `0x${'f'.repeat(40)}`,
      `0.0.${'a'.repeat(40)}`,
      String(largest),
    ]),
    wrong: [
      '0.0',
      '0.0.',
      '0.0.x',
      '-1',
      '0.0.0.1',
      '1024.0.1',
      '0.65536.1',
      `0x${'a'.repeat(39)}`,
      'abc1',
      ...wrongEverywhere,
    ],
    near: (value: string, draw: Draw) => value.replace(/\d+$/, (digits) => nearNumber(digits, draw)),
  },
  timestamp: {
    compared: true,
    bounds: ['0', '0.0', '0.000000001', '1', '1767225600', '1767225600.000000000', '9999999999.999999999'].concat([
      '9223372036.854775807',
      '9223372036.854775808',
      '1766880000.000000001',
    ]),
    wrong: ['-1', 'x', '1.', '.1', '1.1234567890', '12345678901', '99999999999999999999', ...wrongEverywhere],
    near: (value: string, draw: Draw) => {
      const nanos = parseTimestamp(value);
      if (nanos === undefined) return value;
      if (draw.chance(0.2)) return String(nanos / NANOS_PER_SECOND);
      const away = draw.one([-1n, 1n, -NANOS_PER_SECOND, 60n * NANOS_PER_SECOND, -3_600n * NANOS_PER_SECOND]);
      return formatTimestamp(nanos + away);
    },
  },
  number,
  blockNumber: {
    ...number,
    near: (value: string, draw: Draw) =>
      draw.chance(0.3) && /^\d+$/.test(value) ? `0x${BigInt(value).toString(16)}` : nearNumber(value, draw),
  },
  word: hexText([1, 2, 64]),
  hash: { ...hexText([64, 96]), compared: false },
  publicKey: hexText([64, 66, 88]),
  reference: {
    compared: false,
    bounds: [
      '0.0.1-1-1',
      '0.0.2-1767225600-000000000',
      `0x${'0'.repeat(64)}`,
      '0'.repeat(96),
      'f'.repeat(64),
      '0',
      '1',
    ],
    wrong: ['0.0.1', '0.0.1-1', '0.0.1@1.1', '0.0.x-1-1', '0.0.1-1-9999999999', 'a'.repeat(95), 'x', '0x', '-1', '%20'],
    near: (value: string, draw: Draw) => {
      if (value.startsWith('0x')) return draw.chance(0.5) ? value.slice(2) : value.slice(0, 66);
      return value;
    },
  },
  flag: { compared: false, bounds: ['true', 'false', 'TRUE', 'False'], wrong: ['1', '0', 'yes', ...wrongEverywhere] },
  page: {
    compared: false,
    bounds: ['1', '2', '3', '5', '10', '25', '99', '100', '101', '1000', '2147483647'],
    wrong: ['0', ...wrongNumbers],
  },
  text: {
    compared: false,
    bounds: ['a', 'to', 'TOKEN', '_', '%25', ' ', 'ö', '\\', "o'", 'x'.repeat(100)],
    wrong: ['', 'x'.repeat(101), 'ab\u0000'],
    near: (value: string, draw: Draw) => {
      const from = draw.below(value.length);
      const part = value.slice(from, from + 1 + draw.below(5));
      return draw.chance(0.3) ? part.toUpperCase() : part;
    },
  },
} satisfies Record<string, ValueKind>;

const choice = (values: readonly string[]): ValueKind => ({
  compared: false,
  bounds: [...values, ...values.map((value) => value.toLowerCase()), values[0]?.toUpperCase() ?? ''],
  wrong: ['x', values.join(','), ...wrongEverywhere],
});

const byName: Readonly<Record<string, keyof typeof kinds>> = {
  'account.balance': 'number',
  'account.id': 'entity',
  'account.publickey': 'publicKey',
  'block.hash': 'hash',
  'block.number': 'blockNumber',
  'contract.id': 'entity',
  'file.id': 'entity',
  'hook.id': 'number',
  'node.id': 'number',
  'receiver.id': 'entity',
  'registerednode.id': 'number',
  'schedule.id': 'entity',
  'sender.id': 'entity',
  'spender.id': 'entity',
  'token.id': 'entity',
  'transaction.hash': 'hash',
  'transaction.index': 'number',
  contractIdOrAddress: 'entity',
  from: 'entity',
  hashOrNumber: 'reference',
  hookId: 'number',
  idOrAliasOrEvmAddress: 'entity',
  index: 'number',
  key: 'word',
  limit: 'page',
  name: 'text',
  nonce: 'number',
  publickey: 'publicKey',
  scheduleId: 'entity',
  sequenceNumber: 'number',
  sequencenumber: 'number',
  serialNumber: 'number',
  serialnumber: 'number',
  slot: 'word',
  timestamp: 'timestamp',
  tokenId: 'entity',
  topic0: 'word',
  topic1: 'word',
  topic2: 'word',
  topic3: 'word',
  topicId: 'entity',
  transactionId: 'reference',
  transactionIdOrHash: 'reference',
};

export interface Schema {
  readonly type?: string;
  readonly pattern?: string;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly items?: Schema;
}

/** @throws Error for a parameter that nothing is known about: a new one has to be entered here */
export const kindOf = (name: string, schema: Schema): ValueKind => {
  const values = schema.enum ?? schema.items?.enum;
  if (values !== undefined) return choice(values);
  if (schema.type === 'boolean') return kinds.flag;
  const known = byName[name];
  if (known !== undefined) return kinds[known];
  if (name === 'scheduled') return kinds.flag;
  throw new Error(`What values has the parameter ${name}? Enter it in conformance/comparison/value-kinds.ts`);
};
