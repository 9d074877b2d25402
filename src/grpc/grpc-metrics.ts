/** Figures of the gRPC interface, under the names that dashboards of mirror nodes use. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { TopicBatch } from './topics/topic-batch.ts';

export interface GrpcMetrics {
  subscribers(change: 1 | -1): void;
  /** New messages were read, at a time in nanoseconds. */
  read(batches: readonly TopicBatch[], now: bigint): void;
}

const NANOS_PER_SECOND = 1e9;

/** @param kept gives the number of messages in memory */
export const createGrpcMetrics = (registry: Registry, kept: () => number): GrpcMetrics => {
  const registers = [registry];
  const labelNames = ['type'] as const;
  const type = 'TopicMessage';
  const subscribers = new Gauge({
    name: 'hiero_mirror_grpc_subscribers',
    help: 'Topic subscriptions.',
    labelNames,
    registers,
  });
  subscribers.set({ type }, 0);
  // A summary would keep every value for percentiles that nobody asks for, which costs more than reading the messages.
  const latencySum = new Counter({
    name: 'hiero_mirror_grpc_consensus_latency_seconds_sum',
    help: 'From the consensus of new messages to the moment at which subscribers can have them, in all.',
    labelNames,
    registers,
  });
  const latencyCount = new Counter({
    name: 'hiero_mirror_grpc_consensus_latency_seconds_count',
    help: 'New messages with a time from their consensus on.',
    labelNames,
    registers,
  });
  const messages = new Counter({
    name: 'hiero_mirror_grpc_listener_messages_total',
    help: 'New messages that were read for subscribers.',
    registers,
  });
  new Gauge({
    name: 'hiero_mirror_grpc_listener_buffer',
    help: 'New messages that are kept in memory for all subscribers.',
    registers,
    collect() {
      this.set(kept());
    },
  });
  return {
    subscribers: (change) => subscribers.inc({ type }, change),
    read: (batches, now) => {
      let seconds = 0;
      let timed = 0;
      for (const { length, times } of batches) {
        messages.inc(length);
        for (const time of times) {
          if (time >= now) continue;
          seconds += Number(now - time) / NANOS_PER_SECOND;
          timed++;
        }
      }
      latencySum.inc({ type }, seconds);
      latencyCount.inc({ type }, timed);
    },
  };
};
