/** CPU time, which other work on the machine changes much less than it does the time on the clock. Linux only; else 0. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Queryable } from '../src/database/connection.ts';

/** Milliseconds of a clock tick in /proc: 100 a second on every Linux that Node runs on. */
const TICK_MS = 10;

/** Parent, and CPU time of a process with that of its ended children, in ticks. */
const readStat = (pid: string): { readonly parent: number; readonly ticks: number } | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces; the fields after it are counted from the state, field 3.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), ticks };
  } catch {
    return undefined;
  }
};

/** Milliseconds of CPU that a process and its children, ended ones included, have used so far. */
export const processCpu = (root: number): number => {
  if (process.platform !== 'linux') return 0;
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const own = processes.filter((pid) => Number(pid) === root || readStat(pid)?.parent === root);
  return own.reduce((sum, pid) => sum + (readStat(pid)?.ticks ?? 0), 0) * TICK_MS;
};

/** The process that a server's backends are children of; 0 where that can't be told. */
export const postmasterOf = async (database: Queryable): Promise<number> => {
  const [backend] = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
  return readStat(String(backend?.pid))?.parent ?? 0;
};

/** Milliseconds of CPU that this process has used so far, in all its threads. */
export const clientCpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
