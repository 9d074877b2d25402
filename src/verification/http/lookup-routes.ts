/** What has been verified, by address and by file: `/check-...`, `/files/...`, `/repository/...`, `/chains`. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { splitTarget } from '../../api/http/raw-query.ts';
import { bestOf, type StoredContract } from '../model.ts';
import { contractFiles, contractFolder, matchKindOf } from '../repository/contract-files.ts';
import type { ListQuery, Verifier } from '../verifier.ts';
import { checkSummedAddress } from './address.ts';
import { invalidValue, problem, rawCommas } from './problem.ts';
import { resolveProxy } from './proxy.ts';
import {
  addressOf,
  booleanParameter,
  integerParameter,
  knownChain,
  knownChains,
  orderParameter,
  queryOf,
  requiredParameter,
} from './request-checks.ts';

const pageSize = 200;
const maxAddresses = 200;

type Params = Readonly<Record<string, string>>;

const paramsOf = (request: FastifyRequest): Params => request.params as Params;

const addressesOf = (request: FastifyRequest, query: URLSearchParams): string[] => {
  const text = requiredParameter(query, 'addresses');
  const raw = splitTarget(request.url)
    .query.split('&')
    .find((part) => part.startsWith('addresses='));
  if (raw?.includes(',')) throw rawCommas('addresses');
  const addresses = text.split(',');
  if (addresses.length > maxAddresses) {
    throw invalidValue('/query/addresses', `must NOT have more than ${maxAddresses} items`, 'maxItems');
  }
  const wrong = addresses.filter((address) => checkSummedAddress(address) === undefined);
  if (wrong.length > 0) throw problem(400, `Invalid address${wrong.length > 1 ? 'es' : ''}: ${wrong.join(', ')}`);
  return addresses.map(addressOf);
};

/** Path of the contract's folder within the repository. */
const folderOf = (stored: StoredContract): string => `contracts/${contractFolder(stored)}`;

