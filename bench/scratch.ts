import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseAddresses } from '../src/database/connect-options.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/database/embedded/launcher.ts';
import { embeddedAddresses, prepareDatabase } from '../src/database/prepare.ts';

export interface Scratch {
  readonly folder: string;
  readonly server: EmbeddedPostgres;
  /** A migrated database without rows. */
  newDatabase(name: string): Promise<DatabaseAddresses>;
}

/** A temporary folder with an embedded server in its usual configuration (durable, unlike the tests' server). */
export const withScratch = async (work: (scratch: Scratch) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'kagami-bench-'));
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
  try {
    await work({
      folder,
      server,
      newDatabase: async (name) => {
        const addresses = await embeddedAddresses(server, name);
        await prepareDatabase(addresses);
        return addresses;
      },
    });
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
