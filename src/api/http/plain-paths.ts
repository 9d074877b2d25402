/**
 * Routes of paths in the form that clients write them: no escapes, no other letter case in the names, no slash too many. Whatever
 * is written otherwise is left to the framework's router, which knows all the rules and costs more.
 */
import type { Route } from '../route.ts';

export interface FoundRoute {
  readonly route: Route;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** Nothing in it has a meaning of its own in a path. */
const plain = /^(?:\/[\w.@-]+)+$/;
const longestPath = 512;

interface Pattern {
  readonly route: Route;
  readonly segments: readonly { readonly text: string; readonly isParameter: boolean }[];
}

const patternOf = (route: Route): Pattern => ({
  route,
  segments: route.path
    .slice(1)
    .split('/')
    .map((segment) => {
      const isParameter = segment.startsWith('{');
      return { text: isParameter ? segment.slice(1, -1) : segment, isParameter };
    }),
});

/** Names before parameters, from the left, as the framework chooses. */
const byNamesFirst = (a: Pattern, b: Pattern): number => {
  for (const [index, { isParameter }] of a.segments.entries()) {
    const other = b.segments[index]?.isParameter ?? false;
    if (isParameter !== other) return isParameter ? 1 : -1;
  }
  return 0;
};

const parametersOf = ({ segments }: Pattern, parts: readonly string[]): Record<string, string> | undefined => {
  const parameters: Record<string, string> = {};
  for (const [index, { text, isParameter }] of segments.entries()) {
    const part = parts[index] as string;
    if (isParameter) parameters[text] = part;
    else if (text !== part) return undefined;
  }
  return parameters;
};

/** Finds one of the routes by a path without query; undefined: another form, or there is none. */
export const plainPathFinder = (routes: readonly Route[]): ((path: string) => FoundRoute | undefined) => {
  const byLength = Map.groupBy(routes.map(patternOf), ({ segments }) => segments.length);
  for (const patterns of byLength.values()) patterns.sort(byNamesFirst);
  return (path) => {
    if (path.length > longestPath || !plain.test(path)) return undefined;
    const parts = path.slice(1).split('/');
    for (const pattern of byLength.get(parts.length) ?? []) {
      const pathParameters = parametersOf(pattern, parts);
      if (pathParameters !== undefined) return { route: pattern.route, pathParameters };
    }
    return undefined;
  };
};
