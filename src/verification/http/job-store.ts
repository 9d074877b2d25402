/** Jobs of verification in the database: they outlive the process that ran them, and say so when it has gone. */
import type { Database } from '../../database/connection.ts';
import type { DeployedContract } from '../model.ts';

export interface JobEnd {
  readonly compilationTimeMs?: number;
  readonly contract?: object;
  readonly error?: object;
}

export interface Job extends DeployedContract {
  readonly id: string;
  readonly startedAt: Date;
  readonly finishedAt?: Date;
  readonly compilationTimeMs?: number;
  readonly contract?: object;
  readonly error?: object;
}

export interface JobStore {
  /** False when a job of the same contract runs. */
  start(id: string, contract: DeployedContract): Promise<boolean>;
  finish(id: string, end: JobEnd): Promise<void>;
  /** Says that the process still works on these. */
  keepAlive(ids: readonly string[]): Promise<void>;
  find(id: string): Promise<Job | undefined>;
  /** Ends what no process works on any more, and deletes what ended long ago. */
  tidy(): Promise<void>;
}

/** How long a process may be silent about a job, and how long finished jobs can be asked for. */
const alive = '2 minutes';
const kept = '30 days';

const abandoned = JSON.stringify({
  customCode: 'job_abandoned',
  message: 'The process that worked on this verification has ended; please ask again.',
});

interface JobRow {
  readonly chain_id: string;
  readonly address: string;
  readonly started_ms: string;
  readonly finished_ms: string | null;
  readonly compilation_time_ms: string | null;
  readonly contract: string | null;
  readonly error: string | null;
}

const json = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value));

export const openJobStore = (database: Database): JobStore => {
  const abandon = (where: string, values: readonly unknown[]) =>
    database.query(
      `update kagami.verification_job
       set finished_at = alive_until, error = ('${abandoned}'::jsonb || jsonb_build_object('errorId', id))::json
       where finished_at is null and alive_until < now() ${where}`,
      values,
    );
  return {
    start: async (id, { chainId, address }) => {
      await abandon('and chain_id = $1 and address = $2', [chainId, address]);
      const rows = await database.query(
        `insert into kagami.verification_job (id, chain_id, address, alive_until)
         values ($1, $2, $3, now() + interval '${alive}') on conflict do nothing returning id`,
        [id, chainId, address],
      );
      return rows.length > 0;
    },
    finish: async (id, { compilationTimeMs, contract, error }) => {
      await database.query(
        `update kagami.verification_job
         set finished_at = now(), compilation_time_ms = $2, contract = $3, error = $4 where id = $1`,
        [id, compilationTimeMs === undefined ? null : Math.round(compilationTimeMs), json(contract), json(error)],
      );
    },
    keepAlive: async (ids) => {
      await database.query(
        `update kagami.verification_job set alive_until = now() + interval '${alive}'
         where id = any($1) and finished_at is null`,
        [ids],
      );
    },
    find: async (id) => {
      await abandon('and id = $1', [id]);
      const [row] = await database.query<JobRow>(
        `select chain_id, address, floor(extract(epoch from started_at) * 1000)::bigint as started_ms,
           floor(extract(epoch from finished_at) * 1000)::bigint as finished_ms, compilation_time_ms, contract, error
         from kagami.verification_job where id = $1`,
        [id],
      );
      if (row === undefined) return undefined;
      return {
        id,
        chainId: row.chain_id,
        address: row.address,
        startedAt: new Date(Number(row.started_ms)),
        ...(row.finished_ms === null ? {} : { finishedAt: new Date(Number(row.finished_ms)) }),
        ...(row.compilation_time_ms === null ? {} : { compilationTimeMs: Number(row.compilation_time_ms) }),
        ...(row.contract === null ? {} : { contract: JSON.parse(row.contract) as object }),
        ...(row.error === null ? {} : { error: JSON.parse(row.error) as object }),
      };
    },
    tidy: async () => {
      await abandon('', []);
      await database.query(`delete from kagami.verification_job where finished_at < now() - interval '${kept}'`);
    },
  };
};
