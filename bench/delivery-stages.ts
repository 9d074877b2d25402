/**
 * Loaded into a server (`node --import`): notes when it began to read new messages, had read them, and had written the
 * last of them to its connections. Written as JSON to the file named by DELIVERY_STAGES when the process ends.
 */
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import type { ServerHttp2Stream } from 'node:http2';
import { RecentMessages } from '../src/grpc/topics/recent-messages.ts';
import type { Nanos } from '../src/ledger/timestamp.ts';
import { epochTime } from './figures.ts';

/** A read of new messages; times in milliseconds since the epoch, with fractions. */
export interface DeliveryStages {
  /** Consensus time, in nanoseconds as decimal digits, up to which the read went. */
  readonly through: string;
  readonly reading: number;
  readonly read: number;
  /** When the last subscriber's bytes were given to its connection, and when they had left for the socket. */
  given: number;
  written: number;
  writes: number;
  bytes: number;
}

const reads: DeliveryStages[] = [];
let reading = 0;

const { beginRead, endRead } = RecentMessages.prototype;
RecentMessages.prototype.beginRead = function () {
  reading = epochTime();
  return beginRead.call(this);
};
RecentMessages.prototype.endRead = function (through: Nanos) {
  endRead.call(this, through);
  if (reads.at(-1)?.through === String(through)) return;
  reads.push({ through: String(through), reading, read: epochTime(), given: 0, written: 0, writes: 0, bytes: 0 });
};

subscribe('http2.server.stream.start', (message) => {
  const { stream } = message as { readonly stream: ServerHttp2Stream };
  const write = stream.write.bind(stream) as (chunk: Uint8Array, done: () => void) => boolean;
  stream.write = (chunk: Uint8Array) => {
    const stages = reads.at(-1);
    if (stages !== undefined) {
      stages.given = epochTime();
      stages.writes++;
      stages.bytes += chunk.length;
    }
    return write(chunk, () => {
      if (stages !== undefined) stages.written = epochTime();
    });
  };
});

process.on('exit', () => writeFileSync(process.env.DELIVERY_STAGES ?? '', JSON.stringify(reads)));
