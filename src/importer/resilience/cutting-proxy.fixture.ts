/** A TCP proxy before PostgreSQL that breaks connections: at any time, or at a point of the protocol. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** `Q`, its length, and the statement that ends every transaction of the importer. */
const COMMIT = Buffer.from('Q\0\0\0\x0bcommit\0', 'latin1');
const COPY_DATA = 0x64;

/** Where the next connection that comes by is cut. */
type Trap =
  | { readonly kind: 'copy'; chunk: number }
  /** before: the server never sees the COMMIT. after: it commits, and its answer is lost. */
  | { readonly kind: 'commit'; readonly moment: 'before' | 'after' }
  /** As `commit`, but nothing is cut: neither side hears more of the other, and `held` is told. */
  | {
      readonly kind: 'held commit';
      readonly moment: 'before' | 'after';
      /** Commits that pass before. */
      passing: number;
      readonly held: () => void;
    };

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
}

export class CuttingProxy {
  readonly #server: Server;
  readonly #target: () => number;
  readonly #connections = new Set<Connection>();
  #trap: Trap | undefined;
  #stalled = false;
  /** Seen so far. */
  commits = 0;

  private constructor(server: Server, target: () => number) {
    this.#server = server;
    this.#target = target;
    server.on('connection', (client) => this.#accept(client));
  }

  /** @param target gives the port of the server */
  static async start(target: () => number): Promise<CuttingProxy> {
    const server = createServer();
    const proxy = new CuttingProxy(server, target);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  set trap(trap: Trap | undefined) {
    this.#trap = trap;
  }

  drop(): void {
    for (const connection of [...this.#connections]) this.#cut(connection);
  }

  /** Neither side hears of the other; nobody closes anything. */
  stall(): void {
    this.#stalled = true;
    for (const { client, server } of this.#connections) {
      client.pause();
      server.pause();
    }
  }

  resume(): void {
    this.#stalled = false;
    for (const { client, server } of this.#connections) {
      client.resume();
      server.resume();
    }
  }

  async close(): Promise<void> {
    this.drop();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    const server = connect(this.#target(), '127.0.0.1');
    const connection = { client, server };
    this.#connections.add(connection);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => this.#cut(connection));
      socket.on('close', () => this.#cut(connection));
      if (this.#stalled) socket.pause();
    }
    client.on('data', (chunk) => {
      const rest = this.#trapped(connection, chunk);
      if (rest !== undefined) server.write(rest);
    });
    server.on('data', (chunk) => {
      if (!client.destroyed) client.write(chunk);
    });
  }

  /** What of a client's chunk may pass; undefined where the trap closed. */
  #trapped(connection: Connection, chunk: Buffer): Buffer | undefined {
    const trap = this.#trap;
    const commits = chunk.includes(COMMIT);
    if (commits) this.commits++;
    if (trap?.kind === 'copy' && chunk[0] === COPY_DATA && chunk.length > 5 && trap.chunk-- <= 0) {
      this.#trap = undefined;
      connection.server.write(chunk.subarray(0, Math.floor(chunk.length / 2)), () => this.#cut(connection));
      return undefined;
    }
    if (trap?.kind === 'held commit' && commits && trap.passing-- === 0) {
      this.#trap = undefined;
      if (trap.moment === 'before') {
        trap.held();
        return undefined;
      }
      connection.server.removeAllListeners('data');
      connection.server.once('data', trap.held);
      return chunk;
    }
    if (trap?.kind === 'commit' && commits) {
      this.#trap = undefined;
      if (trap.moment === 'before') this.#cut(connection);
      else {
        // The first thing that the server says now is that it has committed.
        connection.server.removeAllListeners('data');
        connection.server.once('data', () => this.#cut(connection));
        return chunk;
      }
      return undefined;
    }
    return chunk;
  }

  #cut(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    connection.client.resetAndDestroy();
    connection.server.destroy();
  }
}
