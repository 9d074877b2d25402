/** Which route of a table a request goes to. */
import type { Route } from '../../api/route.ts';

/** The path of a URL, without a slash at its end. */
const pathOf = (url: string): string => {
  const path = (url.split('?', 1)[0] ?? '').replace(/\/+$/, '');
  return path === '' ? '/' : path;
};

const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split('/')
      .map((segment) => (segment.startsWith('{') ? '[^/]+' : segment.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')))
      .join('/')}$`,
    'i',
  );

const parametersOf = (route: Route): number => route.path.split('{').length - 1;

export type RouteFinder = (request: { readonly method?: string; readonly url: string }) => Route | undefined;

/** Finds the route with the fewest parameters that a request matches, as the router does. */
export const createRouteFinder = (routes: readonly Route[]): RouteFinder => {
  const table = routes
    .map((route) => ({ route, pattern: patternOf(route.path) }))
    .sort((a, b) => parametersOf(a.route) - parametersOf(b.route));
  return ({ method = 'GET', url }) => {
    const path = pathOf(url);
    return table.find(({ route, pattern }) => route.method === method && pattern.test(path))?.route;
  };
};
