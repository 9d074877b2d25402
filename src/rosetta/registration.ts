/** The endpoints over HTTP: POST with JSON, every fault an answer with status 500 and a code. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { isKagamiError } from '../errors/kagami-error.ts';
import type { Endpoint } from './endpoint.ts';
import type { RosettaMetrics } from './metrics.ts';
import { assertNetwork, type NetworkIdentifier, parseBody } from './request.ts';
import { malformed, RosettaError, rosettaError } from './rosetta-error.ts';

export interface RegistrationOptions {
  readonly endpoints: readonly Endpoint[];
  readonly online: boolean;
  readonly network: NetworkIdentifier;
  readonly metrics: RosettaMetrics;
  readonly maxBodyBytes: number;
  /** Takes its place when there is one more at work than may be; gives undefined when there is no room. */
  readonly enter: () => (() => void) | undefined;
  readonly log: { warn(details: object, message: string): void };
}

const CONTENT_TYPE = 'application/json; charset=UTF-8';
const otherMethods: HTTPMethods[] = ['GET', 'PUT', 'PATCH', 'DELETE'];

const databaseFaults = /^(DATABASE_|SCHEMA_)/;

/** Faults of our own are told as little of as there is to tell. */
const errorOf = (fault: unknown, path: string, log: RegistrationOptions['log']): RosettaError => {
  if (fault instanceof RosettaError) return fault;
  if ((fault as { statusCode?: unknown } | undefined)?.statusCode === 413) return malformed('the request is too large');
  if (isKagamiError(fault, 'DATABASE_STARTING')) return rosettaError('nodeIsStarting');
  if (isKagamiError(fault) && databaseFaults.test(fault.code)) return rosettaError('databaseError');
  log.warn({ err: fault, path }, 'Rosetta request failed');
  return rosettaError('internalServerError');
};

/** @param prefix `/rosetta`, or nothing on a port of its own */
export const registerEndpoints = (app: FastifyInstance, prefix: string, options: RegistrationOptions): void => {
  const { endpoints, online, network, metrics, maxBodyBytes, enter, log } = options;

  const sendError = (reply: FastifyReply, path: string, fault: unknown): FastifyReply => {
    const { json } = errorOf(fault, path, log);
    metrics.failed(path, json.code);
    return reply.code(500).header('cache-control', 'no-store').type(CONTENT_TYPE).send(JSON.stringify(json));
  };

  const answer =
    ({ serve, anyNetwork }: Endpoint, path: string) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const leave = enter();
      if (leave === undefined) return reply.code(503).header('retry-after', '1').send();
      try {
        const body = parseBody(request.body);
        if (anyNetwork !== true) assertNetwork(body, network);
        const answered = JSON.stringify(await serve(body));
        return reply.header('cache-control', 'no-store').type(CONTENT_TYPE).send(answered);
      } catch (fault) {
        return sendError(reply, path, fault);
      } finally {
        leave();
      }
    };

  for (const endpoint of endpoints) {
    if (!online && !endpoint.offline) continue;
    for (const path of endpoint.paths) {
      const url = `${prefix}${path}`;
      app.post(
        url,
        {
          bodyLimit: maxBodyBytes,
          onRequest: (_request, _reply, done) => {
            metrics.began(path);
            done();
          },
          onResponse: (request, reply, done) => {
            metrics.answered({
              route: path,
              status: reply.statusCode,
              seconds: reply.elapsedTime / 1_000,
              requestBytes: Number(request.headers['content-length'] ?? 0),
              responseBytes: Number(reply.getHeader('content-length') ?? 0),
            });
            done();
          },
          errorHandler: (fault, _request, reply) => sendError(reply, path, fault),
        },
        answer(endpoint, path),
      );
      app.route({
        method: otherMethods,
        url,
        exposeHeadRoute: false,
        handler: (_request, reply) => reply.code(405).header('allow', 'POST').send(),
      });
    }
  }
};
