/** The first thing that `kagami start` prints: what runs where, and what to try. */
import { interfaceRoles, ownPorts } from '../../config/settings/own-ports.ts';
import type { InterfacePorts } from '../../server/start.ts';
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
  readonly interfacePorts: InterfacePorts;
  /** Undefined: no transactions are taken. */
  readonly node: DevelopmentNetwork | undefined;
  readonly roles: readonly string[];
}

/** A network that takes transactions, and the published keys of accounts that pay there. */
export interface DevelopmentNetwork {
  /** For example `127.0.0.1:50211`. */
  readonly address: string;
  /** Account of the node, for example `0.0.3`. */
  readonly account: string;
  readonly operator: DevelopmentAccount;
  readonly accounts: readonly DevelopmentAccount[];
}

export interface DevelopmentAccount {
  readonly account: string;
  /** 0x and hex digits; undefined: it has none of its own. */
  readonly evmAddress?: string;
  /** As SDKs and wallets take it: DER hex of ed25519, 0x and hex digits of secp256k1. */
  readonly privateKey: string;
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
export const bannerRecord = ({ ports, host, interfacePorts, ...facts }: BannerFacts): object => ({
  ...facts,
  host,
  ...Object.fromEntries(interfaceRoles.map((role) => [`${role}Port`, interfacePorts[role]])),
  ...(ports.length === 0 ? {} : { ports, url: `http://${hostOfUrl(host)}:${ports[0]}/api/v1` }),
});

/** Keys that everybody knows may stand on a terminal. */
const accountTable = ({ operator, accounts }: DevelopmentNetwork, style: Terminal['style']): string => {
  const heading = `\n  ${style.bold('Accounts')}${style.dim(' with published keys, for development only')}\n`;
  const lines = [operator, ...accounts].map(
    ({ account, evmAddress, privateKey }) =>
      `  ${account.padEnd(9)}${style.dim((evmAddress ?? 'operator').padEnd(44))}${privateKey}\n`,
  );
  return `${heading}${lines.join('')}\n`;
};

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
    ...interfaceRoles.map((role) => {
      const port = facts.interfacePorts[role];
      return port === undefined
        ? ''
        : line(ownPorts[role].title, style.cyan(`${ownPorts[role].scheme}${hostOfUrl(facts.host)}:${port}`));
    }),
    facts.node === undefined
      ? ''
      : line('Node', style.cyan(facts.node.address) + style.dim(` (${facts.node.account}, for SDKs)`)),
    serves || interfaceRoles.some((role) => facts.interfacePorts[role] !== undefined)
      ? line('Open to', reach(facts.host))
      : '',
    serves ? line('Docs', style.cyan(`${base}/api/v1/docs`)) : '',
    serves ? `\n  Try:  ${style.bold(`curl '${base}/api/v1/transactions?limit=3'`)}\n` : '',
    facts.node === undefined ? '' : accountTable(facts.node, style),
    `  ${style.dim('Ctrl-C stops; the next start goes on from here.')}\n\n`,
  ].join('');
};
