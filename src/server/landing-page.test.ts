import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../config/load.ts';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import { type RunningServer, startServer } from './start.ts';

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const reason = browserPath === undefined ? ' (skipped: there is no Chromium)' : '';
const nothing = () => undefined;

let test: TestDatabase;
let server: RunningServer;
let origin: string;

beforeAll(async () => {
  test = await createTestDatabase();
  const { hiero, kagami } = loadSettings({ cwd: '/', env: {}, readFile: () => undefined }).settings;
  const { rest, restJava, common } = hiero.mirror;
  server = await startServer({
    database: test.database,
    settings: {
      rest: { ...rest, port: 0, openapi: { ...rest.openapi, swaggerUIPath: 'reference' } },
      restJava,
      common,
      server: { ...kagami.server, host: '127.0.0.1', additionalPorts: [] },
    },
    logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  });
  origin = `http://127.0.0.1:${server.ports[0]}`;
});

afterAll(async () => {
  await server?.stop(0);
  await test?.drop();
});

it('leads to nothing that is not there', async () => {
  const answer = await fetch(origin);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const html = await answer.text();
  const paths = [...html.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, path]) =>
    (path ?? '').replaceAll('&amp;', '&'),
  );
  expect(paths).toContain('/api/v1/reference');
  expect(paths).toContain('/api/v1/reference/openapi.yml');
  expect(paths.length).toBeGreaterThan(20);
  const missing = [];
  // This server verifies no contracts.
  for (const path of paths.filter((path) => path !== '/verify')) {
    const { status } = await fetch(`${origin}${path}`);
    // An empty database has no supply, no fees; that is another matter.
    if (status === 404 && !path.startsWith('/api/v1/network/')) missing.push(path);
  }
  expect(missing).toEqual([]);
});

describe.skipIf(browserPath === undefined)(`in a browser${reason}`, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox'] });
  }, 60_000);

  afterAll(() => browser?.close());

  it.each([
    [1280, 900, 'light'],
    [390, 844, 'dark'],
  ] as const)('shows the newest block at a width of %i', async (width, height, colorScheme) => {
    await test.database.query('truncate record_file');
    const context = await browser.newContext({ viewport: { width, height }, colorScheme });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) faults.push(request.url());
    });
    await page.goto(origin);
    await page.getByText('No block has been imported yet.').waitFor();
    await test.database.query(`insert into record_file (consensus_start, consensus_end, "count", digest_algorithm,
        file_hash, hash, index, load_end, load_start, name, prev_hash, version, hapi_version_major,
        hapi_version_minor, hapi_version_patch, size)
      values (1700000000000000000, 1700000001000000000, 17, 0, 'ab', 'cd', 12345, 1, 1, 'a.rcd.gz', 'ef', 6, 0, 71, 2, 9)`);
    server.onBlockCommitted();
    await page.getByText('12,345').waitFor();
    expect(await page.locator('#now').textContent()).toMatch(/2023-11-14 22:13:21 UTC[\s\S]*17[\s\S]*0\.71\.2/);
    expect(await page.locator('#relay').textContent()).toBe(`MIRROR_NODE_URL=${origin}`);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await page.screenshot({ path: join(tmpdir(), `kagami-landing-${width}.png`), fullPage: true });
    await context.close();
  });
});
