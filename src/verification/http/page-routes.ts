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

/** Addresses of a contract's page as tools print them after a verification; hardhat-verify writes all three. */
const contractPages = [
  '/contracts/full_match/:chain/:address',
  '/contracts/partial_match/:chain/:address',
  '/:chain(^\\d{1,19}$)/:address',
];

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
  for (const path of contractPages) {
    scope.get(path, async (request, reply) => {
      const { chain = '', address = '' } = request.params as Readonly<Record<string, string>>;
      return reply.redirect(`/verify?${new URLSearchParams({ chain, address })}`);
    });
  }
};
