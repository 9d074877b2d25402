/** Folders of balance files as nodes write them, and the import of one or of another store. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { acquireWriter } from '../../../database/fencing.ts';
import type { TestDatabase } from '../../../database/testing/test-database.fixture.ts';
import type { KagamiError } from '../../../errors/kagami-error.ts';
import type { Electorate } from '../../../sources/electorate.ts';
import { balanceFileName, gzipped } from '../../../streams/testing/balance-file.fixture.ts';
import type { TestNode } from '../../../streams/testing/network.fixture.ts';
import { writeSignatureFileV4 } from '../../../streams/write/signature-file.ts';
import { balanceFolder } from '../balance-folder.ts';
import { type BalanceImportOptions, importBalanceFiles } from '../balance-import.ts';
import type { BalanceStore } from '../balance-store.ts';
import type { InitialBalances } from '../initial-balances.ts';

export interface BalanceFolder {
  readonly path: string;
  /** Path below the folder. */
  write(path: string, bytes: Uint8Array): void;
  /** Writes `content` and its signature for each node, protobuf compressed as networks do. */
  publish(nodes: readonly TestNode[], nanos: bigint, format: 'csv' | 'pb', content: Uint8Array): void;
  remove(): void;
}

export const makeBalanceFolder = (): BalanceFolder => {
  const path = mkdtempSync(join(tmpdir(), 'kagami-balances-'));
  const write = (name: string, bytes: Uint8Array): void => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), bytes);
  };
  return {
    path,
    write,
    publish: (nodes, nanos, format, content) => {
      const fileHash = createHash('sha384').update(content).digest();
      for (const { account, privateKey } of nodes) {
        const folder = `accountBalances/balance${account}`;
        const signature = writeSignatureFileV4({ fileHash, privateKey });
        if (format === 'csv') {
          write(`${folder}/${balanceFileName(nanos, 'csv')}`, content);
          write(`${folder}/${balanceFileName(nanos, 'csv_sig')}`, signature);
        } else {
          write(`${folder}/${balanceFileName(nanos, 'pb.gz')}`, gzipped(content));
          write(`${folder}/${balanceFileName(nanos, 'pb_sig.gz')}`, gzipped(signature));
        }
      }
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
};

export interface BalanceImport {
  readonly imported: readonly string[];
  /** Code by name of what was passed over. */
  readonly skipped: Readonly<Record<string, string>>;
  readonly initialized: InitialBalances | undefined;
}

export const importBalances = async (
  { connectionString, database }: TestDatabase,
  from: string | BalanceStore,
  electorate: Electorate,
  options: Partial<BalanceImportOptions> = {},
): Promise<BalanceImport> => {
  const lease = await acquireWriter({ connectionString });
  const imported: string[] = [];
  const skipped: Record<string, string> = {};
  let initialized: InitialBalances | undefined;
  try {
    await importBalanceFiles({
      database,
      lease,
      store: typeof from === 'string' ? balanceFolder(from) : from,
      network: 'other',
      shard: 0n,
      electorate,
      batchSize: 1_000,
      events: {
        imported: ({ name }) => void imported.push(name),
        skipped: (file: string, { code }: KagamiError) => {
          skipped[file] = code;
        },
        initialized: (balances) => {
          initialized = balances;
        },
      },
      ...options,
    });
  } finally {
    await lease.release();
  }
  return { imported, skipped, initialized };
};
