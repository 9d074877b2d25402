/** The documentation of verification: what its routes take and answer, in the terms of OpenAPI 3.1. */
import { object, ref } from './openapi-schemas.ts';

type Part = Readonly<Record<string, unknown>>;

interface Endpoint {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly query?: Readonly<Record<string, Part>>;
  readonly body?: { readonly schema: Part; readonly upload?: boolean; readonly optional?: boolean };
  readonly answer: {
    readonly status?: number;
    readonly description: string;
    readonly schema?: Part;
    readonly type?: string;
  };
  readonly problems: readonly number[];
}

const SESSION = 'verification sessions';
const STATELESS = 'verification';
const JOBS = 'verification jobs';

/** Groups of operations, in the order in which the documentation has them. */
export const verificationTags: readonly { readonly name: string; readonly description: string }[] = [
  {
    name: SESSION,
    description: 'Files are gathered in a session, which a cookie names, checked, and published when they match.',
  },
  { name: STATELESS, description: 'Verification in one request, and what has been verified.' },
  { name: JOBS, description: 'Verification as jobs, with details of each match.' },
];

const session = { description: 'The session.', schema: ref('VerificationSession') };
const result = { description: 'How well the contract matches.', schema: ref('VerificationResult') };
const job = {
  status: 202,
  description: 'The job, to be asked for by its id.',
  schema: object({ verificationId: { type: 'string', format: 'uuid' } }, ['verificationId']),
};
const refused = [400, 404, 429, 500, 503];
const lookedUp = [400, 404, 500];
const addresses: Part = { type: 'string', description: 'Addresses, separated by %2C.' };
const chainIds: Part = { type: 'string', description: 'Chain ids, separated by commas.' };
const page: Readonly<Record<string, Part>> = {
  page: { type: 'integer', minimum: 0, default: 0 },
  limit: { type: 'integer', minimum: 1, maximum: 200, default: 200 },
  order: { type: 'string', enum: ['asc', 'desc'], default: 'asc' },
};
const listOf = (items: Part): Part => ({ type: 'array', items });
const text: Part = { type: 'string' };
const contractPage: Part = object({ pagination: { type: 'object' }, results: listOf(text) }, ['pagination', 'results']);

const filesOfMatch = (kind: string): Endpoint => ({
  operationId: `getVerifiedContracts${kind[0]?.toUpperCase()}${kind.slice(1)}`,
  summary: `List verified contracts (${kind} matches)`,
  tag: STATELESS,
  query: page,
  answer: { description: 'One page of addresses.', schema: contractPage },
  problems: lookedUp,
});

