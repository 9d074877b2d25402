/**
 * `hiero.mirror.web3.*`: simulated contract execution. Names and defaults are those operators of mirror nodes already have
 * in their files; a few concern caches that Kagami replaces by ones that end with the block, and are taken over so that such
 * files keep loading.
 */
import {
  bigInteger,
  choice,
  decimal,
  duration,
  flag,
  integer,
  list,
  map,
  type SettingsOf,
  secret,
  text,
  withoutEffect,
} from '../setting.ts';

const unused = withoutEffect('what is kept ends with the next block, whatever its kind');
const db = withoutEffect('one process reads one database, see `rest.db`');

const cache = (specification: string) => text(specification, unused);

export const web3Settings = {
  cache: {
    contract: cache('expireAfterAccess=1h,maximumSize=1000,recordStats'),
    contractSlots: cache('expireAfterAccess=5m,maximumSize=3000'),
    contractState: cache('expireAfterWrite=2s,maximumSize=25000,recordStats'),
    enableBatchContractSlotCaching: flag(true, unused),
    entity: cache('expireAfterWrite=1s,maximumSize=10000,recordStats'),
    fee: cache('expireAfterWrite=60m,maximumSize=20,recordStats'),
    sharedWritableState: cache('expireAfterAccess=5m,maximumSize=100000'),
    slotsPerContract: cache('expireAfterAccess=5m,maximumSize=1500'),
    systemAccount: cache('expireAfterWrite=10m,maximumSize=1000,recordStats'),
    systemFile: cache('expireAfterWrite=10m,maximumSize=20'),
    token: cache('expireAfterWrite=1s,maximumSize=10000,recordStats'),
    tokenType: cache('expireAfterAccess=24h,maximumSize=100000,recordStats'),
  },
  db: {
    host: text('127.0.0.1', db),
    name: text('mirror_node', db),
    password: secret('mirror_web3_pass', db),
    port: integer(5432, db, { min: 1, max: 65_535 }),
    sslMode: choice('DISABLE', ['ALLOW', 'DISABLE', 'PREFER', 'REQUIRE', 'VERIFY_CA', 'VERIFY_FULL'], db),
    statementTimeout: duration(2_000, 'How long one statement of a simulation may take; a longer one gives 503.'),
    username: text('mirror_web3', db),
  },
  enableStateOverrides: flag(false, 'Allow requests to bring state of their own (`state_overrides`).'),
  evm: {
    entityNumBuffer: integer(1000, 'How many numbers entities that a simulation creates are ahead of the newest one.', {
      min: 0,
    }),
    estimateGasIterationThresholdPercent: decimal(
      0.1,
      'The search for a gas limit ends when two limits differ by less than this share of the gas used (0.1 is 10 %).',
    ),
    evmVersion: text('v0.67', 'Rules of the EVM for the newest block: a version of the network, 0.30 to 0.67.'),
    evmVersions: map(
      {},
      'Versions of the EVM by the first block that they count for, for past blocks; empty: those of the network.',
    ),
    maxFileAttempts: integer(12, 'How many versions of a system file are tried until one can be decoded.', { min: 1 }),
    maxGasEstimateRetriesCount: integer(20, 'Most rounds of the search for a gas limit.', { min: 0 }),
    maxGasLimit: bigInteger(15_000_000n, 'Most gas that a request may give.', { min: 21_000n }),
    maxGasRefundPercentage: integer(
      100,
      'Most of its gas limit, in percent, that a call gets back when it used less.',
      {
        min: 0,
        max: 100,
      },
    ),
    minimumAccountBalance: bigInteger(
      100_000_000_000_000_000n,
      'Tinybars with which accounts of less appear in a simulation, contracts excepted, so that a call needs no rich ' +
        'sender; 0: real balances.',
      { min: 0n },
    ),
    network: choice(
      'TESTNET',
      ['MAINNET', 'OTHER', 'PREVIEWNET', 'TESTNET'],
      'Network whose chain id, ledger id and version history contracts see. Unless it is set: the one that is imported, ' +
        'OTHER if that is none of these.',
    ),
    properties: map(
      {},
      'Properties of consensus nodes that simulations follow in place of those of the networks: ledger id, EVM ' +
        'version, size of call data, gas limit and refund, functions of system contracts that are off (docs/contract-calls.md).',
    ),
    sharedWritableState: flag(false, withoutEffect('every simulation has a state of its own')),
    skipInitCodeCheck: flag(false, 'Take any `data` with `value` and without `to` as the code of a new contract.'),
    validatePayerBalance: flag(
      true,
      'Refuse a sender who cannot pay gas and value, where a request names the sender and a gas price or a value.',
    ),
  },
  maxPayloadLogSize: integer(300, 'Longest text of a request that a log line shows, in characters.', { min: 0 }),
  opcode: {
    tracer: { enabled: flag(true, 'Serve `/contracts/results/{id}/opcodes`.') },
  },
  requestTimeout: duration(10_000, 'How long one request may take, waiting included; a longer one gives 503.'),
  throttle: {
    gasLimitRefundPercent: integer(
      100,
      'Most of its gas limit, in percent, that a call gives back to the limit per second when it used less.',
      { min: 0, max: 100 },
    ),
    gasPerSecond: bigInteger(1_000_000_000n, 'Gas that all calls of a second may ask for together, times `gasUnit`.', {
      min: 21_000n,
      max: 10_000_000_000_000n,
    }),
    gasUnit: integer(1, 'Multiplier of `gasPerSecond`.', { min: 1, max: 1_000_000 }),
    opcodeRequestsPerSecond: integer(
      500,
      'Traces of opcodes that are begun in a second, apart from those of what is not there. A relay asks for all of a ' +
        'block at once.',
      { min: 1 },
    ),
    request: list(
      {
        action: choice(
          'LOG',
          ['LOG', 'REJECT', 'THROTTLE', 'REDIRECT'],
          'What becomes of a request that one of the filters fits: it is logged and goes on, is refused with 429, is ' +
            'refused above `rate` per second, or is sent elsewhere with 307.',
        ),
        filters: list(
          {
            expression: text('', 'Text to compare with; letter case does not matter.'),
            field: choice(
              'DATA',
              ['BLOCK', 'DATA', 'ESTIMATE', 'FROM', 'GAS', 'TO', 'VALUE'],
              'Member of the request that is compared.',
            ),
            type: choice('CONTAINS', ['CONTAINS', 'EQUALS'], 'How it is compared.'),
          },
          [],
          'Conditions of which one must hold; empty: all requests.',
        ),
        limit: bigInteger(9_223_372_036_854_775_807n, 'How often this is done at most.', { min: 0n }),
        location: text('', 'For REDIRECT: scheme, host and port of the server that answers instead.'),
        rate: integer(
          100,
          'LOG, REJECT and REDIRECT: percent of the requests that are concerned. THROTTLE: requests per second that pass.',
          { min: 0, max: 100 },
        ),
      },
      [],
      'What to do with chosen requests, in this order.',
    ),
    requestsPerSecond: integer(500, 'Contract calls that are taken in a second.', { min: 1 }),
  },
  workers: {
    heapMb: integer(1024, 'Most memory for the objects of one thread, in MiB; a call that needs more fails.', {
      min: 128,
    }),
    longCallGas: bigInteger(
      0n,
      'Gas that calls which were found to take long may wait for together; beyond it the client with most of it gets 429. ' +
        '0: what the threads for long calls get done within `requestTimeout`, at 15 million a second each.',
      { min: 0n, max: 1_000_000_000_000n },
    ),
    queueSize: integer(1000, 'How many calls may wait for a thread; one more gets 503 with `Retry-After`.', { min: 0 }),
    threads: integer(
      0,
      'Threads that execute contracts; 0: one for each processor core, at least 2. Beside long calls up to one less, and ' +
        'beside traces up to as many again are started for the time being.',
      { min: 0, max: 256 },
    ),
  },
};

export type Web3Settings = SettingsOf<typeof web3Settings>;
