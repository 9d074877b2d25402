/** The cookie that names a session: signed, out of reach for scripts, renewed with every answer. */
import { randomBytes } from 'node:crypto';
import fastifyCookie from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

const SESSION_COOKIE = 'sourcify_vid';

export interface CookieSettings {
  readonly lifetimeSeconds: number;
  /** Send it over HTTPS only. */
  readonly secure: boolean;
}

/** Values begin with `s:`, as sessions of the reference do. */
const prefix = 's:';

export interface SessionCookies {
  /** Id of the session that the request names, or of a new one, and the cookie for it in the answer. */
  open(request: FastifyRequest, reply: FastifyReply): Promise<string>;
  /** Id that the request names, if any; the answer gets no cookie. */
  peek(request: FastifyRequest): Promise<string | undefined>;
}

export const createSessionCookies = (secret: () => Promise<string>, settings: CookieSettings): SessionCookies => {
  const peek = async (request: FastifyRequest): Promise<string | undefined> => {
    const value = request.cookies[SESSION_COOKIE];
    if (value === undefined || !value.startsWith(prefix)) return undefined;
    const { valid, value: id } = fastifyCookie.unsign(value.slice(prefix.length), await secret());
    return valid && id !== null ? id : undefined;
  };
  return {
    peek,
    open: async (request, reply) => {
      const id = (await peek(request)) ?? randomBytes(24).toString('base64url');
      reply.setCookie(SESSION_COOKIE, prefix + fastifyCookie.sign(id, await secret()), {
        path: '/',
        httpOnly: true,
        sameSite: 'lax',
        secure: settings.secure,
        encode: encodeURIComponent,
        expires: new Date(Date.now() + settings.lifetimeSeconds * 1000),
      });
      return id;
    },
  };
};
