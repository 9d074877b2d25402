/**
 * Moves a case from shard 0, realm 0 to another shard and realm: the same ledger on another network. Every id goes the
 * same distance, so that the order stays: encoded ids in rows, ids in URLs, in expected bodies and in `Link`.
 *
 * What is not an id stays: EVM addresses, which hold a num alone, memos, and protobuf messages (keys, custom fee limits,
 * ids of chunked messages) with whatever the answer shows of them. Submitted transactions stay, too: their ids are taken
 * to be of the network's own shard and realm.
 */
import type { Column } from '../src/database/column.ts';
import { type TableName, tableNamed } from '../src/database/table.ts';
import { encodeEntityId } from '../src/ledger/entity-id.ts';
import type { CaseRequest, ColumnValue, ConformanceCase } from './cases.ts';
import { parseExactJson, writeExactJson } from './exact-json.ts';

export interface Realm {
  readonly shard: bigint;
  readonly realm: bigint;
}

const namedOtherwise: ReadonlySet<string> = new Set([
  'caller',
  'delegating_spender',
  'owner',
  'recipient_account',
  'recipient_contract',
  'spender',
]);
const idTypes: ReadonlySet<string> = new Set(['bigint', 'bigint[]', 'entity_id']);

/** Whether a column holds encoded entity ids. */
export const holdsEntityIds = (name: string, { type }: Column): boolean =>
  idTypes.has(type) && (namedOtherwise.has(name) || (/(^|_)ids?$/.test(name) && !/(^|_)(hook|node)_id$/.test(name)));

/** Ids in the JSON lists of rows. */
const idMember = /_id$/;

const plus = (text: string, distance: bigint): string => String(BigInt(text) + distance);

const isDecimal = (text: string | undefined): text is string => text !== undefined && /^\d+$/.test(text);

/** `num`, `realm.num`, `shard.realm.num`, and the same with an address or alias in the place of the num. */
const movedReference = (text: string, { shard, realm }: Realm): string => {
  const parts = text.split('.');
  if (parts.length === 2 && isDecimal(parts[0])) return [plus(parts[0], realm), parts[1]].join('.');
  if (parts.length !== 3 || !isDecimal(parts[0]) || !isDecimal(parts[1])) return text;
  return [plus(parts[0], shard), plus(parts[1], realm), parts[2]].join('.');
};

const movedTransactionId = (text: string, by: Realm): string => {
  const [id = '', ...rest] = text.split(/(?=[-@])/);
  return rest.length === 0 ? text : [movedReference(id, by), ...rest].join('');
};

const idParameter = /^(?:account|contract|file|receiver|schedule|sender|spender|token|topic)\.id$|^from$/i;

const movedQuery = (query: string, by: Realm): string =>
  query
    .split('&')
    .map((pair) => {
      const [key = '', ...values] = pair.split('=');
      if (!idParameter.test(key) || values.length !== 1) return pair;
      const [, operator = '', id = ''] = /^((?:[a-z]+:)?)(.*)$/i.exec(values[0] ?? '') ?? [];
      return `${key}=${operator}${movedReference(id, by)}`;
    })
    .join('&');

const ownerSegment = /^(?:accounts|contracts|schedules?|tokens|topics)$/i;
const transactionSegment = /^(?:transactions|results)$/i;

const movedPath = (path: string, by: Realm): string => {
  const segments = path.split('/');
  return segments
    .map((segment, at) => {
      const before = segments[at - 1] ?? '';
      if (ownerSegment.test(before)) return movedReference(segment, by);
      return transactionSegment.test(before) ? movedTransactionId(segment, by) : segment;
    })
    .join('/');
};

const movedUrl = (url: string, by: Realm): string => {
  const [path = '', ...queries] = url.split('?');
  return [movedPath(path, by), ...queries.map((query) => movedQuery(query, by))].join('?');
};

const distanceOf = ({ shard, realm }: Realm): bigint => encodeEntityId(shard, realm, 0n);

/** Values up to 0 are no entity. */
const movedId = (id: bigint, by: Realm): bigint => (id <= 0n ? id : id + distanceOf(by));

