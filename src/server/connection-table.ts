/** The open connections of all listeners, and who may have how many. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** One connection; `response` is that of the latest request on it. */
export interface Connection {
  readonly socket: Socket;
  readonly client: string;
  response: ServerResponse | undefined;
}

export interface ConnectionCaps {
  /** Connections of all clients together. */
  readonly most: number;
  /** Connections of one client; 0: as many as all may have. */
  readonly mostPerClient: number;
}

/** Whether an answer is owed on the connection. */
export const isAtWork = ({ response }: Connection): boolean =>
  response !== undefined && !response.writableFinished && !response.destroyed;

export class ConnectionTable {
  readonly #caps: ConnectionCaps;
  /** Oldest first within each client. */
  readonly #byClient = new Map<string, Set<Connection>>();
  readonly #bySocket = new Map<Socket, Connection>();

  constructor(caps: ConnectionCaps) {
    this.#caps = caps;
  }

  get(socket: Socket): Connection | undefined {
    return this.#bySocket.get(socket);
  }

  all(): Iterable<Connection> {
    return this.#bySocket.values();
  }

  /**
   * Takes a new connection. Where there are too many, the oldest on which no answer is owed makes room: of the same client
   * if that one has too many, else of the client with the most. False: all of them are at work, and this one is refused.
   */
  admit(socket: Socket, client: string): boolean {
    const { most, mostPerClient } = this.#caps;
    const own = this.#byClient.get(client);
    if (mostPerClient > 0 && own !== undefined && own.size >= mostPerClient && !this.#makeRoom(own)) return false;
    if (this.#bySocket.size >= most && !this.#makeRoomAmongAll()) return false;
    const connection: Connection = { socket, client, response: undefined };
    this.#bySocket.set(socket, connection);
    const list = this.#byClient.get(client);
    if (list === undefined) this.#byClient.set(client, new Set([connection]));
    else list.add(connection);
    socket.once('close', () => this.#remove(connection));
    return true;
  }

  /** Forgets a connection that somebody else looks after from now on. */
  release(socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    if (connection !== undefined) this.#remove(connection);
  }

  #makeRoom(connections: Iterable<Connection>): boolean {
    for (const connection of connections) {
      if (isAtWork(connection)) continue;
      this.#remove(connection);
      connection.socket.destroy();
      return true;
    }
    return false;
  }

  #makeRoomAmongAll(): boolean {
    const clients = [...this.#byClient.values()].toSorted((a, b) => b.size - a.size);
    return clients.some((connections) => this.#makeRoom(connections));
  }

  #remove(connection: Connection): void {
    if (!this.#bySocket.delete(connection.socket)) return;
    const own = this.#byClient.get(connection.client);
    own?.delete(connection);
    if (own?.size === 0) this.#byClient.delete(connection.client);
  }
}
