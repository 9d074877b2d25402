/**
 * A page of transactions with their transfers, read in one round trip as a handful of texts. The driver's cost per row
 * and column outweighs all else on a page of a hundred transactions with two dozen columns and hundreds of transfers.
 */
import type { Queryable } from '../../database/connection.ts';

/**
 * A transaction as text: digits, `t` or `f` for flags, `\x` and hex for bytes, the empty text for null.
 */
export interface PackedTransaction {
  readonly batchKey: string;
  readonly chargedFee: string;
  readonly consensusTimestamp: string;
  readonly entityId: string;
  readonly highVolume: string;
  readonly highVolumePricingMultiplier: string;
  /** PostgreSQL's array of bytes: `{"\\x0a","\\x0b"}`. */
  readonly maxCustomFees: string;
  readonly maxFee: string;
  readonly memo: string;
  /** JSON: a list of objects with scalar members. */
  readonly nftTransfers: string;
  readonly nodeAccountId: string;
  readonly nonce: string;
  readonly parentConsensusTimestamp: string;
  readonly payerAccountId: string;
  readonly result: string;
  readonly scheduled: string;
  readonly bytes: string;
  /** Base64. */
  readonly hash: string;
  readonly type: string;
  readonly validDuration: string;
  readonly validStart: string;
  /** PostgreSQL's array of payers and valid starts, alternating: `{10,1234,11,1235}`. */
  readonly innerTransactions: string;
  /** `account amount[t]`, separated by commas; the mark stands for an approval. */
  readonly transfers: string;
  /** `token account amount[t]`, separated by commas. */
  readonly tokenTransfers: string;
  /** `account amount`, separated by commas. */
  readonly rewards: string;
  /** `amount collector token payer|payer`, separated by commas; the token is empty for hbar. Only when asked for. */
  readonly assessedFees: string;
}

/** Neither stands in any value: they are digits, flags, hex, base64 in one line, and JSON of ids and numbers. */
const fieldSeparator = '~';
const lineSeparator = '\n';

/** The columns in the order in which `unpack` reads them. */
const packedColumns = [
  't.batch_key',
  't.charged_tx_fee',
  't.consensus_timestamp',
  't.entity_id',
  't.high_volume',
  't.high_volume_pricing_multiplier',
  't.max_custom_fees',
  't.max_fee',
  't.memo',
  't.nft_transfer',
  't.node_account_id',
  't.nonce',
  't.parent_consensus_timestamp',
  't.payer_account_id',
  't.result',
  't.scheduled',
  't.transaction_bytes',
  "translate(encode(t.transaction_hash, 'base64'), e'\\n', '')",
  't.type',
  't.valid_duration_seconds',
  't.valid_start_ns',
  't.inner_transactions',
];

/** What belongs to each transaction, by its timestamp; null when there is nothing. */
interface PageTexts {
  readonly transactions: string | null;
  readonly transfers: string | null;
  readonly token_transfers: string | null;
  readonly rewards: string | null;
  readonly assessed_fees?: string | null;
}

/**
 * One line `timestamp~text` for each transaction that has rows in `table`. The table is searched by the page's timestamps
 * as an array, which the planner takes for a few however large the table is, and never joined to the page, since an
 * estimate of one row there would have it searched anew for each transaction.
 */
const linesOf = (table: string, aggregate: string): string =>
  `(select string_agg(line, e'\n') from (select concat(consensus_timestamp, '${fieldSeparator}', ${aggregate}) as line
    from ${table} where consensus_timestamp = any ((select timestamps from page_timestamps)::bigint[])
    group by consensus_timestamp) lines)`;

const amount = `amount, case when is_approval then 't' end`;

/**
 * A statement that gives a page as texts.
 * @param page statement that gives the page's rows of `transaction`
 * @param detailed with the custom fees that were taken
 */
export const pageStatement = (page: string, order: 'asc' | 'desc', detailed: boolean): string => {
  const transfers = linesOf(
    'crypto_transfer',
    `string_agg(concat(entity_id, ' ', ${amount}), ',' order by entity_id, amount)`,
  );
  const tokenTransfers = linesOf(
    'token_transfer',
    `string_agg(concat(token_id, ' ', account_id, ' ', ${amount}), ',' order by token_id, account_id, amount)`,
  );
  const rewards = linesOf(
    'staking_reward_transfer',
    `string_agg(concat(account_id, ' ', amount), ',' order by account_id)`,
  );
  const assessedFees = linesOf(
    'assessed_custom_fee',
    `string_agg(concat(amount, ' ', collector_account_id, ' ', token_id, ' ',
      array_to_string(effective_payer_account_ids, '|')), ',' order by collector_account_id, amount)`,
  );
  return `with page as materialized (${page}),
    page_timestamps as materialized (select array_agg(consensus_timestamp) as timestamps from page)
    select (select string_agg(concat(${packedColumns.join(`, '${fieldSeparator}', `)}), e'\n'
        order by t.consensus_timestamp ${order}) from page t) as transactions,
      ${transfers} as transfers, ${tokenTransfers} as token_transfers,
      ${rewards} as rewards${detailed ? `, ${assessedFees} as assessed_fees` : ''}`;
};

const byTimestamp = (text: string | null | undefined): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  if (text === null || text === undefined) return found;
  for (const line of text.split(lineSeparator)) {
    const end = line.indexOf(fieldSeparator);
    found.set(line.slice(0, end), line.slice(end + 1));
  }
  return found;
};

const unpack = (texts: PageTexts): PackedTransaction[] => {
  if (texts.transactions === null) return [];
  const transfers = byTimestamp(texts.transfers);
  const tokenTransfers = byTimestamp(texts.token_transfers);
  const rewards = byTimestamp(texts.rewards);
  const assessedFees = byTimestamp(texts.assessed_fees);
  return texts.transactions.split(lineSeparator).map((line) => {
    const [
      batchKey = '',
      chargedFee = '',
      consensusTimestamp = '',
      entityId = '',
      highVolume = '',
      highVolumePricingMultiplier = '',
      maxCustomFees = '',
      maxFee = '',
      memo = '',
      nftTransfers = '',
      nodeAccountId = '',
      nonce = '',
      parentConsensusTimestamp = '',
      payerAccountId = '',
      result = '',
      scheduled = '',
      bytes = '',
      hash = '',
      type = '',
      validDuration = '',
      validStart = '',
      innerTransactions = '',
    ] = line.split(fieldSeparator);
    return {
      batchKey,
      chargedFee,
      consensusTimestamp,
      entityId,
      highVolume,
      highVolumePricingMultiplier,
      maxCustomFees,
      maxFee,
      memo,
      nftTransfers,
      nodeAccountId,
      nonce,
      parentConsensusTimestamp,
      payerAccountId,
      result,
      scheduled,
      bytes,
      hash,
      type,
      validDuration,
      validStart,
      innerTransactions,
      transfers: transfers.get(consensusTimestamp) ?? '',
      tokenTransfers: tokenTransfers.get(consensusTimestamp) ?? '',
      rewards: rewards.get(consensusTimestamp) ?? '',
      assessedFees: assessedFees.get(consensusTimestamp) ?? '',
    };
  });
};

/** Runs a statement of `pageStatement`. With a `name`, it is prepared under it. */
export const readPage = async (
  db: Queryable,
  text: string,
  values: readonly unknown[],
  name?: string,
): Promise<PackedTransaction[]> => {
  const [texts] = await db.query<PageTexts>(text, values, name);
  return texts === undefined ? [] : unpack(texts);
};
