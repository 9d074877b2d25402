/** A REST client that keeps 64-bit integers exact and follows `links.next`. */

/** A JSON value in which every integer is a bigint. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
export type ExactJson = any;

const revive = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context?.source ?? '') : value;

/** @throws Error for any status but 200 */
export const getJson = async (origin: string, path: string): Promise<ExactJson> => {
  const response = await fetch(`${origin}${path}`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text, revive);
};

/** The entries of all pages from `path` on. */
export const walk = async (origin: string, path: string, member: string): Promise<ExactJson[]> => {
  const entries: ExactJson[] = [];
  for (let next: string | null = path; next !== null; ) {
    const page: ExactJson = await getJson(origin, next);
    entries.push(...page[member]);
    next = page.links.next;
  }
  return entries;
};

/** The number of an entity of shard 0, realm 0: 0.0.5 -> 5n. */
export const numOf = (id: string): bigint => {
  const num = /^0\.0\.(\d+)$/.exec(id)?.[1];
  if (num === undefined) throw new Error(`Not an entity of shard 0, realm 0: ${id}`);
  return BigInt(num);
};

/** How often each text occurs. */
export const countsOf = (texts: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
};