const endpoints: Readonly<Record<string, Endpoint>> = {
  'GET /session/data': {
    operationId: 'getVerificationSession',
    summary: 'Show the session',
    tag: SESSION,
    answer: session,
    problems: [500, 503],
  },
  'POST /session/clear': {
    operationId: 'clearVerificationSession',
    summary: 'Forget the files of the session',
    tag: SESSION,
    answer: { description: 'A sentence.', type: 'text/html' },
    problems: [500, 503],
  },
  'POST /session/input-files': {
    operationId: 'addVerificationFiles',
    summary: 'Add files to the session',
    description: 'Sources and compiler metadata: single files, a zip archive, or a Hardhat build-info file.',
    tag: SESSION,
    query: { url: { type: 'string', description: 'Fetch the file from here instead; off unless hosts are allowed.' } },
    body: { schema: ref('VerificationUpload'), upload: true },
    answer: session,
    problems: [...refused, 413],
  },
  'POST /session/input-contract': {
    operationId: 'addVerifiedContractFiles',
    summary: 'Add the metadata of a contract that is known',
    tag: SESSION,
    body: { schema: ref('VerificationRequest') },
    answer: session,
    problems: refused,
  },
  'POST /session/input-solc-json': {
    operationId: 'addStandardJson',
    summary: "Add a compiler's standard JSON input",
    tag: SESSION,
    body: { schema: ref('VerificationUpload'), upload: true },
    answer: session,
    problems: [...refused, 413],
  },
  'POST /session/verify-checked': {
    operationId: 'verifyCheckedContracts',
    summary: 'Verify contracts of the session',
    description: 'Compiles, compares, and publishes what matches.',
    tag: SESSION,
    query: { dryrun: { type: 'boolean', default: false, description: 'Publish nothing.' } },
    body: { schema: object({ contracts: listOf(ref('VerificationClaim')) }, ['contracts']) },
    answer: session,
    problems: refused,
  },
  'POST /session/verify/explorer': {
    operationId: 'verifySessionFromExplorer',
    summary: 'Verify with the sources that another explorer has',
    tag: SESSION,
    body: {
      schema: object({ address: text, chainId: text, apiKey: text }, ['address', 'chainId']),
    },
    answer: session,
    problems: refused,
  },
  'POST /verify': {
    operationId: 'verifyContract',
    summary: 'Verify a contract with its files',
    tag: STATELESS,
    body: { schema: ref('VerificationRequest'), upload: true },
    answer: result,
    problems: [...refused, 413],
  },
  'POST /verify/solc-json': {
    operationId: 'verifyStandardJson',
    summary: "Verify a contract with a compiler's standard JSON input",
    tag: STATELESS,
    body: { schema: ref('VerificationRequest'), upload: true },
    answer: result,
    problems: [...refused, 413],
  },
  'POST /verify/explorer': {
    operationId: 'verifyFromExplorer',
    summary: 'Verify with the sources that another explorer has',
    tag: STATELESS,
    body: { schema: object({ address: text, chain: text, apiKey: text }, ['address', 'chain']) },
    answer: result,
    problems: refused,
  },
  'POST /verify/vyper': {
    operationId: 'verifyVyper',
    summary: 'Verify a Vyper contract',
    tag: STATELESS,
    body: { schema: ref('VerificationRequest') },
    answer: result,
    problems: refused,
  },
  'GET /check-by-addresses': {
    operationId: 'checkFullMatches',
    summary: 'Say which contracts have a full match',
    tag: STATELESS,
    query: { addresses, chainIds },
    answer: { description: 'One entry for each address.', schema: listOf({ type: 'object' }) },
    problems: [400, 500],
  },
  'GET /check-all-by-addresses': {
    operationId: 'checkAllMatches',
    summary: 'Say which contracts have any match',
    tag: STATELESS,
    query: { addresses, chainIds, resolveProxies: { type: 'boolean', default: false } },
    answer: { description: 'One entry for each address.', schema: listOf({ type: 'object' }) },
    problems: [400, 500],
  },
  'GET /files/any/{chain}/{address}': {
    operationId: 'getVerifiedFiles',
    summary: 'Show the files of a verified contract',
    tag: STATELESS,
    answer: {
      description: 'The files.',
      schema: object({ status: { ...text, enum: ['full', 'partial'] }, files: listOf(ref('VerificationFile')) }),
    },
    problems: lookedUp,
  },
  'GET /files/{chain}/{address}': {
    operationId: 'getFullMatchFiles',
    summary: 'Show the files of a full match',
    tag: STATELESS,
    answer: { description: 'The files.', schema: listOf(ref('VerificationFile')) },
    problems: lookedUp,
  },
  'GET /files/tree/any/{chain}/{address}': {
    operationId: 'getVerifiedFileUrls',
    summary: 'List the addresses of the files of a verified contract',
    tag: STATELESS,
    answer: { description: 'URLs.', schema: object({ status: text, files: listOf(text) }) },
    problems: lookedUp,
  },
  'GET /files/tree/{chain}/{address}': {
    operationId: 'getFullMatchFileUrls',
    summary: 'List the addresses of the files of a full match',
    tag: STATELESS,
    answer: { description: 'URLs.', schema: listOf(text) },
    problems: lookedUp,
  },
  'GET /files/contracts/{chain}': {
    operationId: 'getVerifiedContracts',
    summary: 'List verified contracts',
    tag: STATELESS,
    answer: {
      description: 'At most 200 addresses of each kind.',
      schema: object({ full: listOf(text), partial: listOf(text) }),
    },
    problems: lookedUp,
  },
  'GET /files/contracts/any/{chain}': filesOfMatch('any'),
  'GET /files/contracts/full/{chain}': filesOfMatch('full'),
  'GET /files/contracts/partial/{chain}': filesOfMatch('partial'),
  'GET /repository/contracts/{match}/{chain}/{address}/{path}': {
    operationId: 'getRepositoryFile',
    summary: 'Show one file of a verified contract',
    tag: STATELESS,
    answer: { description: 'The file.', type: 'text/plain' },
    problems: lookedUp,
  },
  'GET /chains': {
    operationId: 'getChains',
    summary: 'List the networks whose contracts can be verified',
    tag: STATELESS,
    answer: { description: 'The networks.', schema: listOf(ref('VerificationChain')) },
    problems: [500],
  },
  'POST /v2/verify/{chainId}/{address}': {
    operationId: 'startStandardJsonJob',
    summary: "Verify with a compiler's standard JSON input",
    tag: JOBS,
    body: { schema: ref('StandardJsonRequest') },
    answer: job,
    problems: [...refused, 409, 413],
  },
  'POST /v2/verify/metadata/{chainId}/{address}': {
    operationId: 'startMetadataJob',
    summary: 'Verify with metadata and sources',
    tag: JOBS,
    body: { schema: ref('MetadataRequest') },
    answer: job,
    problems: [...refused, 409, 413],
  },
  'POST /v2/verify/etherscan/{chainId}/{address}': {
    operationId: 'startExplorerJob',
    summary: 'Verify with the sources that another explorer has',
    tag: JOBS,
    body: { schema: ref('ExplorerRequest'), optional: true },
    answer: job,
    problems: [...refused, 409, 502],
  },
  'POST /v2/verify/similarity/{chainId}/{address}': {
    operationId: 'startSimilarityJob',
    summary: 'Verify with the sources of contracts that were verified before',
    tag: JOBS,
    body: { schema: ref('CreationTransactionHash') },
    answer: job,
    problems: [...refused, 409],
  },
  'GET /v2/verify/{verificationId}': {
    operationId: 'getVerificationJob',
    summary: 'Show a job',
    tag: JOBS,
    answer: { description: 'The job.', schema: ref('VerificationJob') },
    problems: lookedUp,
  },
  'GET /v2/contract/{chainId}/{address}': {
    operationId: 'getVerifiedContract',
    summary: 'Show a verified contract',
    tag: JOBS,
    query: {
      fields: { type: 'string', description: 'Fields to add, separated by commas; `all` for all of them.' },
      omit: { type: 'string', description: 'Fields to leave out, separated by commas.' },
    },
    answer: { description: 'The contract.', schema: ref('VerifiedContract') },
    problems: lookedUp,
  },
  'GET /v2/contract/all-chains/{address}': {
    operationId: 'getVerifiedContractOnAllChains',
    summary: 'Show a verified contract on all networks',
    tag: JOBS,
    answer: { description: 'The contracts.', schema: object({ results: listOf(ref('VerifiedContract')) }) },
    problems: lookedUp,
  },
  'GET /v2/contracts/{chainId}': {
    operationId: 'listVerifiedContracts',
    summary: 'List verified contracts with their matches',
    tag: JOBS,
    query: {
      sort: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
      limit: { type: 'integer', minimum: 1, maximum: 200, default: 200 },
      afterMatchId: { type: 'string', description: 'Go on after this `matchId`.' },
    },
    answer: { description: 'One page.', schema: object({ results: listOf(ref('VerifiedContract')) }) },
    problems: [400, 500],
  },
};

