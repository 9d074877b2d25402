/** Balance files in each of their layouts, made from a list of accounts. */
import { gzipSync } from 'node:zlib';
import { nanosToStreamName } from '../../ledger/timestamp.ts';
import { TokenBalances } from '../../protobuf/generated/services/basic_types.ts';
import { AllAccountBalances } from '../../protobuf/generated/streams/account_balance_file.ts';
import { timestampOf } from './network.fixture.ts';

export interface ListedAccount {
  readonly num: bigint;
  readonly balance: bigint;
  /** Balance by token number, in the order of the list; numbers may repeat. */
  readonly tokens?: readonly (readonly [num: bigint, balance: bigint])[];
}

/** `2022-07-13T08_46_11.304284003Z_Balances.csv` */
export const balanceFileName = (nanos: bigint, extension: string): string =>
  `${nanosToStreamName(nanos)}_Balances.${extension}`;

const isoOf = (nanos: bigint): string => nanosToStreamName(nanos).replaceAll('_', ':');

const tokenId = (tokenNum: bigint) => ({ shardNum: 0n, realmNum: 0n, tokenNum });

export const csvV1 = (nanos: bigint, accounts: readonly ListedAccount[]): Buffer =>
  Buffer.from(
    `TimeStamp:${isoOf(nanos)}\nshardNum,realmNum,accountNum,balance\n` +
      accounts.map(({ num, balance }) => `0,0,${num},${balance}\n`).join(''),
  );

export const csvV2 = (nanos: bigint, accounts: readonly ListedAccount[]): Buffer =>
  Buffer.from(
    `# version:2\n# TimeStamp:${isoOf(nanos)}\nshardNum,realmNum,accountNum,balance,tokenBalances\n` +
      accounts.map(({ num, balance, tokens }) => `0,0,${num},${balance},${base64Of(tokens ?? [])}\n`).join(''),
  );

const base64Of = (tokens: NonNullable<ListedAccount['tokens']>): string =>
  Buffer.from(
    TokenBalances.encode(
      TokenBalances.fromPartial({
        tokenBalances: tokens.map(([num, balance]) => ({ tokenId: tokenId(num), balance })),
      }),
    ).finish(),
  ).toString('base64');

/** Uncompressed. */
export const protobuf = (nanos: bigint, accounts: readonly ListedAccount[]): Buffer =>
  Buffer.from(
    AllAccountBalances.encode(
      AllAccountBalances.fromPartial({
        consensusTimestamp: timestampOf(nanos),
        allAccounts: accounts.map(({ num, balance, tokens }) => ({
          accountID: { account: { $case: 'accountNum', accountNum: num } },
          hbarBalance: balance,
          tokenUnitBalances: (tokens ?? []).map(([token, amount]) => ({ tokenId: tokenId(token), balance: amount })),
        })),
      }),
    ).finish(),
  );

export const gzipped = (content: Uint8Array): Buffer => gzipSync(content, { level: 1 });

/** `bytes` in chunks of `size`, as a file arrives. */
export async function* inChunks(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