export const registerLookupRoutes = (
  scope: FastifyInstance,
  verifier: Verifier,
  baseUrlOf: (request: FastifyRequest) => string,
): void => {
  const { repository } = verifier;

  const findAll = async (address: string, chainIds: readonly string[]): Promise<StoredContract[]> => {
    const found = await Promise.all(chainIds.map((chainId) => repository.find({ address, chainId })));
    return found.filter((stored) => stored !== undefined);
  };

  const find = async (request: FastifyRequest, fullOnly: boolean): Promise<StoredContract> => {
    queryOf(request.url, []);
    const { chain = '', address = '' } = paramsOf(request);
    const chainId = knownChain(verifier, chain);
    const stored = await repository.find({ chainId, address: addressOf(address) });
    if (stored === undefined || (fullOnly && matchKindOf(stored) !== 'full')) {
      throw problem(404, 'Files have not been found!');
    }
    return stored;
  };

  const filesOf = (stored: StoredContract) =>
    contractFiles(stored).map(({ path, content }) => ({
      name: path.split('/').at(-1),
      path: `${folderOf(stored)}/${path}`,
      content,
    }));

  const urlsOf = (request: FastifyRequest, stored: StoredContract): string[] => {
    const escaped = (path: string): string => encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23');
    const folder = `${baseUrlOf(request)}/repository/${folderOf(stored)}`;
    return contractFiles(stored).map(({ path }) => `${folder}/${escaped(path)}`);
  };

  for (const path of ['/check-by-addresses', '/checkByAddresses']) {
    scope.get(path, async (request) => {
      const query = queryOf(request.url, ['addresses', 'chainIds']);
      const chainIds = knownChains(verifier, requiredParameter(query, 'chainIds'));
      const answers: object[] = [];
      for (const address of addressesOf(request, query)) {
        const perfect = (await findAll(address, chainIds)).filter((stored) => bestOf(stored) === 'perfect');
        answers.push(
          perfect.length === 0
            ? { address, status: 'false' }
            : { address, status: 'perfect', chainIds: perfect.map(({ chainId }) => chainId) },
        );
      }
      return answers;
    });
  }

  for (const path of ['/check-all-by-addresses', '/checkAllByAddresses']) {
    scope.get(path, async (request) => {
      const query = queryOf(request.url, ['addresses', 'chainIds', 'resolveProxies']);
      const chainIds = knownChains(verifier, requiredParameter(query, 'chainIds'));
      const resolveProxies = booleanParameter(query, 'resolveProxies');
      const answers: object[] = [];
      for (const address of addressesOf(request, query)) {
        const found = await findAll(address, chainIds);
        const chains = await Promise.all(
          found.map(async (stored) => ({
            chainId: stored.chainId,
            status: stored.runtimeMatch ?? stored.creationMatch,
            ...(resolveProxies ? await resolveProxy(verifier, stored) : {}),
          })),
        );
        answers.push(chains.length === 0 ? { address, status: 'false' } : { address, chainIds: chains });
      }
      return answers;
    });
  }

  scope.get('/files/any/:chain/:address', async (request) => {
    const stored = await find(request, false);
    return { status: matchKindOf(stored), files: filesOf(stored) };
  });
  scope.get('/files/:chain/:address', async (request) => filesOf(await find(request, true)));
  scope.get('/files/tree/any/:chain/:address', async (request) => {
    const stored = await find(request, false);
    return { status: matchKindOf(stored), files: urlsOf(request, stored) };
  });
  scope.get('/files/tree/:chain/:address', async (request) => urlsOf(request, await find(request, true)));

  const addressesOfList = async (query: ListQuery): Promise<string[]> =>
    (await repository.list(query)).map(({ address }) => address);

  scope.get('/files/contracts/:chain', async (request) => {
    queryOf(request.url, []);
    const chainId = knownChain(verifier, paramsOf(request).chain ?? '');
    const listed = async (match: 'full' | 'partial'): Promise<string[]> => {
      if ((await repository.count({ chainId, match })) > pageSize) {
        const message = `Cannot fetch more than ${pageSize} contracts (${match}), please use /contracts/{full|any|partial}/${chainId} with pagination`;
        throw problem(404, message);
      }
      return addressesOfList({ chainId, match, order: 'asc', limit: pageSize });
    };
    const full = await listed('full');
    const partial = await listed('partial');
    if (full.length + partial.length === 0) throw problem(404, 'Contracts have not been found!');
    return { full, partial };
  });

  for (const match of ['any', 'full', 'partial'] as const) {
    scope.get(`/files/contracts/${match}/:chain`, async (request) => {
      const query = queryOf(request.url, ['page', 'limit', 'order']);
      const currentPage = integerParameter(query, 'page', { fallback: 0, min: 0, max: 1_000_000 });
      const limit = integerParameter(query, 'limit', { fallback: pageSize, min: 1, max: pageSize });
      const order = orderParameter(query, 'order', 'asc');
      const chainId = knownChain(verifier, paramsOf(request).chain ?? '');
      const totalResults = await repository.count({ chainId, match });
      const results = await addressesOfList({ chainId, match, order, limit, offset: currentPage * limit });
      const totalPages = Math.ceil(totalResults / limit);
      return {
        pagination: {
          currentPage,
          resultsPerPage: limit,
          resultsCurrentPage: results.length,
          totalResults,
          totalPages,
          hasNextPage: currentPage + 1 < totalPages,
          // Pages that are far beyond the end have no page before them either.
          hasPreviousPage: currentPage > 0 && currentPage <= totalPages,
        },
        results,
      };
    });
  }

  scope.get('/repository/contracts/:match/:chain/:address/*', async (request, reply) => {
    queryOf(request.url, []);
    const { match = '', chain = '', address = '', '*': path = '' } = paramsOf(request);
    if (match !== 'full_match' && match !== 'partial_match') {
      throw invalidValue('/params/matchType', 'must match format "match-type"', 'format');
    }
    const chainId = knownChain(verifier, chain);
    const stored = await repository.find({ chainId, address: addressOf(address) });
    const isThere = stored !== undefined && `${matchKindOf(stored)}_match` === match;
    // A file is looked for among those that the contract has; no path of the request reaches a file system.
    const file = isThere ? contractFiles(stored).find((candidate) => candidate.path === path) : undefined;
    if (file === undefined) throw problem(404, 'Resouce not found');
    const type = path.endsWith('.json') && !path.startsWith('sources/') ? 'application/json' : 'text/plain';
    return reply.header('x-content-type-options', 'nosniff').type(`${type}; charset=utf-8`).send(file.content);
  });

  scope.get('/chains', async (request) => {
    queryOf(request.url, []);
    return verifier.chains.map(({ chainId, name, rpc, explorer }) => ({
      name,
      chainId: Number(chainId),
      rpc,
      supported: true,
      etherscanAPI: explorer,
    }));
  });
  scope.get('/health', async (_request, reply) => reply.type('text/html; charset=utf-8').send('Alive and kicking!'));
};
