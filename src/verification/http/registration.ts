/** Contract verification over HTTP, as one plugin of the application. */
import fastifyCookie from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ClientIdentity } from '../../api/client-identity.ts';
import type { VerificationSettings } from '../../config/settings/verification.ts';
import type { Database } from '../../database/connection.ts';
import { ClientQueue } from '../sessions/client-queue.ts';
import { createSessionDesk } from '../sessions/session-desk.ts';
import { openSessionStore } from '../sessions/session-store.ts';
import { createVerificationRuns } from '../sessions/verification-runs.ts';
import type { Verifier } from '../verifier.ts';
import { registerBodies } from './body.ts';
import { createCors } from './cors.ts';
import { createFailureHandler, type VerificationLog, v1Failure } from './failure.ts';
import { createJobRuns } from './job-runs.ts';
import { openJobStore } from './job-store.ts';
import { registerLookupRoutes } from './lookup-routes.ts';
import { registerPage } from './page-routes.ts';
import { createSessionCookies } from './session-cookie.ts';
import { registerSessionRoutes } from './session-routes.ts';
import { registerStatelessRoutes } from './stateless-routes.ts';
import { registerV2Routes, v2Failure } from './v2-routes.ts';

export interface VerificationOptions {
  readonly verifier: Verifier;
  /** May write. */
  readonly database: Database;
  readonly settings: VerificationSettings['http'];
  readonly identify: ClientIdentity;
  readonly log: VerificationLog;
}

/** What one session may hold, counted in base64. */
const maxSessionBytes = 50 * 1024 * 1024;
/** Requests with bodies of all clients that are read and worked on at once; each may hold tens of megabytes. */
const maxRequests = 24;
const maxVerifications = 64;
const waitingPerClient = 20;
const tidyEveryMs = 10 * 60_000;
const keepAliveEveryMs = 30_000;

const methodsWithBody = new Set(['POST', 'PUT', 'PATCH']);

export const registerVerification = async (app: FastifyInstance, options: VerificationOptions): Promise<void> => {
  const { verifier, database, settings, identify, log } = options;
  const lifetimeSeconds = Math.round(settings.sessions.lifetime / 1000);
  const store = openSessionStore(database, {
    lifetimeSeconds,
    maxSessionBytes,
    maxTotalBytes: settings.sessions.maxTotalMb * 1024 * 1024,
  });
  let kept: string | undefined;
  const secret = async (): Promise<string> => {
    kept ??= settings.sessions.secret === '' ? await store.secret() : settings.sessions.secret;
    return kept;
  };
  const { clients } = settings;
  const arrivals = new ClientQueue({ perClient: clients.requests, waitingPerClient, overall: maxRequests });
  const runs = createVerificationRuns(
    verifier,
    new ClientQueue({ perClient: clients.verifications, waitingPerClient, overall: maxVerifications }),
    settings.timeout,
  );
  const jobs = openJobStore(database);
  const jobRuns = createJobRuns(jobs, verifier.repository, runs, log);
  const cors = createCors(settings.origins);

  const clientOf = (request: FastifyRequest): string => {
    const forwarded = request.headers['x-forwarded-for'];
    return identify(request.socket.remoteAddress, Array.isArray(forwarded) ? forwarded.join() : forwarded);
  };
  const baseUrlOf = (request: FastifyRequest): string =>
    settings.publicUrl === '' ? `${request.protocol}://${request.host}` : settings.publicUrl.replace(/\/+$/, '');

  /** A place for the request until its answer has gone out, taken before its body is read. */
  const takePlace = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!methodsWithBody.has(request.method)) return;
    const leave = await arrivals.enter(clientOf(request));
    if (reply.raw.destroyed) leave();
    else reply.raw.once('close', leave).once('finish', leave);
  };

  const often = async (work: () => Promise<void>, what: string): Promise<void> => {
    try {
      await work();
    } catch (error) {
      log.warn({ err: error }, `${what} failed; it is tried again`);
    }
  };
  const tidy = async (): Promise<void> => {
    await store.prune();
    await jobs.tidy();
  };
  const timers = [
    setInterval(() => often(tidy, 'deleting ended verification sessions'), tidyEveryMs),
    setInterval(() => often(jobRuns.keepAlive, 'keeping verification jobs alive'), keepAliveEveryMs),
  ];
  for (const timer of timers) timer.unref();
  app.addHook('onClose', async () => {
    for (const timer of timers) clearInterval(timer);
  });

  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => cors(request, reply));
    await scope.register(fastifyCookie);
    await registerBodies(scope);
    scope.addHook('onRequest', takePlace);
    scope.setErrorHandler(createFailureHandler(log, v1Failure));

    await scope.register(async (first) => {
      first.addHook('onRequest', async (_request, reply) => {
        reply.header('deprecation', 'true').header('cache-control', 'no-store');
      });
      const cookies = createSessionCookies(secret, { lifetimeSeconds, secure: settings.sessions.secureCookie });
      const desk = createSessionDesk(verifier, store, runs);
      registerSessionRoutes(first, { verifier, desk, cookies, importHosts: settings.importHosts, clientOf });
      registerStatelessRoutes(first, verifier, runs, clientOf);
      registerLookupRoutes(first, verifier, baseUrlOf);
    });
    await scope.register(async (second) => {
      second.setErrorHandler(createFailureHandler(log, v2Failure));
      registerV2Routes(second, { verifier, runs, jobs, jobRuns, clientOf });
    });
    registerPage(scope);
    for (const path of ['/session/*', '/session-data', '/restart-session', '/input-files', '/verify-validated']) {
      scope.options(path, async (request, reply) =>
        reply
          .code(204)
          .header('access-control-allow-methods', 'GET,HEAD,POST')
          .header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? 'content-type')
          .send(),
      );
    }
  });
};
