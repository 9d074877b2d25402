/** Contracts that the simulated network has, verified by their sources: from its stream to the answers of the interfaces. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClientIdentity } from '../../api/client-identity.ts';
import { applicationOver } from '../../api/http/testing/application.fixture.ts';
import { loadSettings } from '../../config/load.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { defaultImporterSettings, importFolder } from '../../importer/pipeline/testing/import-run.fixture.ts';
import { leftPad, toHex } from '../../ledger/bytes.ts';
import { longZeroAddress } from '../../ledger/evm-address.ts';
import type { ExpectedLedger } from '../../simulator/expected/expected-ledger.ts';
import { textAndNumber } from '../../simulator/solidity/abi-arguments.ts';
import {
  CHILD_NUMBER,
  GREETING,
  GREETING_PRICE,
  SALTED_CHILD_NUMBER,
  VAULT_OPENING,
} from '../../simulator/solidity/published-values.ts';
import { openMirroredChain } from '../../verification/chain/mirrored-chain.ts';
import { registerVerification } from '../../verification/http/registration.ts';
import { type VerificationServer, visitorOf } from '../../verification/http/testing/verification-server.fixture.ts';
import { openVerifier } from '../../verification/open-verifier.ts';
import type { Verifier } from '../../verification/verifier.ts';
import { simulateInto } from './testing/served-ledger.fixture.ts';

/** Milliseconds that a busy machine may take for all compilations of a test. */
const PATIENCE = 120_000;
const CHAIN = '298';
const network = { chainId: CHAIN, name: 'testing', shard: 0n, realm: 0n };
const COMPILER = '0.8.37+commit.f401782d';

let test: TestDatabase;
let verifier: Verifier;
let app: VerificationServer['app'];
let expected: ExpectedLedger;

beforeAll(async () => {
  const { folder, ledger, remove } = await simulateInto({ seed: 'v', transactions: 20, tps: 10, nodes: 1, users: 20 });
  expected = ledger.expected;
  test = await createTestDatabase();
  const { parser } = defaultImporterSettings;
  const record = { ...parser.record, sidecar: { ...parser.record.sidecar, enabled: true } };
  await importFolder(test, {
    folder,
    addressBook: await readFile(ledger.addressBookFile),
    settings: { ...defaultImporterSettings, parser: { ...parser, record } },
  });
  await remove();
  const { verification } = loadSettings({ cwd: '/', env: {}, readFile: () => undefined }).settings.kagami;
  verifier = openVerifier({
    database: test.database,
    network,
    settings: { ...verification, compilers: { ...verification.compilers, download: false } },
    compilersFolder: '/nowhere',
  });
  ({ fastify: app } = applicationOver({ routes: [], db: test.database }));
  await registerVerification(app, {
    verifier,
    database: test.database,
    settings: verification.http,
    identify: createClientIdentity([]),
    log: { error: () => undefined, warn: () => undefined },
  });
  await app.ready();
}, PATIENCE);
afterAll(async () => {
  await app?.close();
  await verifier?.close();
  await test?.drop();
});

const sourcesFolder = new URL('../../simulator/solidity/', import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, sourcesFolder), 'utf8');

const deployed = ['Greeter', 'Vault', 'Shares', 'Fund', 'Proxy', 'Factory'] as const;
const made = ['Child', 'Child by salt', 'Clone'] as const;
type Deployed = (typeof deployed)[number] | (typeof made)[number];

/** Numbers of what the founding deployed, by the memo, and of what its factory made, in order. */
const numOf = (what: Deployed): bigint => {
  const byMemo = (memo: string): bigint | undefined =>
    [...expected.entities].find(([, entity]) => entity.type === 'CONTRACT' && entity.memo === memo)?.[0];
  const order = (made as readonly string[]).indexOf(what);
  const num = order < 0 ? byMemo(what) : expected.contracts.get(byMemo('Factory') ?? 0n)?.created[order];
  if (num === undefined) throw new Error(`There is no ${what}`);
  return num;
};

const addressOf = (what: Deployed): string => {
  const num = numOf(what);
  const own = expected.contracts.get(num)?.evmAddress;
  return `0x${toHex(own === undefined || own.length === 0 ? longZeroAddress(num) : own)}`;
};

const contractNameOf = (what: Deployed): string => (what === 'Child by salt' ? 'Child' : what);

interface SessionContract {
  readonly name: string;
  readonly verificationId: string;
  readonly status: string;
  readonly statusMessage?: string;
  readonly constructorArgumentsArray?: readonly { readonly name: string }[];
}

