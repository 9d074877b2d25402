/** Lists that lie within one block may be had at once, as large as a block may be. */
import type { Interval } from '../../api/bounds.ts';
import { limitOf } from '../../api/page.ts';
import { type Filter, lastOf } from '../../api/query.ts';
import type { OpenApiParameter, RestRequest, RouteContext } from '../../api/route.ts';
import { limitParameterDoc } from '../../api/schemas.ts';

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
 * The page size: what the filters ask for, up to 5,000 where all times lie in one block and the largest page has not been
 * lowered, else up to the largest page.
 */
export const pageSizeWithin = async (
  times: Interval,
  filters: readonly Filter[],
  request: RestRequest,
  context: RouteContext,
): Promise<number> => {
  const limits = context.settings.response.limit;
  const limit = limitOf(filters, limits, request.user);
  if ((request.user?.limit ?? limits.max) < USUAL_PAGE_LIMIT) return limit;
  const asked = lastOf(filters, 'limit');
  if (asked === undefined || limit >= BLOCK_PAGE_LIMIT || BigInt(asked.value) <= BigInt(limit)) return limit;
  if (!(await isWithinOneBlock(times, context))) return limit;
  return BigInt(asked.value) < BigInt(BLOCK_PAGE_LIMIT) ? Number(asked.value) : BLOCK_PAGE_LIMIT;
};

export const blockLimitParameterDoc: OpenApiParameter = {
  ...limitParameterDoc,
  description:
    `${limitParameterDoc.description} Up to ${BLOCK_PAGE_LIMIT.toLocaleString('en')} when the filters leave only times ` +
    'of one block.',
};
