import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createImportMetrics } from './import-metrics.ts';
import { createRequestMetrics } from './request-metrics.ts';

const linesOf = async (registry: Registry): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('request metrics', () => {
  const base = { method: 'GET', target: '/', requestBytes: 0, responseBytes: 40, elapsedMs: 30 };

  it('counts requests of the js flavour under their route', async () => {
    const registry = new Registry();
    const metrics = createRequestMetrics(registry, {
      durationBuckets: [25, 100, 250, 500],
      requestSizeBuckets: [],
      responseSizeBuckets: [10, 100],
    });
    metrics.answered({ ...base, route: '/api/v1/blocks/{hashOrNumber}', flavour: 'js', status: 200 });
    metrics.answered({ ...base, route: '/api/v1/blocks/{hashOrNumber}', flavour: 'js', status: 404 });
    metrics.answered({ ...base, route: undefined, flavour: undefined, status: 404 });
    metrics.answered({ ...base, route: '/api/v1/blocks', flavour: 'js', status: 503 });
    const labels = 'method="GET",path="/api/v1/blocks/:hashOrNumber",code="200"';
    expect(await linesOf(registry)).toEqual(
      expect.arrayContaining([
        'api_all_request_total 4',
        'api_all_success_total 1',
        'api_all_errors_total 3',
        'api_all_client_error_total 2',
        'api_all_server_error_total 1',
        `api_request_total{${labels}} 1`,
        `api_request_duration_milliseconds_bucket{le="25",${labels}} 0`,
        `api_request_duration_milliseconds_bucket{le="100",${labels}} 1`,
        `api_request_duration_milliseconds_sum{${labels}} 30`,
        `api_response_size_bytes_bucket{le="10",${labels}} 0`,
        `api_response_size_bytes_bucket{le="100",${labels}} 1`,
      ]),
    );
    expect((await linesOf(registry)).join()).not.toContain('api_request_size_bytes');
  });

  it('measures requests of the java flavour in seconds and bytes', async () => {
    const registry = new Registry();
    const metrics = createRequestMetrics(registry, {
      durationBuckets: [25],
      requestSizeBuckets: [],
      responseSizeBuckets: [],
    });
    const route = '/api/v1/network/nodes';
    metrics.answered({ ...base, route, flavour: 'java', status: 200 });
    const labels = `application="rest-java",method="GET",uri="${route}"`;
    const timed = `${labels},status="200",outcome="SUCCESS"`;
    expect(await linesOf(registry)).toEqual(
      expect.arrayContaining([
        `http_server_requests_seconds_count{${timed}} 1`,
        `http_server_requests_seconds_sum{${timed}} 0.03`,
        'http_server_requests_seconds_max{application="rest-java"} 0.03',
        `hiero_mirror_restjava_response_bytes_sum{${labels}} 40`,
        `hiero_mirror_restjava_request_bytes_count{${labels}} 1`,
      ]),
    );
    expect(await linesOf(registry)).toContain('http_server_requests_seconds_max{application="rest-java"} 0');
  });
});

describe('import metrics', () => {
  it('turns samples, as they come from another thread, into metrics', async () => {
    const registry = new Registry();
    const metrics = createImportMetrics(registry);
    const samples = [
      { kind: 'timer', name: 'parse_duration', seconds: 0.25, labels: { type: 'RECORD', success: 'true' } },
      { kind: 'timer', name: 'parse_duration', seconds: 0.5, labels: { type: 'RECORD', success: 'true' } },
      { kind: 'summary', name: 'transaction_size_bytes', value: 300, labels: { type: 'CRYPTOTRANSFER' } },
      { kind: 'counter', name: 'stream_error', labels: { type: 'RECORD', nodeId: '3' } },
      { kind: 'counter', name: 'stop', labels: { state: 'waiting', code: 'STREAM_NO_CONSENSUS' } },
      { kind: 'gauge', name: 'reconciliation', value: 1 },
    ] as const;
    for (const sample of structuredClone(samples)) metrics.record(sample);
    expect(await linesOf(registry)).toEqual(
      expect.arrayContaining([
        'hiero_mirror_importer_parse_duration_seconds_count{application="importer",type="RECORD",success="true"} 2',
        'hiero_mirror_importer_parse_duration_seconds_sum{application="importer",type="RECORD",success="true"} 0.75',
        'hiero_mirror_importer_transaction_size_bytes_sum{application="importer",type="CRYPTOTRANSFER"} 300',
        'hiero_mirror_importer_stream_error_total{application="importer",type="RECORD",nodeId="3"} 1',
        'hiero_mirror_importer_stop_total{application="importer",state="waiting",code="STREAM_NO_CONSENSUS"} 1',
        'hiero_mirror_importer_reconciliation{application="importer"} 1',
      ]),
    );
  });
});
