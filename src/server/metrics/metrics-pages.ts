/** The Prometheus pages. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { authenticate } from '../../api/http/authentication.ts';
import type { RestSettings } from '../../config/settings/rest.ts';

const openPaths = ['/metrics', '/actuator/prometheus'];

/** Serves the registry under the paths that scrapers know; the one below `uriPath` may ask for a password. */
export const registerMetricsPages = (
  app: FastifyInstance,
  registry: Registry,
  settings: RestSettings['metrics']['config'],
): void => {
  const page = async (_request: FastifyRequest, reply: FastifyReply) =>
    reply
      .header('cache-control', 'no-store')
      .type(registry.contentType)
      .send(await registry.metrics());
  for (const path of openPaths) app.get(path, page);
  const guarded = `/${settings.uriPath.replaceAll(/^\/+|\/+$/g, '')}/metrics`;
  if (openPaths.includes(guarded)) return;
  const users = [{ username: settings.username, password: settings.password, limit: 0 }];
  app.get(guarded, async (request, reply) => {
    if (settings.authentication) {
      const authorization = request.headers.authorization;
      let known = false;
      try {
        known = authenticate(authorization, users) !== undefined;
      } catch {
        known = false;
      }
      if (!known) return reply.code(401).header('www-authenticate', 'Basic realm="metrics"').send('');
    }
    return page(request, reply);
  });
};
