/** Figures of the gRPC interface, under the names that dashboards of mirror nodes use. */
import { Counter, Gauge, type Registry, Summary } from 'prom-client';
import type { TopicMessage } from './topics/topic-message.ts';

export interface GrpcMetrics {
  subscribers(change: 1 | -1): void;
  /** New messages were read, at a time in nanoseconds. */
  read(messages: readonly TopicMessage[], now: bigint): void;
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
  const latency = new Summary({
    name: 'hiero_mirror_grpc_consensus_latency_seconds',
    help: 'From the consensus of a new message to the moment at which subscribers can have it.',
    labelNames,
    percentiles: [],
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
    read: (read, now) => {
      messages.inc(read.length);
      for (const { consensusTimestamp } of read) {
        const seconds = Number(now - consensusTimestamp) / NANOS_PER_SECOND;
        if (seconds > 0) latency.observe({ type }, seconds);
      }
    },
  };
};
