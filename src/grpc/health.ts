/** grpc.health.v1.Health (https://github.com/grpc/grpc/blob/master/doc/health-checking.md). */
import { setTimeout as pause } from 'node:timers/promises';
import {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '../protobuf/generated/grpc/health.ts';
import { CallFailure, GrpcStatus } from './call-failure.ts';
import { frameOf } from './length-prefixed.ts';
import type { StreamingMethod } from './method.ts';
import { decodeRequest } from './request.ts';

const service = 'grpc.health.v1.Health';
/** Milliseconds between two looks for those who watch. */
const WATCH_INTERVAL_MS = 5_000;

const encoded = (status: ServingStatus): Uint8Array => frameOf(HealthCheckResponse.encode({ status }).finish());

/**
 * @param services full names of the services that can be asked for, beside the empty name of the server as a whole
 * @param isReady whether they can be served; rejects when they can't
 */
export const healthMethods = (
  services: readonly string[],
  isReady: () => Promise<boolean>,
): readonly StreamingMethod[] => {
  const statusOf = async (): Promise<ServingStatus> => {
    const ready = await isReady().catch(() => false);
    return ready ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  };
  const isKnown = (name: string): boolean => name === '' || services.includes(name);
  return [
    {
      service,
      name: 'Check',
      async *serve(request) {
        if (!isKnown(decodeRequest(HealthCheckRequest, request).service)) {
          throw new CallFailure(GrpcStatus.NOT_FOUND, 'unknown service');
        }
        yield encoded(await statusOf());
      },
    },
    {
      service,
      name: 'Watch',
      async *serve(request, signal) {
        const known = isKnown(decodeRequest(HealthCheckRequest, request).service);
        let last: ServingStatus | undefined;
        while (!signal.aborted) {
          const status = known ? await statusOf() : ServingStatus.SERVICE_UNKNOWN;
          if (status !== last) yield encoded(status);
          last = status;
          await pause(WATCH_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
        }
      },
    },
  ];
};
