/** Contract verification as part of the server. It needs a database that it may write, and serves before that is there. */
import type { FastifyInstance } from 'fastify';
import type { ClientIdentity } from '../api/client-identity.ts';
import type { VerificationSettings } from '../config/settings/verification.ts';
import type { Database } from '../database/connection.ts';
import type { MirroredNetwork } from '../verification/chain/mirrored-chain.ts';
import { registerVerification } from '../verification/http/registration.ts';
import { openVerifier } from '../verification/open-verifier.ts';
import { pendingDatabase } from './pending-database.ts';
import type { ServerLog } from './server-log.ts';

export interface VerificationOptions {
  /** With the rights to write the schema `kagami`; closed with the server. */
  readonly database: Database | Promise<Database>;
  readonly network: MirroredNetwork;
  /** `kagami.verification.*` */
  readonly settings: VerificationSettings;
  /** Folder for compilers that were fetched. */
  readonly compilersFolder: string;
}

/** Registers everything about verification; gives what ends it. */
export const addVerification = async (
  app: FastifyInstance,
  options: VerificationOptions,
  identify: ClientIdentity,
  log: ServerLog,
): Promise<() => Promise<void>> => {
  const { network, settings, compilersFolder } = options;
  const database = options.database instanceof Promise ? pendingDatabase(options.database) : options.database;
  const verifier = openVerifier({ database, network, settings, compilersFolder });
  await registerVerification(app, { verifier, database, settings: settings.http, identify, log });
  return async () => {
    await verifier.close();
    await database.close();
  };
};