const movedIdList = (text: string, by: Realm, isId: (at: number) => boolean = () => true): string =>
  text.replaceAll(
    /[^{},]+/g,
    (() => {
      let at = 0;
      return (element: string) => (isId(at++) ? String(movedId(BigInt(element), by)) : element);
    })(),
  );

const movedJson = (value: unknown, by: Realm): unknown => {
  if (Array.isArray(value)) return value.map((element) => movedJson(element, by));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      idMember.test(name) && (typeof member === 'number' || typeof member === 'bigint')
        ? [name, movedId(BigInt(member), by)]
        : [name, movedJson(member, by)],
    ),
  );
};

const movedValue = (table: TableName, name: string, value: ColumnValue, by: Realm): ColumnValue => {
  const column = (tableNamed(table).columns as Readonly<Record<string, Column>>)[name];
  if (value === null || column === undefined) return value;
  const text = String(value);
  if (table === 'entity' || table === 'entity_history') {
    if (name === 'shard' || name === 'realm') return plus(text, by[name]);
  }
  if (holdsEntityIds(name, column)) {
    return text.startsWith('{') ? movedIdList(text, by) : String(movedId(BigInt(text), by));
  }
  // Payer and valid start in turn.
  if (name === 'inner_transactions') return movedIdList(text, by, (at) => at % 2 === 0);
  return column.type === 'jsonb' ? writeExactJson(movedJson(parseExactJson(text), by)) : value;
};

/** Members of answers that show texts, or what is written in protobuf messages. */
const verbatimMembers: ReadonlySet<string> = new Set(['hapi_version', 'max_custom_fees', 'memo', 'name']);

const wholeId = /^\d+\.\d+\.\d+$/;
const wholeTransactionId = /^\d+\.\d+\.\d+-\d+-\d+$/;

const movedText = (text: string, by: Realm): string => {
  if (text.startsWith('/api/') || text.startsWith('http')) return movedUrl(text, by);
  if (wholeId.test(text)) return movedReference(text, by);
  if (wholeTransactionId.test(text)) return movedTransactionId(text, by);
  return text.replaceAll(/(?<= |")0\.0\.\d+/g, (id) => movedReference(id, by));
};

const movedBody = (value: unknown, verbatim: ReadonlySet<string>, by: Realm): unknown => {
  if (typeof value === 'string') return movedText(value, by);
  if (Array.isArray(value)) return value.map((element) => movedBody(element, verbatim, by));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      verbatim.has(name) ? member : movedBody(member, verbatim, by),
    ]),
  );
};

const movedRequest = (request: CaseRequest, verbatim: ReadonlySet<string>, by: Realm): CaseRequest => {
  const { expect } = request;
  const link = expect.headers?.Link ?? expect.headers?.link;
  const headers =
    link === undefined
      ? expect.headers
      : { ...expect.headers, link: link.replace(/<([^>]*)>/, (_, url: string) => `<${movedUrl(url, by)}>`) };
  return {
    ...request,
    url: movedUrl(request.url, by),
    expect: {
      ...expect,
      ...(headers === undefined ? {} : { headers }),
      ...(expect.body === undefined ? {} : { body: movedBody(expect.body, verbatim, by) }),
    },
  };
};

type Rows = ConformanceCase['rows'];

const movedRows = (rows: Rows, by: Realm): Rows =>
  Object.fromEntries(
    Object.entries(rows).map(([table, tableRows]) => [
      table,
      tableRows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, movedValue(table as TableName, name, value, by)]),
        ),
      ),
    ]),
  );

/** The same case on a network whose own shard and realm lie that far from 0.0. */
export const inRealm = (conformanceCase: ConformanceCase, by: Realm): ConformanceCase => {
  const { rows, requests } = conformanceCase;
  const chunked = rows.topic_message?.some((row) => typeof row.initial_transaction_id === 'string') === true;
  const verbatim = chunked ? new Set([...verbatimMembers, 'initial_transaction_id']) : verbatimMembers;
  return {
    ...conformanceCase,
    rows: movedRows(rows, by),
    requests: requests.map((request) => movedRequest(request, verbatim, by)),
  };
};
