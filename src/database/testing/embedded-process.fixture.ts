/** Starts an embedded server in a process of its own, prints its process id and port, and waits to be killed. */
import { startEmbeddedPostgres } from '../embedded/launcher.ts';

const server = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '', sync: false });
process.stdout.write(`${JSON.stringify({ pid: server.pid, port: server.port })}\n`);
setInterval(() => undefined, 60_000);
