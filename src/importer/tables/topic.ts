/** Topics and their messages. */
import type { Int8Range } from '../../database/column.ts';
import { isGiven } from '../state/merge-rules.ts';
import { growing, merged } from './definition.ts';
import { kept, rangedVersions, sweptByRange, sweptByTime } from './retention.ts';

type Range = Int8Range | null | undefined;

/** The range from where either begins to where either ends. */
const spanned = (known: Range, added: Range): Range => {
  if (!isGiven(known) || !isGiven(added)) return known ?? added;
  const beginsEarlier = known.lower < added.lower;
  const endsLater = known.upper !== null && added.upper !== null && known.upper > added.upper;
  return { lower: (beginsEarlier ? known : added).lower, upper: (endsLater ? known : added).upper };
};

const spannedSql = (column: string): string =>
  `int8range(least(lower(e.${column}), lower(s.${column})), greatest(upper(e.${column}), upper(s.${column})))`;

export const topicTables = {
  topic: merged('topic', {
    key: ['id'],
    insertOnly: ['created_timestamp'],
    retention: kept,
    history: rangedVersions,
  }),
  topic_message: growing('topic_message', { retention: sweptByTime }),
  topic_message_lookup: merged('topic_message_lookup', {
    key: ['topic_id', 'partition'],
    expressions: {
      sequence_number_range: spannedSql('sequence_number_range'),
      timestamp_range: spannedSql('timestamp_range'),
    },
    combination: {
      repeat: (lookup, next) => {
        lookup.sequence_number_range = spanned(lookup.sequence_number_range, next.sequence_number_range);
        lookup.timestamp_range = spanned(lookup.timestamp_range, next.timestamp_range);
      },
    },
    retention: sweptByRange,
  }),
};
