/** Which pages of other origins may use the interface: all may read, a few named ones may have sessions. */
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Paths whose answers depend on the cookie of a session. */
const withCookie = /^\/(?:session(?:[/-]|$)|input-files|restart-session|verify-validated)/i;

/** `*` in a pattern stands for anything but a slash, as in `https://*.example.com` or `http://localhost:*`. */
const matcherOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\/]/g, '\\$&'))
      .join('[^/]*')}$`,
  );

export const createCors = (origins: readonly string[]) => {
  const matchers = origins.map(matcherOf);
  /** Headers of answers; the application has already allowed every origin. */
  return (request: FastifyRequest, reply: FastifyReply): void => {
    if (!withCookie.test(request.url)) return;
    reply.header('vary', 'Origin').header('access-control-allow-credentials', 'true');
    const { origin } = request.headers;
    if (origin !== undefined && matchers.some((matcher) => matcher.test(origin))) {
      reply.header('access-control-allow-origin', origin);
    } else {
      reply.removeHeader('access-control-allow-origin');
    }
  };
};
