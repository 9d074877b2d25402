/**
 * Names of settings: paths of names from the root of the tree (`hiero.mirror.rest.port`), compared without regard to
 * case, hyphens and underscores, so that `maxLimit`, `max-limit`, `MAXLIMIT` and `max_limit` are one name.
 */
import { isSetting, type Setting, type SettingGroup } from './setting.ts';

/** What a name is compared by. */
export const canonicalName = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '');

/** `a.b[0].c` and `a.b.0.c` into their names. Brackets also hold names with dots: `headers[x.y]`. */
export const splitPath = (path: string): string[] => {
  const names: string[] = [];
  for (const match of path.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)) {
    const name = match[1] ?? match[2] ?? '';
    if (name !== '') names.push(name);
  }
  return names;
};

/** `['a', 'b', '0', 'c']` as `a.b[0].c`. */
export const joinPath = (names: readonly string[]): string =>
  names.map((name, index) => (/^\d+$/.test(name) ? `[${name}]` : index === 0 ? name : `.${name}`)).join('');

/** The environment variable of a setting: `hiero.mirror.rest.port` gives `HIERO_MIRROR_REST_PORT`. */
export const environmentName = (names: readonly string[]): string =>
  names.map((name) => name.replaceAll('-', '').toUpperCase()).join('_');

/** The declared child that a written name means. */
export const findChild = (
  group: SettingGroup,
  written: string,
): { readonly name: string; readonly node: Setting<unknown> | SettingGroup } | undefined => {
  const wanted = canonicalName(written);
  for (const [name, node] of Object.entries(group)) if (canonicalName(name) === wanted) return { name, node };
  return undefined;
};

/** Every setting of a group with its path, in order of declaration. Elements of lists are not entered. */
export function* settingsUnder(
  group: SettingGroup,
  path: readonly string[] = [],
): Generator<{ readonly path: readonly string[]; readonly setting: Setting<unknown> }> {
  for (const [name, node] of Object.entries(group)) {
    if (isSetting(node)) yield { path: [...path, name], setting: node };
    else yield* settingsUnder(node, [...path, name]);
  }
}

/**
 * The declared path that the writer of an unknown path most likely meant, if any is close: a similar name at the same
 * place, or the very same last name somewhere else.
 */
export const suggestPath = (root: SettingGroup, written: readonly string[]): string | undefined => {
  const wanted = written.map(canonicalName);
  const wantedText = wanted.join('.');
  const last = wanted.at(-1) ?? '';
  let best: { path: string; score: number } | undefined;
  const consider = (path: readonly string[]): void => {
    const candidate = path.map(canonicalName);
    const text = candidate.join('.');
    const limit = Math.max(1, Math.floor(last.length / 3));
    const distance = editDistance(wantedText, text, limit + 1);
    const sameLastName = candidate.at(-1) === last && candidate[0] === wanted[0];
    if (distance > limit && !sameLastName) return;
    const score = distance <= limit ? distance : 100 + editDistance(wantedText, text, 100);
    if (!best || score < best.score) best = { path: joinPath(path), score };
  };
  for (const path of allPaths(root, [])) consider(path);
  return best?.path;
};

/** The word that the writer of a similar one most likely meant: at most two letters wrong, and one in short words. */
export const suggestWord = (words: readonly string[], written: string): string | undefined => {
  const wanted = canonicalName(written);
  const limit = wanted.length < 5 ? 1 : 2;
  const near = words
    .map((word) => ({ word, distance: editDistance(wanted, canonicalName(word), limit + 1) }))
    .filter(({ word, distance }) => distance <= limit || (word.length > 3 && wanted.startsWith(canonicalName(word))));
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.word;
};

function* allPaths(group: SettingGroup, path: readonly string[]): Generator<readonly string[]> {
  for (const [name, node] of Object.entries(group)) {
    const here = [...path, name];
    yield here;
    if (!isSetting(node)) yield* allPaths(node, here);
  }
}

/** Levenshtein distance with transpositions of neighbours, cut off at `limit`. */
const editDistance = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, substitution);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforePrevious[j - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return Math.min(previous[b.length] ?? limit, limit);
};
