/** The page at `/`, which says what this is and leads everywhere, from files of its own. */
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

const files = [
  ['/', 'landing.html', 'text/html; charset=utf-8'],
  ['/landing/page.css', 'landing.css', 'text/css; charset=utf-8'],
  ['/landing/page.js', 'landing.js', 'text/javascript; charset=utf-8'],
] as const;

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** @param documentUrl where the OpenAPI document is, which a setting may move */
export const registerLandingPage = (app: FastifyInstance, documentUrl: string): void => {
  const page = documentUrl.slice(0, documentUrl.lastIndexOf('/'));
  for (const [path, name, type] of files) {
    const content = readFileSync(new URL(`landing/${name}`, import.meta.url), 'utf8')
      .replaceAll('/api/v1/docs/openapi.yml', documentUrl)
      .replaceAll('"/api/v1/docs"', `"${page}"`);
    app.get(path, (_request, reply) => {
      reply
        .header('cache-control', 'public, max-age=60')
        .header('content-security-policy', policy)
        .header('x-content-type-options', 'nosniff')
        .header('referrer-policy', 'no-referrer')
        .type(type)
        .send(content);
    });
  }
};
