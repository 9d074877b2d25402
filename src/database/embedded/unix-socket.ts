/**
 * The Unix socket of the embedded server, by which Kagami itself reaches it: a round trip costs less than through TCP. It lies in
 * the data folder, which only the server's account may enter. Others (psql) come by TCP.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of a socket's path, without the zero at its end: `sun_path` of sockaddr_un. */
const longestPath: Readonly<Record<string, number>> = { linux: 107, darwin: 103 };

/** The server's list of folders has its own syntax; what would need quoting there does without a socket. */
const plainPath = /^[\w./@+-]+$/;

const socketPath = (cluster: string, port: number): string => join(cluster, `.s.PGSQL.${port}`);

const fits = (cluster: string, platform: NodeJS.Platform): boolean =>
  Buffer.byteLength(socketPath(cluster, 65_535)) <= (longestPath[platform] ?? 0);

/**
 * The server's setting `unix_socket_directories` for the cluster; empty: no socket, since the system has none or clients could
 * not name it.
 * @param folder how the server itself names its data folder
 */
export const socketDirectories = (
  cluster: string,
  folder: string,
  platform: NodeJS.Platform = process.platform,
): string => (fits(cluster, platform) && plainPath.test(folder) ? folder : '');

/** The folder in which clients find the socket of a running server; undefined: it has none. */
export const socketFolder = (cluster: string, port: number): string | undefined =>
  fits(cluster, process.platform) && existsSync(socketPath(cluster, port)) ? cluster : undefined;

/** Removes what servers that were killed have left, each under the port that it had. To be called while no server runs. */
export const removeStaleSockets = (cluster: string): void => {
  for (const name of readdirSync(cluster)) {
    if (name.startsWith('.s.PGSQL.')) rmSync(join(cluster, name), { force: true });
  }
};
