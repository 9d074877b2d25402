/** Lists that lie within one block may be had at once, as large as a block may be. */
import type { Interval } from '../../api/bounds.ts';
import { limit, type Parameter } from '../../api/resource/parameter.ts';
import type { RouteContext } from '../../api/route.ts';

/** Largest page of entries that all lie in one block. */
const BLOCK_PAGE_LIMIT = 5000;

/** Largest page by default (`response.limit.max`). Whoever lowers it wants no larger ones. */
const USUAL_PAGE_LIMIT = 100;

const isWithinOneBlock = async ({ lower, upper }: Interval, { db }: RouteContext): Promise<boolean> => {
  if (lower === null || upper === null) return false;
  const rows = await db.query(
    `select from (select consensus_start, consensus_end from record_file where consensus_end >= $1
      order by consensus_end limit 1) block where consensus_start <= $1 and consensus_end >= $2`,
    [lower, upper],
    'block-around-times',
  );
  return rows.length > 0;
};

/**
 * Most entries of a page within some times: what was asked for, up to 5,000 where they all lie in one block and the largest
 * page has not been lowered, else up to the largest page.
 */
export const blockLimit: Parameter<(times: Interval) => Promise<number>> = {
  accepts: limit.accepts,
  doc: {
    ...limit.doc,
    description:
      `${limit.doc.description} Up to ${BLOCK_PAGE_LIMIT.toLocaleString('en')} when the filters leave only times of one ` +
      'block.',
  },
  read: (filters, asked) => async (times) => {
    const { request, context } = asked;
    const usual = limit.read(filters, asked);
    if ((request.user?.limit ?? context.settings.response.limit.max) < USUAL_PAGE_LIMIT) return usual;
    const last = filters.at(-1);
    if (last === undefined || usual >= BLOCK_PAGE_LIMIT || BigInt(last.value) <= BigInt(usual)) return usual;
    if (!(await isWithinOneBlock(times, context))) return usual;
    return BigInt(last.value) < BigInt(BLOCK_PAGE_LIMIT) ? Number(last.value) : BLOCK_PAGE_LIMIT;
  },
};
