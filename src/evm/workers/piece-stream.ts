/**
 * Text that one thread makes and another takes, piece by piece: the maker waits while too many pieces are under way, so
 * that a slow taker costs time and not memory.
 */
import type { MessagePort } from 'node:worker_threads';
import { KagamiError } from '../../errors/kagami-error.ts';

type FromMaker = { readonly kind: 'piece'; readonly text: string } | { readonly kind: 'end' };
type FromTaker = { readonly kind: 'taken' } | { readonly kind: 'enough' };

const MOST_UNDER_WAY = 4;
const LEAST_PIECE = 64 * 1024;

/** The taker wants no more. */
export class NotWantedError extends Error {}

export class PieceMaker {
  readonly #port: MessagePort;
  readonly #deadlineMs: number;
  #text = '';
  #underWay = 0;
  #isWanted = true;
  #room: (() => void) | undefined;

  /** @param deadlineMs on `performance.now()`; nobody is waited for any longer */
  constructor(port: MessagePort, deadlineMs: number) {
    this.#port = port;
    this.#deadlineMs = deadlineMs;
    port.on('message', (message: FromTaker) => {
      if (message.kind === 'taken') this.#underWay--;
      else this.#isWanted = false;
      this.#room?.();
    });
    port.on('close', () => {
      this.#isWanted = false;
      this.#room?.();
    });
  }

  /** @throws NotWantedError when the taker has gone, KagamiError SIMULATION_TIMEOUT for one too slow */
  async write(text: string): Promise<void> {
    this.#text += text;
    if (this.#text.length >= LEAST_PIECE) await this.#send();
  }

  /** Sends what is left and says that it was all. */
  async end(): Promise<void> {
    await this.#send();
    this.#post({ kind: 'end' });
    this.close();
  }

  /** To be called however it ends: without an end before it, the taker hears of an error. */
  close(): void {
    this.#port.close();
  }

  async #send(): Promise<void> {
    while (this.#isWanted && this.#underWay >= MOST_UNDER_WAY) await this.#change();
    if (!this.#isWanted) throw new NotWantedError('Nobody takes the pieces any more');
    this.#underWay++;
    this.#post({ kind: 'piece', text: this.#text });
    this.#text = '';
  }

  /** The taker took a piece, or wants no more. */
  async #change(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#room = resolve;
    const patience = setTimeout(
      () => reject(new KagamiError('SIMULATION_TIMEOUT', 'The pieces of an answer were taken too slowly')),
      this.#deadlineMs - performance.now(),
    );
    await promise.finally(() => clearTimeout(patience));
  }

  #post(message: FromMaker): void {
    this.#port.postMessage(message);
  }
}

/** The pieces that arrive at a port. Ends with an error when the maker ends without saying that it was all. */
export async function* takePieces(port: MessagePort): AsyncGenerator<string> {
  const arrived: FromMaker[] = [];
  let hasClosed = false;
  let news: (() => void) | undefined;
  port.on('message', (message: FromMaker) => {
    arrived.push(message);
    news?.();
  });
  port.on('close', () => {
    hasClosed = true;
    news?.();
  });
  const answer = (message: FromTaker): void => port.postMessage(message);
  try {
    for (;;) {
      const message = arrived.shift();
      if (message?.kind === 'end') return;
      if (message !== undefined) {
        yield message.text;
        answer({ kind: 'taken' });
        continue;
      }
      if (hasClosed) throw new Error('The pieces ended before their end');
      const { promise, resolve } = Promise.withResolvers<void>();
      news = resolve;
      await promise;
    }
  } finally {
    answer({ kind: 'enough' });
    port.close();
  }
}
