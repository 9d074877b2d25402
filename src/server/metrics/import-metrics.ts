/**
 * Figures of the importer, under the names that dashboards and alerts of mirror nodes use.
 *
 * The importer works in another thread: it sends plain `ImportSample` objects, and this side turns them into metrics.
 */
import { Counter, Gauge, type Registry, Summary } from 'prom-client';
import type { ReadImportCondition } from '../import-condition.ts';

const timers = {
  batch_latency: { help: 'From the consensus of a batch to its commit.', labels: ['type'] },
  cloud_latency: { help: 'From the consensus of a file to its availability at the source.', labels: ['type'] },
  duration: { help: 'Time that one run of a task took.', labels: ['type', 'success'] },
  parse_duration: { help: 'Time to parse a stream file.', labels: ['type', 'success'] },
  parse_latency: { help: 'From the consensus of a stream file to the end of its parsing.', labels: ['type'] },
  publish_duration: { help: 'Time to publish topic messages.', labels: ['type'] },
  stream_close_latency: { help: 'Between the ends of consecutive stream files.', labels: ['type', 'wrapped'] },
  stream_latency: {
    help: 'From the consensus of a stream file to its verification.',
    labels: ['type', 'block_node', 'wrapped'],
  },
  stream_request: { help: 'Time of requests to the source.', labels: ['type', 'action', 'nodeId', 'status'] },
  stream_verification: {
    help: 'Time to prove a stream file.',
    labels: ['type', 'success', 'block_node', 'wrapped'],
  },
  transaction_latency: { help: 'From the consensus of a transaction to its parsing.', labels: ['type'] },
} as const;

const summaries = {
  batch_rows: { help: 'Rows of one write.', labels: ['table'] },
  transaction_size_bytes: { help: 'Size of transactions.', labels: ['type'] },
} as const;

const counters = {
  stop: {
    help: 'Times that the import stopped or began to wait, by the code of the reason.',
    labels: ['state', 'code'],
  },
  stream_error: { help: 'Stream files that could not be read.', labels: ['type', 'nodeId', 'block_node'] },
  stream_signature_verification: { help: 'Signatures checked.', labels: ['type', 'nodeId', 'status'] },
} as const;

const gauges = {
  reconciliation: { help: 'State of the balance reconciliation.', labels: [] },
} as const;

export type ImportTimer = keyof typeof timers;
export type ImportSummary = keyof typeof summaries;
export type ImportCounter = keyof typeof counters;
export type ImportGauge = keyof typeof gauges;

export type Labels = Readonly<Record<string, string>>;

/** One measurement; a plain object, so that it can be posted between threads. */
export type ImportSample =
  | { readonly kind: 'timer'; readonly name: ImportTimer; readonly seconds: number; readonly labels: Labels }
  | { readonly kind: 'summary'; readonly name: ImportSummary; readonly value: number; readonly labels: Labels }
  | { readonly kind: 'counter'; readonly name: ImportCounter; readonly by?: number; readonly labels: Labels }
  | { readonly kind: 'gauge'; readonly name: ImportGauge; readonly value: number };

export interface ImportMetrics {
  record(sample: ImportSample): void;
}

const prefix = 'hiero_mirror_importer_';
const application = 'importer';

/** Seconds of a standstill, by what causes it. */
const registerStandstill = (registry: Registry, readCondition: ReadImportCondition): void => {
  new Gauge({
    name: `${prefix}standstill_seconds`,
    help: 'Time for which no block has come because of what the labels name; 0 while blocks come.',
    labelNames: ['application', 'state', 'code'],
    registers: [registry],
    async collect() {
      const { standstill } = await readCondition().catch(() => ({ standstill: undefined }));
      this.reset();
      const { state, code, since } = standstill ?? { state: 'importing', code: '', since: undefined };
      const seconds = since === undefined ? 0 : Math.max(0, (Date.now() - Date.parse(since)) / 1_000);
      this.set({ application, state, code }, state === 'ended' ? 0 : seconds);
    },
  });
};

/** @param readCondition whether blocks keep coming; left out: nothing is told of that */
export const createImportMetrics = (
  registry: Registry,
  readCondition?: ReadImportCondition | undefined,
): ImportMetrics => {
  const registers = [registry];
  if (readCondition !== undefined) registerStandstill(registry, readCondition);
  const summaryOf = (name: string, help: string, labels: readonly string[]): Summary =>
    new Summary({ name, help, labelNames: ['application', ...labels], percentiles: [], registers });
  const timerOf = new Map(
    Object.entries(timers).map(([name, { help, labels }]) => [
      name,
      summaryOf(`${prefix}${name}_seconds`, help, labels),
    ]),
  );
  const summaryByName = new Map(
    Object.entries(summaries).map(([name, { help, labels }]) => [name, summaryOf(`${prefix}${name}`, help, labels)]),
  );
  const counterOf = new Map(
    Object.entries(counters).map(([name, { help, labels }]) => [
      name,
      new Counter({ name: `${prefix}${name}_total`, help, labelNames: ['application', ...labels], registers }),
    ]),
  );
  const gaugeOf = new Map(
    Object.entries(gauges).map(([name, { help }]) => [
      name,
      new Gauge({ name: `${prefix}${name}`, help, labelNames: ['application'], registers }),
    ]),
  );
  return {
    record: (sample) => {
      if (sample.kind === 'timer') timerOf.get(sample.name)?.observe({ application, ...sample.labels }, sample.seconds);
      else if (sample.kind === 'summary') {
        summaryByName.get(sample.name)?.observe({ application, ...sample.labels }, sample.value);
      } else if (sample.kind === 'counter') {
        counterOf.get(sample.name)?.inc({ application, ...sample.labels }, sample.by ?? 1);
      } else gaugeOf.get(sample.name)?.set({ application }, sample.value);
    },
  };
};
