import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKagamiError } from '../errors/kagami-error.ts';
import type { AccountHoldings } from './balance-entry.ts';
import { type BalanceFile, type BalanceFileOptions, readBalanceFile } from './balance-file.ts';
import { parseBalanceFileName } from './balance-file-name.ts';
import {
  balanceFileName,
  csvV1,
  csvV2,
  gzipped,
  inChunks,
  type ListedAccount,
  protobuf,
} from './testing/balance-file.fixture.ts';

const T = 1_567_188_900_016_002_001n;
const LARGEST = (1n << 63n) - 1n;
const ACCOUNTS: readonly ListedAccount[] = [
  { num: 1n, balance: 250n },
  { num: 2n, balance: LARGEST, tokens: [[1001n, 5n]] },
  {
    num: 98n,
    balance: 0n,
    tokens: [
      [1001n, 7n],
      [1002n, LARGEST],
      [1001n, 8n],
    ],
  },
];

interface Read extends BalanceFile {
  readonly list: readonly AccountHoldings[];
}

const read = async (
  name: string,
  bytes: Uint8Array,
  options: BalanceFileOptions & { readonly chunk?: number } = {},
): Promise<Read> => {
  const list: AccountHoldings[] = [];
  const file = await readBalanceFile(
    name,
    inChunks(bytes, options.chunk),
    (accounts, timestamp) => {
      expect(timestamp).toBe(T);
      list.push(...accounts);
    },
    options,
  );
  return { ...file, list };
};

const csv = balanceFileName(T, 'csv');
const pb = balanceFileName(T, 'pb.gz');

const expected = (withTokens: boolean): AccountHoldings[] => [
  { accountId: 1n, balance: 250n, tokens: [] },
  { accountId: 2n, balance: LARGEST, tokens: withTokens ? [{ tokenId: 1001n, balance: 5n }] : [] },
  {
    accountId: 98n,
    balance: 0n,
    tokens: withTokens
      ? [
          { tokenId: 1001n, balance: 7n },
          { tokenId: 1002n, balance: LARGEST },
        ]
      : [],
  },
];

describe('names of balance files', () => {
  it.each([
    ['balance0.0.3/2019-08-30T18_15_00.016002001Z_Balances.csv', 'balance', 'csv', 1_567_188_900_016_002_001n],
    ['2019-08-30T18_15_00Z_Balances.csv_sig', 'signature', 'csv', 1_567_188_900_000_000_000n],
    ['2019-08-30T18_15_00Z_Balances.pb.gz', 'balance', 'pb', 1_567_188_900_000_000_000n],
    ['2019-08-30T18_15_00Z_Balances.pb_sig.gz', 'signature', 'pb', 1_567_188_900_000_000_000n],
  ] as const)('%s', (name, kind, format, nanos) => {
    expect(parseBalanceFileName(name)).toMatchObject({ kind, format, nanos, base: expect.stringMatching(/Z$/) });
  });

  it.each([
    '2019-08-30T18_15_00Z.rcd',
    '2019-08-30T18_15_00Z_Balances.txt',
    '_Balances.csv',
    '2019-13-30T18_15_00Z_Balances.csv',
  ])('does not take %s', (name) => expect(parseBalanceFileName(name)).toBeUndefined());
});

