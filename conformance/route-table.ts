/** Which requests nothing serves yet. */
import { pathOf } from '../src/server/testing/route-finder.fixture.ts';
import type { CaseRequest, ConformanceCase } from './cases.ts';

const apiRoot = '/api/v1/';

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
