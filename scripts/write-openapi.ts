/** Writes openapi/openapi.yml from the route definitions; a test holds the committed file against them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { openApiYaml } from '../src/server/openapi.ts';
import { documentedRoutes, documentedVerification } from '../src/server/routes.ts';

const root = new URL('../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
mkdirSync(new URL('openapi/', root), { recursive: true });
writeFileSync(
  new URL('openapi/openapi.yml', root),
  openApiYaml(documentedRoutes, { title: 'Kagami REST API', version }, documentedVerification),
);
