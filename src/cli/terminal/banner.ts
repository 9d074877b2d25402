/** The first thing that `kagami start` prints: what runs where, and what to try. */
import type { Terminal } from './terminal.ts';

export interface BannerFacts {
  readonly version: string;
  readonly nodeVersion: string;
  /** For example `PostgreSQL 18.4, embedded` or `PostgreSQL 16.2 at db.example:5432`. */
  readonly database: string;
  readonly dataPath: string;
  /** For example `simulated network, 10 transactions/s, 4 nodes` or the folder. */
  readonly source: string;
  /** Address that the ports are open on. */
  readonly host: string;
  /** Ports that answer HTTP, the primary one first. */
  readonly ports: readonly number[];
  /** Undefined: there is no gRPC interface. */
  readonly grpcPort: number | undefined;
  /** Undefined: Rosetta has no port of its own. */
  readonly rosettaPort: number | undefined;
  readonly roles: readonly string[];
}

const wildcards = new Set(['0.0.0.0', '::', '[::]', '']);

const hostOfUrl = (host: string): string => {
  if (wildcards.has(host)) return '127.0.0.1';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
};

/** Whether only programs of this machine reach the address. */
const isLoopback = (host: string): boolean => /^(127\.[\d.]+|::1|\[::1\]|localhost)$/i.test(host);

const reach = (host: string): string => {
  if (isLoopback(host)) return `this machine only (${host}); --host 0.0.0.0 lets others in`;
  return wildcards.has(host) ? `every machine that reaches this one (${host})` : `whoever reaches ${host}`;
};

/** The same as a record's fields. */
export const bannerRecord = ({ ports, host, ...facts }: BannerFacts): object => ({
  ...facts,
  host,
  ...(ports.length === 0 ? {} : { ports, url: `http://${hostOfUrl(host)}:${ports[0]}/api/v1` }),
});

export const formatBanner = (facts: BannerFacts, { style }: Pick<Terminal, 'style'>): string => {
  const base = `http://${hostOfUrl(facts.host)}:${facts.ports[0]}`;
  const line = (name: string, value: string): string => `  ${style.dim(name.padEnd(9))}${value}\n`;
  const serves = facts.ports.length > 0;
  const rest = facts.ports.slice(1);
  const also = rest.length === 0 ? '' : style.dim(` (also on ${rest.join(', ')})`);
  return [
    `\n  ${style.bold('Kagami')} ${facts.version}${style.dim(`, Node ${facts.nodeVersion}, roles ${facts.roles.join(', ')}`)}\n\n`,
    line('Source', facts.source),
    line('Database', facts.database),
    line('Data', facts.dataPath),
    serves ? line('REST', `${style.cyan(`${base}/api/v1`)}${also}`) : '',
    facts.grpcPort === undefined ? '' : line('gRPC', style.cyan(`${hostOfUrl(facts.host)}:${facts.grpcPort}`)),
    facts.rosettaPort === undefined
      ? ''
      : line('Rosetta', style.cyan(`http://${hostOfUrl(facts.host)}:${facts.rosettaPort}`)),
    serves || facts.grpcPort !== undefined || facts.rosettaPort !== undefined ? line('Open to', reach(facts.host)) : '',
    serves ? line('Docs', style.cyan(`${base}/api/v1/docs`)) : '',
    serves ? `\n  Try:  ${style.bold(`curl '${base}/api/v1/transactions?limit=3'`)}\n` : '',
    `  ${style.dim('Ctrl-C stops; the next start goes on from here.')}\n\n`,
  ].join('');
};