type Input = '/session/input-files' | '/session/input-solc-json';

/** Hands something in and has it verified, in one session; gives what that says of each contract. */
const verifyInSession = async (
  input: Input,
  body: object,
  contracts: readonly (readonly [what: Deployed, name: string])[],
  dryRun: boolean,
): Promise<SessionContract[]> => {
  const answers: SessionContract[] = [];
  const visitor = visitorOf(app);
  const uploaded: SessionContract[] = (await visitor.post(input, { body })).json.contracts;
  for (const [what, name] of contracts) {
    const verificationId = uploaded.find((contract) => contract.name === name)?.verificationId;
    const claim = { verificationId, address: addressOf(what), chainId: CHAIN };
    const { json } = await visitor.post(`/session/verify-checked?dryrun=${dryRun}`, { body: { contracts: [claim] } });
    answers.push(json.contracts.find((contract: SessionContract) => contract.verificationId === verificationId));
  }
  return answers;
};

interface StandardInput {
  readonly sources: Readonly<Record<string, { readonly content: string }>>;
}

/** What was compiled, with other texts in its sources. */
const changedInput = (path: string, from: string, to: string) => {
  const input = JSON.parse(text('standard-input.json')) as StandardInput;
  const before = input.sources[path]?.content ?? '';
  if (!before.includes(from)) throw new Error(`${path} has no ${from}`);
  const sources = { [path]: { content: before.replace(from, to) } };
  return { files: { 'input.json': JSON.stringify({ ...input, sources }) }, compilerVersion: COMPILER };
};

const word = (value: bigint): string => value.toString(16).padStart(64, '0');

