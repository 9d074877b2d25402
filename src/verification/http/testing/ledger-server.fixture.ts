/** The interfaces over the real verifier and a ledger of the test's own rows, with the compilers that come with Kagami. */

import type { FastifyInstance } from 'fastify';
import { createClientIdentity } from '../../../api/client-identity.ts';
import { applicationOver } from '../../../api/http/testing/application.fixture.ts';
import { loadSettings } from '../../../config/load.ts';
import type { VerificationSettings } from '../../../config/settings/verification.ts';
import type { Database } from '../../../database/connection.ts';
import { createTestDatabase } from '../../../database/testing/test-database.fixture.ts';
import { openVerifier } from '../../open-verifier.ts';
import type { Verifier } from '../../verifier.ts';
import { registerVerification } from '../registration.ts';
import { type Visitor, visitorOf } from './verification-server.fixture.ts';

export interface LedgerServer {
  readonly app: FastifyInstance;
  readonly database: Database;
  readonly verifier: Verifier;
  visitor(): Visitor;
  close(): Promise<void>;
}

/** @param changed of `kagami.verification`, else as it is by default; nothing is downloaded */
export const serveLedger = async (
  changed: (settings: VerificationSettings) => VerificationSettings = (settings) => settings,
): Promise<LedgerServer> => {
  const test = await createTestDatabase();
  const { database } = test;
  const { verification } = loadSettings({ cwd: '/', env: {}, readFile: () => undefined }).settings.kagami;
  const settings = changed({ ...verification, compilers: { ...verification.compilers, download: false } });
  const network = { chainId: '298', name: 'testing', shard: 0n, realm: 0n };
  const verifier = openVerifier({ database, network, settings, compilersFolder: '/nowhere' });
  const { fastify: app } = applicationOver({ routes: [], db: database });
  const log = { error: () => undefined, warn: () => undefined };
  await registerVerification(app, {
    verifier,
    database,
    settings: settings.http,
    identify: createClientIdentity([]),
    log,
  });
  await app.ready();
  return {
    app,
    database,
    verifier,
    visitor: () => visitorOf(app),
    close: async () => {
      await app.close();
      await verifier.close();
      await test.drop();
    },
  };
};