describe('balance files', () => {
  it.each([
    ['CSV version 1', csv, csvV1(T, ACCOUNTS), false],
    ['CSV version 2', csv, csvV2(T, ACCOUNTS), true],
    ['protobuf', balanceFileName(T, 'pb'), protobuf(T, ACCOUNTS), true],
  ] as const)('reads %s', async (_, name, bytes, withTokens) => {
    const file = await read(name, bytes);
    expect(file).toEqual({
      name,
      consensusTimestamp: T,
      fileHash: createHash('sha384').update(bytes).digest(),
      size: bytes.length,
      accounts: 3,
      tokenBalances: withTokens ? 3 : 0,
      duplicateTokenBalances: withTokens ? 1 : 0,
      list: expected(withTokens),
    });
  });

  it('hashes the uncompressed content of a compressed file', async () => {
    const content = protobuf(T, ACCOUNTS);
    const file = await read(pb, gzipped(content));
    expect(file.fileHash).toEqual(createHash('sha384').update(content).digest());
    expect(file.list).toEqual(expected(true));
  });

  it('reads lines that end as on Windows', async () => {
    const bytes = Buffer.from(csvV2(T, ACCOUNTS).toString().replaceAll('\n', '\r\n'));
    expect((await read(csv, bytes)).list).toEqual(expected(true));
  });

  it('reads the same whatever the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 200 }),
        fc.array(
          fc.record({
            num: fc.bigInt({ min: 1n, max: 1n << 37n }),
            balance: fc.bigInt({ min: 0n, max: LARGEST }),
            tokens: fc.uniqueArray(
              fc.tuple(fc.bigInt({ min: 1n, max: 1n << 37n }), fc.bigInt({ min: 0n, max: LARGEST })),
              { selector: ([num]) => num, maxLength: 5 },
            ),
          }),
          { maxLength: 20 },
        ),
        async (chunk, accounts) => {
          const list = accounts.map(({ num, balance, tokens }) => ({
            accountId: num,
            balance,
            tokens: tokens.map(([tokenId, amount]) => ({ tokenId, balance: amount })),
          }));
          expect((await read(csv, csvV2(T, accounts), { chunk })).list).toEqual(list);
          expect((await read(pb, gzipped(protobuf(T, accounts)), { chunk })).list).toEqual(list);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('holds no more than the part in work', async () => {
    const count = 300_000;
    async function* manyLines(): AsyncGenerator<Uint8Array> {
      yield csvV1(T, []);
      for (let i = 0; i < count; i += 1_000) {
        yield Buffer.from(Array.from({ length: 1_000 }, (_, k) => `0,0,${i + k + 1},1\n`).join(''));
      }
    }
    let largestGroup = 0;
    const file = await readBalanceFile(csv, manyLines(), (accounts) => {
      largestGroup = Math.max(largestGroup, accounts.length);
    });
    expect(file.accounts).toBe(count);
    expect(largestGroup).toBeLessThanOrEqual(1_001);
  });
});

describe('faulty balance files', () => {
  const v1 = csvV1(T, ACCOUNTS).toString();
  const v2 = csvV2(T, ACCOUNTS).toString();
  const proto = protobuf(T, ACCOUNTS);
  const refused = async (name: string, bytes: Uint8Array | string, options?: BalanceFileOptions) => {
    try {
      await read(name, Buffer.from(bytes as Uint8Array), options);
    } catch (fault) {
      if (isKagamiError(fault)) return { code: fault.code, ...fault.details };
      throw fault;
    }
    return 'accepted';
  };

  it.each([
    ['an empty file', '', { code: 'STREAM_TRUNCATED', rule: 'the file is empty' }],
    ['a header alone', v1.slice(0, 41), { code: 'STREAM_TRUNCATED', line: 2 }],
    ['a cut line', v1.slice(0, -4), { code: 'STREAM_TRUNCATED', line: 5, rule: 'the last line has no end' }],
    ['another shard', v1.replace('0,0,2,', '1,0,2,'), { code: 'STREAM_MALFORMED', line: 4, offset: 88 }],
    ['a missing column', v1.replace('0,0,2,', '0,0,'), { code: 'STREAM_MALFORMED', line: 4 }],
    ['a column too many', v1.replace('0,0,1,250', '0,0,1,250,'), { rule: 'line 3: it must have four columns' }],
    ['a text for a number', v1.replace('250', '2x0'), { rule: 'line 3: balance is not a number: "2x0"' }],
    ['a negative balance', v1.replace('250', '-50'), { rule: 'line 3: balance is not a number: "-50"' }],
    ['a huge balance', v1.replace('250', '9223372036854775808'), { rule: 'line 3: a balance is 2^63 or more' }],
    [
      'a huge account',
      v1.replace('0,0,1,', '0,0,274877906944,'),
      { rule: 'line 3: 0.0.274877906944 is not an entity id' },
    ],
    ['an empty line', `${v1}\n`, { code: 'STREAM_MALFORMED', line: 6 }],
    ['no time', v1.slice(v1.indexOf('\n') + 1), { code: 'STREAM_MALFORMED', line: 1, offset: 0 }],
    ['no column names', v1.replace(/shard.*\n/, ''), { code: 'STREAM_MALFORMED', line: 2, offset: 41 }],
    ['another version', v2.replace('version:2', 'version:3'), { code: 'STREAM_UNKNOWN_VERSION' }],
    [
      'another time than its name',
      v1.replace('18:15:00.016002001', '18:15:00.016002002'),
      { code: 'STREAM_WRONG_NAME' },
    ],
    [
      'tokens that are no base64',
      v2.replace('0,0,1,250,', '0,0,1,250,a*b='),
      { rule: 'line 4: the token balances are not base64' },
    ],
    ['tokens that are no message', v2.replace('0,0,1,250,', '0,0,1,250,AAAA'), { code: 'STREAM_MALFORMED', line: 4 }],
  ] as const)('refuses %s', async (_, content, fault) => {
    expect(await refused(csv, content)).toMatchObject({ file: csv, ...fault });
  });

  it.each([
    ['a cut account', proto.subarray(0, -3), { code: 'STREAM_TRUNCATED', rule: 'it ends inside a field' }],
    ['no time', proto.subarray(2 + (proto[1] as number)), { code: 'STREAM_MALFORMED', offset: 0 }],
    [
      'a damaged tag',
      Buffer.concat([proto, Buffer.alloc(12, 0xff)]),
      { code: 'STREAM_MALFORMED', offset: proto.length },
    ],
    [
      'a huge field',
      Buffer.concat([proto, Buffer.from('12ffffff7f', 'hex')]),
      { code: 'STREAM_OVERSIZED', offset: proto.length },
    ],
    ['a balance beyond int64', protobuf(T, [{ num: 1n, balance: 1n << 63n }]), { code: 'STREAM_MALFORMED' }],
  ] as const)('refuses protobuf with %s', async (_, content, fault) => {
    expect(await refused(balanceFileName(T, 'pb'), content)).toMatchObject(fault);
  });

  it('refuses accounts of another shard and accounts named by alias', async () => {
    expect(await refused(balanceFileName(T, 'pb'), proto, { shard: 1n })).toMatchObject({
      code: 'STREAM_MALFORMED',
      rule: 'shard is 0, must be 1',
    });
    // Account message {1: AccountID {4: alias}} after the time.
    const alias = Buffer.concat([proto.subarray(0, 2 + (proto[1] as number)), Buffer.from('12060a0422020102', 'hex')]);
    expect(await refused(balanceFileName(T, 'pb'), alias)).toMatchObject({
      rule: 'the account is named by alias, must be named by number',
    });
  });

  it('refuses damaged compression, bytes after it, and too much content', async () => {
    const whole = gzipped(proto);
    expect(await refused(pb, whole.subarray(0, -5))).toMatchObject({ code: 'STREAM_TRUNCATED' });
    expect(await refused(pb, Buffer.concat([whole, Buffer.alloc(3)]))).toMatchObject({
      code: 'STREAM_TRAILING_BYTES',
      offset: whole.length,
    });
    const damaged = Buffer.from(whole);
    damaged[whole.length - 8] = (whole[whole.length - 8] as number) ^ 1;
    expect(await refused(pb, damaged)).toMatchObject({ code: 'STREAM_BAD_COMPRESSION' });
    expect(await refused(pb, whole, { maxContentBytes: 20 })).toMatchObject({ code: 'STREAM_OVERSIZED' });
    expect(await refused(pb, Buffer.from('28b52ffd00', 'hex'))).toMatchObject({ code: 'STREAM_BAD_COMPRESSION' });
  });

  it('passes on what its source fails with', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield gzipped(proto).subarray(0, 20);
      throw new Error('disk on fire');
    }
    await expect(readBalanceFile(pb, failing(), () => undefined)).rejects.toThrow('disk on fire');
    await expect(
      readBalanceFile(pb, inChunks(gzipped(proto)), () => {
        throw new Error('no room');
      }),
    ).rejects.toThrow('no room');
  });

  it('refuses other names', async () => {
    expect(await refused('2019-08-30T18_15_00Z.rcd', v1)).toMatchObject({ code: 'STREAM_WRONG_NAME' });
  });
});
