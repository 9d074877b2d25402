/** The open connections of gRPC clients: how many all and each may have, and the end of those that stay silent. */
import type { Socket } from 'node:net';

export interface ConnectionBounds {
  /** Connections of all clients together. */
  readonly maxConnections: number;
  /** Connections of one client address; 0: as many as all may have. */
  readonly maxConnectionsPerClient: number;
  /** Milliseconds that a client may take for its first bytes. */
  readonly firstBytesTimeout: number;
}

/** Length of what every client begins with, in plain text (RFC 9113, 3.4); TLS begins with more. */
const PREFACE_BYTES = 24;

export class ClientConnections {
  readonly #limits: ConnectionBounds;
  readonly #open = new Set<Socket>();
  readonly #byClient = new Map<string, number>();

  constructor(limits: ConnectionBounds) {
    this.#limits = limits;
  }

  /** Takes in a connection; false: there are as many as there may be. */
  admit(socket: Socket): boolean {
    const { maxConnections, maxConnectionsPerClient, firstBytesTimeout } = this.#limits;
    const client = socket.remoteAddress;
    // Gone before anybody looked at it.
    if (client === undefined || socket.destroyed) return false;
    const own = this.#byClient.get(client) ?? 0;
    if (this.#open.size >= maxConnections) return false;
    if (maxConnectionsPerClient > 0 && own >= maxConnectionsPerClient) return false;
    this.#open.add(socket);
    this.#byClient.set(client, own + 1);
    // HTTP/2 reads past the socket's own timer; what arrived is counted all the same.
    const silence = setTimeout(() => {
      if (socket.bytesRead < PREFACE_BYTES) socket.destroy();
    }, firstBytesTimeout);
    silence.unref();
    socket.once('close', () => {
      clearTimeout(silence);
      this.#open.delete(socket);
      const left = (this.#byClient.get(client) ?? 1) - 1;
      if (left === 0) this.#byClient.delete(client);
      else this.#byClient.set(client, left);
    });
    return true;
  }

  /**
   * Cuts those on which nothing was sent yet, and waits for the others, which are being told of the end; those that do not
   * go within so many milliseconds are cut.
   */
  async end(patienceMs: number): Promise<void> {
    for (const socket of this.#open) if (socket.bytesRead < PREFACE_BYTES) socket.destroy();
    const gone = [...this.#open].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    const cut = setTimeout(() => {
      for (const socket of this.#open) socket.destroy();
    }, patienceMs);
    await Promise.all(gone);
    clearTimeout(cut);
  }
}
