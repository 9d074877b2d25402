/** What the ledger knows of the tokens, the topic and the receivers of a transaction, as far as its price depends on it. */
import type { RouteContext } from '../api/route.ts';
import { isKagamiError } from '../errors/kagami-error.ts';
import { encodeEntityId, MAX_ENTITY_NUM } from '../ledger/entity-id.ts';
import type { TransactionBody } from '../protobuf/generated/services/transaction.ts';
import { readTransferEffects, type TransferEffects } from './receivers.ts';

/** Tokens and topics are named by their num; shard and realm of an id are taken to be the network's own. */
export interface LedgerState {
  /** False for a token that the ledger doesn't have. */
  isNonFungible(tokenNum: bigint): boolean;
  /** Whether moving the token, or a message to the topic, costs fees of its owner; false for what the ledger doesn't have. */
  hasCustomFees(num: bigint): boolean;
  /** What a transfer brings about beside itself, which its payer pays for too. */
  readonly effects: TransferEffects;
}

/** State that could not be had, in words for the client. */
export interface MissingState {
  readonly missing: string;
}

interface StateRow {
  readonly num: string;
  readonly non_fungible: boolean;
  readonly custom_fees: boolean;
  readonly incomplete: boolean;
}

const present = (column: string): string => `coalesce(${column} not in ('[]', 'null'), false)`;

/**
 * An entity that is known as a token or topic, but without the row that describes it, is one whose history was not
 * imported or is no longer kept.
 */
const tokenSql = `
  select asked.num, coalesce(token.type = 'NON_FUNGIBLE_UNIQUE', false) as non_fungible,
    token.token_id is not null
      and (${['fixed_fees', 'fractional_fees', 'royalty_fees'].map((name) => present(`custom_fee.${name}`)).join(' or ')})
      as custom_fees,
    token.token_id is null and entity.id is not null as incomplete
  from unnest($1::bigint[], $2::bigint[]) as asked (num, id)
  left join token on token.token_id = asked.id
  left join custom_fee on custom_fee.entity_id = asked.id
  left join entity on entity.id = asked.id and entity.type = 'TOKEN'`;

const topicSql = `
  select asked.num, false as non_fungible,
    topic.id is not null and ${present('custom_fee.fixed_fees')} as custom_fees,
    topic.id is null and entity.id is not null as incomplete
  from unnest($1::bigint[], $2::bigint[]) as asked (num, id)
  left join topic on topic.id = asked.id
  left join custom_fee on custom_fee.entity_id = asked.id
  left join entity on entity.id = asked.id and entity.type = 'TOPIC'`;

interface Question {
  readonly what: 'token' | 'topic';
  readonly sql: string;
  readonly nums: readonly bigint[];
}

/** Undefined where the price does not depend on state. */
const questionOf = ({ data }: TransactionBody): Question | undefined => {
  switch (data?.$case) {
    case 'cryptoTransfer':
    case 'tokenAirdrop': {
      const { tokenTransfers } = data.$case === 'cryptoTransfer' ? data.cryptoTransfer : data.tokenAirdrop;
      return { what: 'token', sql: tokenSql, nums: tokenTransfers.map(({ token }) => token?.tokenNum ?? 0n) };
    }
    case 'consensusSubmitMessage':
      return { what: 'topic', sql: topicSql, nums: [data.consensusSubmitMessage.topicID?.topicNum ?? 0n] };
    default:
      return undefined;
  }
};

const stateOf = (rows: readonly StateRow[], effects: TransferEffects): LedgerState => {
  const byNum = new Map(rows.map((row) => [BigInt(row.num), row]));
  return {
    isNonFungible: (num) => byNum.get(num)?.non_fungible ?? false,
    hasCustomFees: (num) => byNum.get(num)?.custom_fees ?? false,
    effects,
  };
};

type Context = Pick<RouteContext, 'db' | 'shard' | 'realm'>;

/** The rows about what is named; empty where the price depends on none. */
const readNamed = async (
  { db, shard, realm }: Context,
  question: Question | undefined,
): Promise<readonly StateRow[]> => {
  const nums = [...new Set(question?.nums)].filter((num) => num > 0n && num <= MAX_ENTITY_NUM);
  if (question === undefined || nums.length === 0) return [];
  const ids = nums.map((num) => encodeEntityId(shard, realm, num).toString());
  return db.query<StateRow>(question.sql, [nums.map(String), ids], `fee_${question.what}_state`);
};

/**
 * Reads the state that the price of a transaction depends on.
 * State that should be there and isn't, or that the database can't give at the moment, is missing.
 */
export const readLedgerState = async (context: Context, body: TransactionBody): Promise<LedgerState | MissingState> => {
  const question = questionOf(body);
  try {
    const [rows, effects] = await Promise.all([readNamed(context, question), readTransferEffects(context, body)]);
    const incomplete = rows.find((row) => row.incomplete);
    if (incomplete === undefined) return stateOf(rows, effects);
    return {
      missing: `the state of ${question?.what} ${context.shard}.${context.realm}.${incomplete.num} is not available`,
    };
  } catch (error) {
    if (!isKagamiError(error) || !error.retryable) throw error;
    return { missing: `the state of its ${question?.what ?? 'receivers'} cannot be read at the moment` };
  }
};
