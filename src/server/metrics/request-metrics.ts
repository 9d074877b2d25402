/** Figures of the HTTP interface, under the names that dashboards and alerts of mirror nodes use. */
import { Counter, Gauge, Histogram, type Registry, Summary } from 'prom-client';
import type { AnsweredRequest } from '../../api/http/application.ts';

export interface RequestMetrics {
  answered(request: AnsweredRequest): void;
}

const outcomeOf = (status: number): string => {
  if (status < 200) return 'INFORMATIONAL';
  if (status < 300) return 'SUCCESS';
  if (status < 400) return 'REDIRECTION';
  return status < 500 ? 'CLIENT_ERROR' : 'SERVER_ERROR';
};

/** Express' way to write a path with parameters, as the reference's labels have it; each path is written once. */
const colonPaths = (): ((path: string) => string) => {
  const written = new Map<string, string>();
  return (path) => {
    let text = written.get(path);
    if (text === undefined) {
      text = path.replaceAll(/\{(\w+)\}/g, ':$1');
      written.set(path, text);
    }
    return text;
  };
};

export interface RequestMetricsBuckets {
  /** Milliseconds. */
  readonly durationBuckets: readonly number[];
  /** Bytes; empty: not measured. */
  readonly requestSizeBuckets: readonly number[];
  readonly responseSizeBuckets: readonly number[];
}

export const createRequestMetrics = (registry: Registry, wanted: RequestMetricsBuckets): RequestMetrics => {
  const registers = [registry];
  const colonPath = colonPaths();
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers });
  const all = counter('api_all_request_total', 'Requests.');
  const success = counter('api_all_success_total', 'Requests answered with a status below 400.');
  const errors = counter('api_all_errors_total', 'Requests answered with a status of 400 or more.');
  const clientErrors = counter('api_all_client_error_total', 'Requests answered with a status from 400 to 499.');
  const serverErrors = counter('api_all_server_error_total', 'Requests answered with a status of 500 or more.');
  const apiLabels = ['method', 'path', 'code'] as const;
  const requests = new Counter({
    name: 'api_request_total',
    help: 'Requests by route.',
    labelNames: apiLabels,
    registers,
  });
  const durations = new Histogram({
    name: 'api_request_duration_milliseconds',
    help: 'Time from request to answer, in milliseconds.',
    labelNames: apiLabels,
    buckets: [...wanted.durationBuckets],
    registers,
  });
  const sizes = (name: string, help: string, buckets: readonly number[]): Histogram<(typeof apiLabels)[number]>[] =>
    buckets.length === 0
      ? []
      : [new Histogram({ name, help, labelNames: apiLabels, buckets: [...buckets], registers })];
  const requestSizes = sizes('api_request_size_bytes', 'Size of request bodies.', wanted.requestSizeBuckets);
  const responseSizes = sizes('api_response_size_bytes', 'Size of answer bodies.', wanted.responseSizeBuckets);
  const javaLabels = ['application', 'method', 'uri', 'status', 'outcome'] as const;
  const javaDurations = new Summary({
    name: 'http_server_requests_seconds',
    help: 'Time from request to answer, in seconds.',
    labelNames: javaLabels,
    percentiles: [],
    registers,
  });
  const slowest = new Gauge({
    name: 'http_server_requests_seconds_max',
    help: 'The longest time since the last look, in seconds.',
    labelNames: ['application'],
    registers,
    collect() {
      this.set({ application: 'rest-java' }, slowestSeconds);
      slowestSeconds = 0;
    },
  });
  let slowestSeconds = 0;
  slowest.set({ application: 'rest-java' }, 0);
  const byteLabels = ['application', 'method', 'uri'] as const;
  const bytes = (name: string, help: string) =>
    new Summary({ name, help, labelNames: byteLabels, percentiles: [], registers });
  const requestBytes = bytes('hiero_mirror_restjava_request_bytes', 'Size of request bodies.');
  const responseBytes = bytes('hiero_mirror_restjava_response_bytes', 'Size of answer bodies.');

  return {
    answered: (request) => {
      const { method, status, elapsedMs } = request;
      all.inc();
      if (status < 400) success.inc();
      else {
        errors.inc();
        (status < 500 ? clientErrors : serverErrors).inc();
      }
      if (request.route === undefined) return;
      if (request.flavour === 'js') {
        const labels = { method, path: colonPath(request.route), code: String(status) };
        requests.inc(labels);
        durations.observe(labels, elapsedMs);
        for (const histogram of requestSizes) histogram.observe(labels, request.requestBytes);
        for (const histogram of responseSizes) histogram.observe(labels, request.responseBytes);
        return;
      }
      const labels = { application: request.flavour === 'web3' ? 'web3' : 'rest-java', method, uri: request.route };
      javaDurations.observe({ ...labels, status: String(status), outcome: outcomeOf(status) }, elapsedMs / 1000);
      slowestSeconds = Math.max(slowestSeconds, elapsedMs / 1000);
      requestBytes.observe(labels, request.requestBytes);
      responseBytes.observe(labels, request.responseBytes);
    },
  };
};
