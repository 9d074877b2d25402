import { constants } from 'node:buffer';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ConsensusTopicResponse } from '../../protobuf/generated/mirror/consensus_service.ts';
import { MessageReader } from '../length-prefixed.ts';
import { type TopicBatch, TopicBatchWriter } from './topic-batch.ts';
import type { TopicMessageRow } from './topic-message.ts';

const row = (sequence: number, size = 10): TopicMessageRow => ({
  consensusTimestamp: BigInt(sequence * 10),
  sequenceNumber: BigInt(sequence),
  message: Buffer.alloc(size, sequence),
  runningHash: Buffer.alloc(0),
  runningHashVersion: null,
  chunkNum: null,
  chunkTotal: null,
  initialTransactionId: null,
  payerAccountId: null,
  validStartTimestamp: null,
});

const batchOf = (rows: readonly TopicMessageRow[]): TopicBatch => {
  const writer = new TopicBatchWriter();
  for (const one of rows) writer.add(one);
  return writer.take(7n);
};

const responsesIn = (piece: Uint8Array): ConsensusTopicResponse[] =>
  new MessageReader(constants.MAX_LENGTH)
    .read(Buffer.from(piece))
    .map((message) => ConsensusTopicResponse.decode(message));

const numbersIn = (batch: TopicBatch | undefined): number[] =>
  (batch?.pieces() ?? []).flatMap(responsesIn).map(({ sequenceNumber }) => Number(sequenceNumber));

const range = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);
const batch = batchOf(range(1, 5).map((number) => row(number)));

it('sends all messages in one piece that all subscribers share', () => {
  expect(batch.pieces()).toHaveLength(1);
  expect(batch.pieces()[0]).toBe(batch.pieces()[0]);
  expect(numbersIn(batch)).toEqual([1, 2, 3, 4, 5]);
  expect([batch.firstTime, batch.lastTime, batch.firstNumber, batch.lastNumber]).toEqual([10n, 50n, 1n, 5n]);
});

it('has parts after and before a time and of a number of messages, in the same memory', () => {
  expect(batch.after(9n)).toBe(batch);
  expect(numbersIn(batch.after(10n))).toEqual([2, 3, 4, 5]);
  expect(numbersIn(batch.after(49n))).toEqual([5]);
  expect(batch.after(50n)).toBeUndefined();
  expect(batch.before(51n)).toBe(batch);
  expect(numbersIn(batch.before(50n))).toEqual([1, 2, 3, 4]);
  expect(batch.before(10n)).toBeUndefined();
  expect(batch.upTo(5)).toBe(batch);
  expect(numbersIn(batch.upTo(2))).toEqual([1, 2]);
  const middle = batch.after(10n)?.before(50n)?.upTo(2);
  expect(numbersIn(middle)).toEqual([2, 3]);
  expect(middle?.pieces()[0]?.buffer).toBe(batch.pieces()[0]?.buffer);
});

it('tells a hole within, and not one at its ends', () => {
  const holed = batchOf([row(1), row(3), row(4)]);
  expect([batch.hasHole, holed.hasHole, holed.after(10n)?.hasHole]).toEqual([false, true, false]);
  expect(batchOf([row(1), row(1), row(3)]).hasHole).toBe(true);
});

it('makes no piece of more than 64 KiB but for a message that is larger', () => {
  const many = batchOf(range(1, 200).map((number) => row(number, 1_024)));
  const pieces = many.pieces();
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
  expect(pieces).toHaveLength(4);
  expect(numbersIn(many)).toEqual(range(1, 200));
  expect(numbersIn(many.after(1_000n)?.before(1_900n))).toEqual(range(101, 89));
  const large = batchOf([row(1), row(2, 100_000), row(3)]);
  expect(
    large
      .pieces()
      .map(responsesIn)
      .map((responses) => responses.length),
  ).toEqual([1, 1, 1]);
});

const longs = fc.bigInt({ min: 0n, max: (1n << 63n) - 1n });
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const bytes = fc.uint8Array({ maxLength: 200 }).map((values) => Buffer.from(values));

it('encodes every row as the codec of the message does', () => {
  const rows = fc.record({
    consensusTimestamp: longs,
    sequenceNumber: longs,
    message: bytes,
    runningHash: bytes,
    runningHashVersion: optional(fc.integer({ min: 0, max: 3 })),
    chunkNum: optional(fc.integer({ min: 0, max: 0x7fff_ffff })),
    chunkTotal: optional(fc.integer({ min: 0, max: 0x7fff_ffff })),
    initialTransactionId: optional(bytes),
    payerAccountId: optional(fc.constant(1001n)),
    validStartTimestamp: optional(longs),
  });
  fc.assert(
    fc.property(fc.array(rows, { minLength: 1, maxLength: 8 }), (several) => {
      const whole = batchOf(several);
      const framed = whole
        .pieces()
        .flatMap((piece) => new MessageReader(constants.MAX_LENGTH).read(Buffer.from(piece)));
      expect(framed).toHaveLength(several.length);
      for (const [place, message] of framed.entries()) {
        const response = ConsensusTopicResponse.decode(message);
        expect(Buffer.from(ConsensusTopicResponse.encode(response).finish())).toEqual(Buffer.from(message));
        const row = several[place] as TopicMessageRow;
        expect(response.consensusTimestamp).toMatchObject({
          seconds: row.consensusTimestamp / 1_000_000_000n,
          nanos: Number(row.consensusTimestamp % 1_000_000_000n),
        });
        expect(response.sequenceNumber).toBe(row.sequenceNumber);
        expect(response.runningHashVersion).toBe(BigInt(row.runningHashVersion ?? 3));
        expect(Buffer.from(response.message)).toEqual(Buffer.from(row.message));
        expect(Buffer.from(response.runningHash)).toEqual(Buffer.from(row.runningHash));
        expect(response.chunkInfo?.number).toBe(row.chunkNum ?? undefined);
        expect(response.chunkInfo?.total).toBe(row.chunkNum === null ? undefined : (row.chunkTotal ?? 0));
      }
    }),
  );
});
