/** What happened to blocks on their way here, as metrics of the importer, named and labelled as the reference's. */
import type { ImportSample, ImportTimer, Labels } from '../../server/metrics/import-metrics.ts';
import type { BlockMeasurement } from '../../sources/block-measurement.ts';

const type = 'BLOCK';

export const samplesOf = (measurement: BlockMeasurement): readonly ImportSample[] => {
  const block_node = measurement.origin;
  switch (measurement.kind) {
    case 'error':
      return [{ kind: 'counter', name: 'stream_error', labels: { type, block_node: plainName(block_node) } }];
    case 'refused': {
      const labels = { type, block_node, wrapped: 'false', success: 'false' };
      return [timer('stream_verification', measurement.verificationMs, labels)];
    }
    case 'proven': {
      const { latencyMs, arrivalMs, verificationMs, closeMs } = measurement;
      const wrapped = String(measurement.wrapped);
      return [
        timer('stream_latency', latencyMs, { type, block_node, wrapped }),
        timer('stream_verification', verificationMs, { type, block_node, wrapped, success: 'true' }),
        ...(closeMs === undefined ? [] : [timer('stream_close_latency', closeMs, { type, wrapped })]),
        ...(block_node === 'cloud' ? [timer('cloud_latency', arrivalMs, { type })] : []),
      ];
    }
  }
};

/** `BlockNode(host:port)` without what is around it, as errors are labelled. */
const plainName = (origin: string): string => /^BlockNode\((.*)\)$/.exec(origin)?.[1] ?? origin;

const timer = (name: ImportTimer, milliseconds: number, labels: Labels): ImportSample => ({
  kind: 'timer',
  name,
  seconds: milliseconds / 1_000,
  labels,
});
