/** The cases of fee estimation, which lie in one file beside the folder of the others, in the form of the others. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ConformanceCase } from './cases.ts';
import { parseExactJson } from './exact-json.ts';

type Row = ConformanceCase['rows'][string][number];

interface WrittenState {
  readonly tokens?: Readonly<Record<string, { readonly type: string; readonly customFees: number }>>;
  readonly topics?: Readonly<Record<string, { readonly fixedFees: number }>>;
}

interface WrittenCase {
  readonly name: string;
  readonly query: Readonly<Record<string, string | number>>;
  readonly content_type: string;
  readonly transaction_hex: string;
  readonly state?: WrittenState;
  readonly expected_status: number;
  readonly expected?: unknown;
  readonly expected_error?: unknown;
}

interface WrittenCases {
  readonly cases: readonly WrittenCase[];
  readonly error_cases: readonly WrittenCase[];
}

const group = 'fees';
const always = '[0,)';

/** That many custom fees; a price depends on their number alone. */
const feesJson = (count: number): string =>
  JSON.stringify(Array.from({ length: count }, () => ({ amount: 1, collector_account_id: 3 })));

const tokenRow = (num: string, type: string): Row => ({
  token_id: num,
  type,
  created_timestamp: 1,
  decimals: 0,
  freeze_status: 0,
  initial_supply: 0,
  kyc_status: 0,
  name: 'token',
  symbol: 'T',
  timestamp_range: always,
  treasury_account_id: 3,
});

const customFeeRow = (num: string, count: number): Row => ({
  entity_id: num,
  fixed_fees: feesJson(count),
  timestamp_range: always,
});

const rowsOf = ({ tokens = {}, topics = {} }: WrittenState = {}): Record<string, Row[]> => ({
  token: Object.entries(tokens).map(([num, { type }]) => tokenRow(num, type)),
  topic: Object.keys(topics).map((num) => ({ id: num, created_timestamp: 1, timestamp_range: always })),
  custom_fee: [
    ...Object.entries(tokens).map(([num, { customFees }]) => customFeeRow(num, customFees)),
    ...Object.entries(topics).map(([num, { fixedFees }]) => customFeeRow(num, fixedFees)),
  ],
});

/** The schedule that the numbers assume, as the network stores it; without it the default one has to do. */
const scheduleRows = (folder: string): Row[] => {
  const file = join(folder, '../reference/simple-fee-schedule.pb.hex');
  if (!existsSync(file)) return [];
  const hex = readFileSync(file, 'utf8').trim();
  return [{ consensus_timestamp: 1, entity_id: 113, file_data: `\\x${hex}`, transaction_type: 17 }];
};

const urlOf = (query: WrittenCase['query']): string => {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return `/api/v1/network/fees${parameters.size > 0 ? `?${parameters}` : ''}`;
};

/** The cases in `fees.json` beside the folder of cases; none where there is no such file. */
export const loadFeeCases = (caseFolder: string): ConformanceCase[] => {
  const folder = dirname(caseFolder);
  const file = join(folder, 'fees.json');
  if (!existsSync(file)) return [];
  const { cases, error_cases } = parseExactJson(readFileSync(file, 'utf8')) as WrittenCases;
  const schedule = scheduleRows(folder);
  return [...cases, ...error_cases].map((written) => ({
    name: `${group}/${written.name}`,
    group,
    rows: { ...rowsOf(written.state), file_data: schedule },
    requests: [
      {
        method: 'POST',
        url: urlOf(written.query),
        headers: { 'content-type': written.content_type },
        payload: Buffer.from(written.transaction_hex, 'hex'),
        expect: { status: written.expected_status, body: written.expected ?? written.expected_error },
      },
    ],
  }));
};
