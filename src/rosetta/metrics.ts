/** Figures of the Rosetta interface, under the names that dashboards of mirror nodes use. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface AnsweredRosettaRequest {
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
}

export interface RosettaMetrics {
  began(route: string): void;
  answered(request: AnsweredRosettaRequest): void;
  /** An error answer was given. */
  failed(route: string, code: number): void;
}

const SIZE_BUCKETS = [1_024, 16_384, 131_072, 1_048_576, 16_777_216];
const common = { method: 'POST', application: 'rosetta' } as const;

export const createRosettaMetrics = (registry: Registry): RosettaMetrics => {
  const registers = [registry];
  const labelNames = ['method', 'route', 'status_code', 'ws', 'application'] as const;
  const histogram = (name: string, help: string, buckets?: number[]) =>
    new Histogram({ name: `hiero_mirror_rosetta_${name}`, help, labelNames, registers, ...(buckets && { buckets }) });
  const requestBytes = histogram('request_bytes', 'Size of request bodies.', SIZE_BUCKETS);
  const responseBytes = histogram('response_bytes', 'Size of answers.', SIZE_BUCKETS);
  const duration = histogram('request_duration', 'Seconds from a request to the end of its answer.');
  const inflight = new Gauge({
    name: 'hiero_mirror_rosetta_request_inflight',
    help: 'Requests at work.',
    labelNames: ['method', 'route', 'application'] as const,
    registers,
  });
  const errors = new Counter({
    name: 'hiero_mirror_rosetta_errors_total',
    help: 'Error answers by their code.',
    labelNames: ['route', 'code'] as const,
    registers,
  });
  return {
    began: (route) => inflight.inc({ ...common, route }),
    answered: ({ route, status, seconds, requestBytes: received, responseBytes: sent }) => {
      const labels = { ...common, route, status_code: String(status), ws: 'false' };
      inflight.dec({ ...common, route });
      requestBytes.observe(labels, received);
      responseBytes.observe(labels, sent);
      duration.observe(labels, seconds);
    },
    failed: (route, code) => errors.inc({ route, code: String(code) }),
  };
};
