/** A row of `topic_message`, alone or with others of its topic, as it is read for subscribers. */

export interface TopicMessageRow {
  readonly chunk_num: number | null;
  readonly chunk_total: number | null;
  readonly consensus_timestamp: string;
  readonly initial_transaction_id: Uint8Array | null;
  readonly message: Uint8Array;
  readonly payer_account_id: string | null;
  readonly running_hash: Uint8Array | null;
  readonly running_hash_version: number | null;
  readonly sequence_number: string;
  readonly topic_id: string;
  readonly valid_start_timestamp: string | null;
}

const columnNames = [
  'chunk_num',
  'chunk_total',
  'consensus_timestamp',
  'initial_transaction_id',
  'message',
  'payer_account_id',
  'running_hash',
  'running_hash_version',
  'sequence_number',
  'topic_id',
  'valid_start_timestamp',
] as const satisfies readonly (keyof TopicMessageRow)[];

/** The columns of a row, of the table named `table`. */
export const topicMessageColumns = (table: string): string =>
  columnNames.map((column) => `${table}.${column}`).join(', ');

/** Values of several messages, one after the other in one value, and their lengths. */
interface Joined<Name extends string> {
  readonly bytes: { readonly [name in Name]: Buffer | null };
  readonly lengths: { readonly [name in `${Name}_lengths`]: readonly number[] };
}

type JoinedColumns = Joined<'initial_transaction_id' | 'message' | 'running_hash'>;

/** Messages of one topic in order of time, in one row: a place of each array belongs to one of them. */
export type TopicMessagesRow = JoinedColumns['bytes'] &
  JoinedColumns['lengths'] & {
    readonly topic_id: string;
    readonly chunk_nums: readonly (number | null)[];
    readonly chunk_totals: readonly (number | null)[];
    readonly consensus_timestamps: readonly string[];
    readonly payer_account_ids: readonly (string | null)[];
    readonly running_hash_versions: readonly (number | null)[];
    readonly sequence_numbers: readonly string[];
    readonly valid_start_timestamps: readonly (string | null)[];
  };

const joined = (column: keyof JoinedColumns['bytes'], order: string): string =>
  `string_agg(${column}, '' ${order}) as ${column},
    array_agg(coalesce(length(${column}), 0) ${order}) as ${column}_lengths`;

/** SQL of one row for each topic, from rows with the columns of `topic_message` that are named `source`. */
export const topicMessagesSql = (source: string): string => {
  const order = 'order by consensus_timestamp';
  const gathered = (column: string, type: string): string => `array_agg(${column}::${type} ${order}) as ${column}s`;
  return `select topic_id::bigint as topic_id,
    ${gathered('chunk_num', 'int')},
    ${gathered('chunk_total', 'int')},
    ${gathered('consensus_timestamp', 'bigint')},
    ${gathered('payer_account_id', 'bigint')},
    ${gathered('running_hash_version', 'int')},
    ${gathered('sequence_number', 'bigint')},
    ${gathered('valid_start_timestamp', 'bigint')},
    ${joined('initial_transaction_id', order)},
    ${joined('message', order)},
    ${joined('running_hash', order)}
    from ${source} group by topic_id`;
};

const NO_BYTES = Buffer.alloc(0);

/** Takes values apart that lie one after the other. */
class JoinedValues {
  readonly #bytes: Buffer;
  readonly #lengths: readonly number[];
  #position = 0;

  constructor(bytes: Buffer | null, lengths: readonly number[]) {
    this.#bytes = bytes ?? NO_BYTES;
    this.#lengths = lengths;
  }

  /** To be asked for one place after the other. */
  at(place: number): Uint8Array {
    const start = this.#position;
    this.#position += this.#lengths[place] ?? 0;
    return this.#bytes.subarray(start, this.#position);
  }
}

/** The messages of a row one by one. */
export function* messagesOfRow(row: TopicMessagesRow): Generator<TopicMessageRow> {
  const messages = new JoinedValues(row.message, row.message_lengths);
  const runningHashes = new JoinedValues(row.running_hash, row.running_hash_lengths);
  const transactionIds = new JoinedValues(row.initial_transaction_id, row.initial_transaction_id_lengths);
  for (const [place, consensusTimestamp] of row.consensus_timestamps.entries()) {
    yield {
      chunk_num: row.chunk_nums[place] ?? null,
      chunk_total: row.chunk_totals[place] ?? null,
      consensus_timestamp: consensusTimestamp,
      initial_transaction_id: transactionIds.at(place),
      message: messages.at(place),
      payer_account_id: row.payer_account_ids[place] ?? null,
      running_hash: runningHashes.at(place),
      running_hash_version: row.running_hash_versions[place] ?? null,
      sequence_number: row.sequence_numbers[place] ?? '0',
      topic_id: row.topic_id,
      valid_start_timestamp: row.valid_start_timestamps[place] ?? null,
    };
  }
}
