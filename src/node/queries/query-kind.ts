/** How one type of query is answered. The files of this folder hold one type each. */
import type { AccountID } from '../../protobuf/generated/services/basic_types.ts';
import type { Query } from '../../protobuf/generated/services/query.ts';
import type { QueryHeader } from '../../protobuf/generated/services/query_header.ts';
import type { Response } from '../../protobuf/generated/services/response.ts';
import type { SystemFile } from '../../simulator/network/system-files.ts';
import type { Account } from '../../simulator/state/ledger-entities.ts';
import type { HapiVersion } from '../../streams/record-file-content.ts';
import type { LedgerView } from '../operations/operation.ts';
import type { TransactionTracker } from '../transaction-tracker.ts';

type Body = NonNullable<Query['query']>;
type QueryName = Body['$case'];
type MessageOf<K extends QueryName> = NonNullable<
  Extract<Body, { readonly $case: K }>[K & keyof Extract<Body, { readonly $case: K }>]
>;

type Parts = NonNullable<Parameters<typeof Response.fromPartial>[0]['response']>;
type ResponseHeaderParts = {
  readonly nodeTransactionPrecheckCode: number;
  readonly responseType: number;
  readonly cost: bigint;
};
/** The members of an answer beside its header. */
export type Answer = Readonly<Record<string, unknown>>;

export interface QueryContext extends LedgerView {
  readonly tracker: TransactionTracker;
  /** Identity of the ledger. */
  readonly ledgerId: Uint8Array;
  /** HAPI version that the network speaks now. */
  hapiVersion(): HapiVersion;
  /** The files that the network keeps about itself, as they are now. */
  systemFiles(): readonly SystemFile[];
}

export interface Found {
  readonly answer: Answer;
  /** What it costs, in tinycents, where that depends on what was found. */
  readonly tinycents?: bigint;
}

export interface QueryKind {
  readonly name: QueryName;
  /** Tinycents; 0n: free. */
  readonly price: bigint;
  /** Undefined: the query has none. */
  headerOf(query: Query): QueryHeader | undefined;
  /** @throws Refusal when there is nothing to tell */
  find(query: Query, context: QueryContext): Found;
  /** What is told besides a refusal. */
  readonly rest?: Answer;
}

interface KindParts<K extends QueryName> {
  readonly name: K;
  readonly price: bigint;
  readonly find: (message: MessageOf<K>, context: QueryContext) => Found;
}

export const queryKind = <K extends QueryName>({ name, price, find }: KindParts<K>): QueryKind => {
  const messageOf = ({ query }: Query) =>
    (query as unknown as Readonly<Record<K, unknown>>)[name] as { readonly header?: QueryHeader };
  return {
    name,
    price,
    headerOf: (query) => messageOf(query).header,
    find: (query, context) => find(messageOf(query) as MessageOf<K>, context),
  };
};

/** The answer as it goes out. */
export const responseOf = (name: QueryName, header: ResponseHeaderParts, answer: Answer): Parts =>
  ({ $case: name, [name]: { header, ...answer } }) as unknown as Parts;

/** Price of most queries, in tinycents. */
export const USUAL_PRICE = 84n;

/** Id of an account by its number. */
export const idOf = ({ num }: Account): AccountID => ({
  shardNum: 0n,
  realmNum: 0n,
  account: { $case: 'accountNum', accountNum: num },
});
