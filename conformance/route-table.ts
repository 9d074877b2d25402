/** Which route of the table a request goes to, and which requests nothing serves yet. */
import type { Route } from '../src/api/route.ts';
import type { CaseRequest, ConformanceCase } from './cases.ts';

const apiRoot = '/api/v1/';

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

/** Finds the route with the fewest parameters that a request matches, as the router does. */
export const createRouteFinder = (routes: readonly Route[]): ((request: CaseRequest) => Route | undefined) => {
  const table = routes
    .map((route) => ({ route, pattern: patternOf(route.path) }))
    .sort((a, b) => parametersOf(a.route) - parametersOf(b.route));
  return ({ method = 'GET', url }) => {
    const path = pathOf(url);
    return table.find(({ route, pattern }) => route.method === method && pattern.test(path))?.route;
  };
};

const resourceOf = (url: string): string | undefined => {
  const path = pathOf(url).toLowerCase();
  return path.startsWith(apiRoot) ? path.slice(apiRoot.length).split('/', 1)[0] : undefined;
};

/**
 * Resources of the API as the cases know them: those that some request gets an answer from. A request for any other is
 * about what happens to paths that do not exist, and needs no route.
 */
export const knownResources = (cases: readonly ConformanceCase[]): ReadonlySet<string> =>
  new Set(
    cases
      .flatMap(({ requests }) => requests)
      .filter(({ expect }) => expect.status < 400)
      .map(({ url }) => resourceOf(url))
      .filter((resource) => resource !== undefined),
  );

export const isAboutNoResource = (request: CaseRequest, known: ReadonlySet<string>): boolean => {
  const resource = resourceOf(request.url);
  return resource === undefined || !known.has(resource);
};
