import fastify from 'fastify';
import { expect, it } from 'vitest';
import { createClientIdentity } from '../../api/client-identity.ts';
import { loadSettings } from '../../config/load.ts';
import { openVerifier } from '../open-verifier.ts';
import { verificationPaths } from './openapi-paths.ts';
import { verificationSchemas } from './openapi-schemas.ts';
import { registerVerification } from './registration.ts';

const aliases = [
  'GET /checkByAddresses',
  'GET /checkAllByAddresses',
  'GET /session-data',
  'POST /',
  'POST /input-files',
  'POST /restart-session',
  'POST /session/verify-validated',
  'POST /session/verify/etherscan',
  'POST /verify-validated',
  'POST /verify/etherscan',
];

/** Pages, what they need, and what belongs to the server as a whole. */
const undocumented = [
  'GET /verify',
  'GET /verify/page.css',
  'GET /verify/page.js',
  'GET /health',
  'GET /contracts/full_match/{chain}/{address}',
  'GET /contracts/partial_match/{chain}/{address}',
  'GET /{chain}/{address}',
];

const nobody = () => Promise.reject(new Error('unused'));
const database = {
  query: nobody,
  transaction: nobody,
  cells: nobody,
  copyOut: nobody,
  withClient: nobody,
  listen: nobody,
  close: async () => undefined,
};

it('documents every route that there is, and no other', async () => {
  const app = fastify();
  const routes: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    const path = url.replaceAll(/:(\w+)(\([^)]*\))?/g, '{$1}').replace(/\/\*$/, '/{path}');
    for (const one of [method].flat()) if (one === 'GET' || one === 'POST') routes.push(`${one} ${path}`);
  });
  app.removeAllContentTypeParsers();
  const { verification } = loadSettings({ cwd: '/', env: {}, readFile: () => undefined }).settings.kagami;
  const compilers = { ...verification.compilers, download: false };
  const verifier = openVerifier({
    database,
    network: { chainId: '298', name: 'test', shard: 0n, realm: 0n },
    settings: { ...verification, compilers },
    compilersFolder: '/nowhere',
  });
  await registerVerification(app, {
    verifier,
    database,
    settings: verification.http,
    identify: createClientIdentity([]),
    log: { warn: () => undefined, error: () => undefined },
  });
  await app.ready();
  const documented = Object.entries(verificationPaths()).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = [...new Set(routes)].filter(
    (route) => ![...aliases, ...undocumented, 'GET /v2/{path}', 'POST /v2/{path}'].includes(route),
  );
  expect(documented.toSorted()).toEqual(served.toSorted());
  await app.close();
  await verifier.close();
});

it('refers to schemas that are there, and to all of them', () => {
  const text = JSON.stringify([verificationPaths(), verificationSchemas]);
  const named = new Set([...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name));
  expect([...named].toSorted()).toEqual(Object.keys(verificationSchemas).toSorted());
});

it('gives each operation an id of its own', () => {
  const ids = Object.values(verificationPaths()).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});
