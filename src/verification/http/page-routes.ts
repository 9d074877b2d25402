/** The page of verification, from files of its own. */
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

const files = [
  ['/verify', 'verify.html', 'text/html; charset=utf-8'],
  ['/verify/page.css', 'verify.css', 'text/css; charset=utf-8'],
  ['/verify/page.js', 'verify.js', 'text/javascript; charset=utf-8'],
] as const;

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

export const registerPage = (scope: FastifyInstance): void => {
  for (const [path, name, type] of files) {
    const content = readFileSync(new URL(`../page/${name}`, import.meta.url));
    scope.get(path, async (_request, reply) =>
      reply
        .header('cache-control', 'public, max-age=60')
        .header('content-security-policy', policy)
        .header('x-content-type-options', 'nosniff')
        .header('referrer-policy', 'no-referrer')
        .type(type)
        .send(content),
    );
  }
};