describe('contracts of the simulated network', () => {
  it.each([
    ['Fund', 'Fund.sol', '/// Asks the library', '/// Asks somebody'],
    ['Child by salt', 'Factory.sol', '/// What a factory makes', '/// Made by a factory'],
    ['Proxy', 'Proxy.sol', '/// Runs', '/// Does'],
  ] as const)(
    'match in part with another comment: %s',
    async (what, path, from, to) => {
      const body = changedInput(path, from, to);
      const named = [[what, contractNameOf(what)]] as const;
      const [answer] = await verifyInSession('/session/input-solc-json', body, named, true);
      expect(answer?.status).toBe('partial');
    },
    PATIENCE,
  );

  it.each([
    ['Greeter', 'Greeter.sol', '"Too little"', '"Too litter"', "The deployed and recompiled bytecode don't match."],
    [
      'Fund',
      'Fund.sol',
      'Shares.part(amount, permille)',
      'Shares.part(permille, amount)',
      "The recompiled bytecode length doesn't match the onchain bytecode length.",
    ],
  ] as const)(
    'do not match with another line: %s',
    async (what, path, from, to, statusMessage) => {
      const body = changedInput(path, from, to);
      const [answer] = await verifyInSession('/session/input-solc-json', body, [[what, what]], false);
      expect(answer).toMatchObject({ status: 'error', statusMessage });
      expect((await visitorOf(app).get(`/v2/contract/${CHAIN}/${addressOf(what)}`)).status).toBe(404);
    },
    PATIENCE,
  );

  it(
    'match in part, and not in their creation, when only the constructor is another one',
    async () => {
      const body = changedInput('Factory.sol', 'number = first;', 'number = first + 1;');
      const [answer] = await verifyInSession('/session/input-solc-json', body, [['Child', 'Child']], false);
      expect(answer?.status).toBe('partial');
      const { json } = await visitorOf(app).get(`/v2/contract/${CHAIN}/${addressOf('Child')}`);
      expect(json).toMatchObject({ match: 'match', runtimeMatch: 'match', creationMatch: null });
    },
    PATIENCE,
  );

  it(
    'match exactly with what was compiled, all of them, also where something worse was stored before',
    async () => {
      const names = [...deployed, 'Child'];
      const files = Object.fromEntries([
        ...names.map((name) => [`${name}.json`, text(`metadata/${name}.json`)]),
        ...['Factory.sol', 'Fund.sol', 'Greeter.sol', 'Proxy.sol', 'Vault.sol'].map((path) => [path, text(path)]),
      ]);
      const contracts = [...deployed, 'Child' as const, 'Child by salt' as const].map(
        (what) => [what, contractNameOf(what)] as const,
      );
      const answers = await verifyInSession('/session/input-files', { files }, contracts, false);
      expect(answers.map(({ status, statusMessage }) => [status, statusMessage])).toEqual(
        contracts.map(() => ['perfect', undefined]),
      );
      expect(answers[0]?.constructorArgumentsArray?.map(({ name }) => name)).toEqual(['first', 'priceOfChange']);
    },
    PATIENCE,
  );

  it.each([
    ['Greeter', { constructorArguments: `0x${toHex(textAndNumber(GREETING, GREETING_PRICE))}` }],
    ['Vault', { constructorArguments: `0x${word(VAULT_OPENING)}` }],
    ['Shares', {}],
    ['Factory', {}],
    ['Child', { constructorArguments: `0x${word(CHILD_NUMBER)}` }],
    ['Child by salt', { constructorArguments: `0x${word(SALTED_CHILD_NUMBER)}` }],
  ] as const)('are shown with the transaction that created them and what it said: %s', async (what, values) => {
    const [transaction] = await test.database.query<{ hash: string; index: number }>(
      `select encode(substring(t.transaction_hash from 1 for 32), 'hex') as hash, t.index
       from entity e join transaction c on c.consensus_timestamp = e.created_timestamp
       join transaction t on t.consensus_timestamp = coalesce(c.parent_consensus_timestamp, c.consensus_timestamp)
       where e.id = $1`,
      [numOf(what)],
    );
    const fields = 'deployment,creationBytecode.transformationValues';
    const { json } = await visitorOf(app).get(`/v2/contract/${CHAIN}/${addressOf(what)}?fields=${fields}`);
    expect(json).toMatchObject({
      match: 'exact_match',
      creationMatch: 'exact_match',
      runtimeMatch: 'exact_match',
      deployment: {
        transactionHash: `0x${transaction?.hash}`,
        blockNumber: '1',
        transactionIndex: String(transaction?.index),
      },
    });
    expect(json.creationBytecode.transformationValues).toEqual(values);
  });

  it('are shown with what their code was given: immutables, libraries, and the address of a library', async () => {
    const valuesOf = async (what: Deployed): Promise<Record<string, Record<string, string>>> => {
      const path = `/v2/contract/${CHAIN}/${addressOf(what)}?fields=runtimeBytecode.transformationValues`;
      return (await visitorOf(app).get(path)).json.runtimeBytecode.transformationValues;
    };
    const maker = `0x${toHex(leftPad(longZeroAddress(numOf('Factory')), 32))}`;
    expect(Object.values((await valuesOf('Child by salt')).immutables ?? {})).toEqual([maker]);
    expect(Object.values((await valuesOf('Vault')).immutables ?? {})).toContain(`0x${word(VAULT_OPENING)}`);
    expect(await valuesOf('Fund')).toEqual({ libraries: { 'Fund.sol:Shares': addressOf('Shares') } });
    expect(await valuesOf('Shares')).toEqual({ callProtection: addressOf('Shares') });
  });

  it('have their init code with arguments from a file too, where no sidecar told it', async () => {
    const chain = openMirroredChain(test.database, network);
    const greeter = await chain.identify(longZeroAddress(numOf('Greeter')));
    const told = (await chain.creation(greeter, undefined))?.bytecode;
    await test.database.query('update contract set initcode = null where id = $1', [numOf('Greeter')]);
    expect((await chain.creation(greeter, undefined))?.bytecode).toBe(told);
    expect(told).toMatch(/^0x6080/);
  });

  it(
    'are proxies: one shows what it runs, and a minimal one is none of its original',
    async () => {
      const lookup = async (what: Deployed) => {
        const path = `/check-all-by-addresses?addresses=${addressOf(what)}&chainIds=${CHAIN}&resolveProxies=true`;
        return (await visitorOf(app).get(path)).json[0];
      };
      const implementations = [{ address: addressOf('Greeter'), name: 'Greeter' }];
      expect((await lookup('Proxy')).chainIds).toEqual([
        { chainId: CHAIN, status: 'perfect', isProxy: true, proxyType: 'EIP1967Proxy', implementations },
      ]);
      expect((await lookup('Factory')).chainIds[0]).toMatchObject({ status: 'perfect', isProxy: false });
      const files = { 'Greeter.json': text('metadata/Greeter.json'), 'Greeter.sol': text('Greeter.sol') };
      const [answer] = await verifyInSession('/session/input-files', { files }, [['Clone', 'Greeter']], false);
      expect(answer).toMatchObject({
        status: 'error',
        statusMessage: "The deployed and recompiled bytecode don't match.",
      });
      expect((await lookup('Clone')).status).toBe('false');
    },
    PATIENCE,
  );
});
