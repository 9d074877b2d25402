/** Sessions of verification in the database: files, what is known of their contracts, and when they end. */
import { createHash, randomBytes } from 'node:crypto';
import type { Database, DatabaseClient } from '../../database/connection.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { UploadedFile } from '../model.ts';
import { emptySession, type SessionState } from './session-state.ts';

export interface SessionLimits {
  /** How long a session lives after its last use, in seconds. */
  readonly lifetimeSeconds: number;
  /** Most bytes of all files of a session, counted in base64. */
  readonly maxSessionBytes: number;
  /** Most bytes of all sessions together, counted in base64. */
  readonly maxTotalBytes: number;
}

export interface SessionStore {
  /** The key that signs cookies: made once, and shared by all processes on the database. */
  secret(): Promise<string>;
  /** What there is of a session, whose life begins anew; an unknown or ended one is empty. */
  read(id: string): Promise<{ readonly state: SessionState; readonly paths: readonly string[] }>;
  files(id: string): Promise<readonly UploadedFile[]>;
  /**
   * Adds the files whose content is new to the session, all or none of them, and gives what names these.
   * @throws KagamiError VERIFICATION_SESSION_FULL, VERIFICATION_SESSIONS_FULL
   */
  addFiles(id: string, files: readonly UploadedFile[]): Promise<readonly Buffer[]>;
  /** Takes added files back. */
  dropFiles(id: string, sha1s: readonly Buffer[]): Promise<void>;
  /** Changes the state that is there at the time; nothing if the session has ended. */
  update(id: string, change: (state: SessionState) => SessionState): Promise<void>;
  remove(id: string): Promise<void>;
  /** Deletes what has ended. */
  prune(): Promise<void>;
}

const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/** Names are shown only, and texts of the database hold no NUL. */
const storablePath = (path: string): string => path.replaceAll('\0', '\uFFFD');

const newFilesOf = async (
  client: DatabaseClient,
  id: string,
  files: readonly UploadedFile[],
): Promise<{ sha1: Buffer; file: UploadedFile }[]> => {
  const rows = await client.query<{ sha1: Buffer }>(
    'select sha1 from kagami.verification_session_file where session_id = $1',
    [id],
  );
  const seen = new Set(rows.map(({ sha1 }) => sha1.toString('hex')));
  return files.flatMap((file) => {
    const sha1 = createHash('sha1').update(file.content).digest();
    const key = sha1.toString('hex');
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ sha1, file }];
  });
};

export const openSessionStore = (database: Database, limits: SessionLimits): SessionStore => {
  const lifetime = `${limits.lifetimeSeconds} seconds`;
  const startSession = async (client: DatabaseClient, id: string): Promise<number> => {
    await client.query('delete from kagami.verification_session where id = $1 and expires_at <= now()', [id]);
    const [row] = await client.query<{ bytes: string }>(
      `insert into kagami.verification_session (id, expires_at, state) values ($1, now() + $2::interval, $3)
       on conflict (id) do update set expires_at = excluded.expires_at returning bytes`,
      [id, lifetime, JSON.stringify(emptySession)],
    );
    return Number(row?.bytes ?? 0);
  };
  return {
    secret: async () => {
      const made = randomBytes(32).toString('base64url');
      await database.query(
        'insert into kagami.verification_secret (secret) values ($1) on conflict (only_row) do nothing',
        [made],
      );
      const [row] = await database.query<{ secret: string }>('select secret from kagami.verification_secret');
      return row?.secret ?? made;
    },
    read: async (id) => {
      // A minute less or more doesn't matter, and not every look at a session should write.
      await database.query(
        `update kagami.verification_session set expires_at = now() + $2::interval
         where id = $1 and expires_at > now() and expires_at < now() + $2::interval - interval '1 minute'`,
        [id, lifetime],
      );
      const [row] = await database.query<{ state: string; paths: string[] | null }>(
        `select state, (select array_agg(path order by position) from kagami.verification_session_file
                        where session_id = id) as paths
         from kagami.verification_session where id = $1 and expires_at > now()`,
        [id],
      );
      if (row === undefined) return { state: emptySession, paths: [] };
      return { state: JSON.parse(row.state) as SessionState, paths: row.paths ?? [] };
    },
    files: (id) =>
      database.query<{ path: string; content: Buffer }>(
        `select path, content from kagami.verification_session_file join kagami.verification_session on id = session_id
         where id = $1 and expires_at > now() order by position`,
        [id],
      ),
    addFiles: (id, files) =>
      database.transaction(async (client) => {
        const before = await startSession(client, id);
        const added = await newFilesOf(client, id, files);
        if (added.length === 0) return [];
        const bytes = added.reduce((sum, { file }) => sum + base64Length(file.content.length), 0);
        if (before + bytes > limits.maxSessionBytes) {
          throw new KagamiError(
            'VERIFICATION_SESSION_FULL',
            'Too much session memory used. Delete some files or clear the session.',
          );
        }
        const [total] = await client.query<{ bytes: string }>(
          'select coalesce(sum(bytes), 0)::bigint as bytes from kagami.verification_session where expires_at > now()',
        );
        if (Number(total?.bytes ?? 0) + bytes > limits.maxTotalBytes) {
          throw new KagamiError('VERIFICATION_SESSIONS_FULL', 'All sessions together hold too many files; try later.');
        }
        for (const { sha1, file } of added) {
          await client.query(
            'insert into kagami.verification_session_file (session_id, sha1, path, content) values ($1, $2, $3, $4)',
            [id, sha1, storablePath(file.path), Buffer.from(file.content)],
            'verification_session_file_insert',
          );
        }
        await client.query('update kagami.verification_session set bytes = bytes + $2 where id = $1', [id, bytes]);
        return added.map(({ sha1 }) => sha1);
      }),
    dropFiles: (id, sha1s) =>
      database.transaction(async (client) => {
        await client.query('select from kagami.verification_session where id = $1 for update', [id]);
        await client.query('delete from kagami.verification_session_file where session_id = $1 and sha1 = any($2)', [
          id,
          sha1s,
        ]);
        await client.query(
          `update kagami.verification_session set bytes = (
             select coalesce(sum(ceil(length(content) / 3.0) * 4), 0) from kagami.verification_session_file
             where session_id = id) where id = $1`,
          [id],
        );
      }),
    update: (id, change) =>
      database.transaction(async (client) => {
        const [row] = await client.query<{ state: string }>(
          'select state from kagami.verification_session where id = $1 for update',
          [id],
        );
        if (row === undefined) return;
        const state = change(JSON.parse(row.state) as SessionState);
        await client.query('update kagami.verification_session set state = $2 where id = $1', [
          id,
          JSON.stringify(state),
        ]);
      }),
    remove: async (id) => {
      await database.query('delete from kagami.verification_session where id = $1', [id]);
    },
    prune: async () => {
      await database.query('delete from kagami.verification_session where expires_at <= now()');
    },
  };
};