const pathDescriptions: Readonly<Record<string, string>> = {
  address: 'EVM address of the contract.',
  chain: 'Chain id.',
  chainId: 'Chain id.',
  match: 'full_match or partial_match.',
  path: 'Path of the file, such as sources/contracts/Token.sol.',
  verificationId: 'Id of the job.',
};

const parametersOf = (path: string, query: Readonly<Record<string, Part>> = {}): Part[] => [
  ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathDescriptions[name] ?? name,
    schema: text,
  })),
  ...Object.entries(query).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description === undefined ? {} : { description }),
    schema,
  })),
];

const problemDescriptions: Readonly<Record<number, string>> = {
  400: 'The request is wrong.',
  404: 'There is no such thing, or nothing matched.',
  409: 'The contract is verified already.',
  413: 'The body is too large.',
  429: 'Too many requests of this client, or the contract is being verified.',
  500: 'The request names a chain that is not known, the contract does not match, or a fault of the server.',
  502: 'The other explorer failed.',
  503: 'The server has too much to do, or its database is away.',
};

const operationOf = (path: string, endpoint: Endpoint): Part => {
  const { operationId, summary, description, tag, query, body, answer, problems } = endpoint;
  const problem = ref(tag === JOBS ? 'VerificationProblem' : 'VerificationRefusal');
  const content =
    answer.schema === undefined
      ? { [answer.type ?? 'text/plain']: { schema: text } }
      : { 'application/json': { schema: answer.schema } };
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    parameters: parametersOf(path, query),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.optional !== true,
            content: {
              'application/json': { schema: body.schema },
              ...(body.upload === true
                ? {
                    'multipart/form-data': {
                      schema: object({ files: listOf({ type: 'string', format: 'binary' }) }),
                    },
                  }
                : {}),
            },
          },
        }),
    responses: {
      [answer.status ?? 200]: { description: answer.description, content },
      ...Object.fromEntries(
        problems
          .toSorted((a, b) => a - b)
          .map((status) => [
            status,
            { description: problemDescriptions[status], content: { 'application/json': { schema: problem } } },
          ]),
      ),
    },
  };
};

/** Operations by path and method, as an OpenAPI document has them. Aliases of older clients are left out. */
export const verificationPaths = (): Readonly<Record<string, Readonly<Record<string, Part>>>> => {
  const paths: Record<string, Record<string, Part>> = {};
  for (const [key, endpoint] of Object.entries(endpoints)) {
    const [method = '', path = ''] = key.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(path, endpoint) };
  }
  return paths;
};
