import { expect, it } from 'vitest';
import { ConsensusTopicResponse } from '../../protobuf/generated/mirror/consensus_service.ts';
import { MessageReader } from '../length-prefixed.ts';
import { piecesOf, type TopicMessageRow, topicMessagesOf } from './topic-message.ts';

const row = (topic: number, sequence: number, size = 10): TopicMessageRow => ({
  chunk_num: null,
  chunk_total: null,
  consensus_timestamp: String(sequence * 10 + topic),
  initial_transaction_id: null,
  message: Buffer.alloc(size, sequence),
  payer_account_id: null,
  running_hash: null,
  running_hash_version: null,
  sequence_number: String(sequence),
  topic_id: String(topic),
  valid_start_timestamp: null,
});

const numbersIn = (piece: Uint8Array): number[] =>
  new MessageReader(100_000)
    .read(Buffer.from(piece))
    .map((message) => Number(ConsensusTopicResponse.decode(message).sequenceNumber));

it('keeps the order of rows, and has the frames of a topic together', () => {
  const messages = topicMessagesOf([row(1, 1), row(2, 1), row(1, 2), row(2, 2), row(1, 3)]);
  expect(messages.map(({ topic, sequenceNumber }) => [topic, sequenceNumber])).toEqual([
    [1n, 1n],
    [2n, 1n],
    [1n, 2n],
    [2n, 2n],
    [1n, 3n],
  ]);
  const first = messages.filter(({ topic }) => topic === 1n);
  expect([...piecesOf(first)].map(numbersIn)).toEqual([[1, 2, 3]]);
  expect([...piecesOf(first.slice(1))].map(numbersIn)).toEqual([[2, 3]]);
});

it('sends what lies apart in several pieces, and shares the memory of the messages', () => {
  const messages = [...topicMessagesOf([row(1, 1), row(1, 2)]), ...topicMessagesOf([row(1, 3)])];
  const pieces = [...piecesOf(messages)];
  expect(pieces.map(numbersIn)).toEqual([[1, 2], [3]]);
  expect(pieces[0]?.buffer).toBe(messages[0]?.frame.buffer);
  expect([...piecesOf([])]).toEqual([]);
});

it('makes no piece of more than 64 KiB', () => {
  const messages = topicMessagesOf(Array.from({ length: 200 }, (_, index) => row(1, index + 1, 1_024)));
  const pieces = [...piecesOf(messages)];
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
  expect(pieces).toHaveLength(4);
  expect(pieces.flatMap(numbersIn)).toEqual(messages.map(({ sequenceNumber }) => Number(sequenceNumber)));
});
