import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openApiYaml } from './openapi.ts';
import { documentedRoutes, documentedVerification } from './routes.ts';

it('openapi/openapi.yml is current (run scripts/write-openapi.ts when this fails)', () => {
  const root = new URL('../../', import.meta.url);
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
  const committed = readFileSync(new URL('openapi/openapi.yml', root), 'utf8');
  expect(committed).toBe(openApiYaml(documentedRoutes, { title: 'Kagami REST API', version }, documentedVerification));
});
