import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentedRoutes } from '../../server/routes.ts';
import { type ServedLedger, serveSimulatedLedger } from './testing/served-ledger.fixture.ts';

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const reason = browserPath === undefined ? ' (skipped: there is no Chromium)' : '';

let served: ServedLedger;
let browser: Browser;

/** What a page asked for, and what went wrong on it. */
interface Visit {
  readonly page: Page;
  readonly requests: string[];
  readonly faults: string[];
}

const visit = async (width: number, height: number): Promise<Visit> => {
  const page = await browser.newPage({ viewport: { width, height } });
  const requests: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('requestfailed', (request) => faults.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.url()}: ${response.status()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(`${served.origin}/api/v1/docs`);
  await page.locator('.opblock').first().waitFor();
  return { page, requests, faults };
};

const screenshot = (page: Page, name: string): Promise<Buffer> =>
  page.screenshot({ path: join(tmpdir(), `kagami-documentation-${name}.png`) });

describe.skipIf(browserPath === undefined)(`the documentation in a browser${reason}`, () => {
  beforeAll(async () => {
    served = await serveSimulatedLedger({ seed: 'documentation', transactions: 200, tps: 50, nodes: 1, users: 20 });
    browser = await chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox'] });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await served?.stop();
  });

  it('shows every operation, asks no other host for anything, and complains of nothing', async () => {
    const { page, requests, faults } = await visit(1280, 900);
    expect(await page.title()).toBe('Kagami REST API');
    const shown = await page
      .locator('.opblock-summary-path')
      .evaluateAll((paths) => paths.map((path) => path.getAttribute('data-path')));
    expect(shown.toSorted()).toEqual(documentedRoutes.map(({ path }) => path).toSorted());
    expect(requests.filter((url) => !url.startsWith(`${served.origin}/`) && !url.startsWith('data:'))).toEqual([]);
    expect(requests.map((url) => url.replace(served.origin, ''))).toContain('/api/v1/docs/openapi.yml');
    expect(faults).toEqual([]);
    await screenshot(page, 'wide');
    await page.close();
  });

  it('sends a request that its reader fills in, and shows the answer', async () => {
    const { page, requests, faults } = await visit(1280, 900);
    const operation = page.locator('#operations-blocks-getBlocks');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('tr[data-param-name="limit"] input').fill('2');
    await operation.locator('button.execute').click();
    const answer = operation.locator('.live-responses-table');
    await answer.waitFor();
    expect(await answer.locator('.response-col_status').last().textContent()).toMatch(/^200/);
    const body = JSON.parse((await answer.locator('.response-col_description pre').first().textContent()) ?? '') as {
      blocks: { number: number }[];
    };
    const newest = Number(served.ledger.expected.blocks) - 1;
    expect(body.blocks.map(({ number }) => number)).toEqual([newest, newest - 1]);
    expect(requests.at(-1)).toContain('/api/v1/blocks?');
    expect(faults).toEqual([]);
    await answer.scrollIntoViewIfNeeded();
    await screenshot(page, 'answer');
    await page.close();
  });

  it('fits a telephone, also with an operation open and answered', async () => {
    const { page, faults } = await visit(390, 844);
    const overflow = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(await overflow()).toBeLessThanOrEqual(0);
    await screenshot(page, 'narrow');
    const operation = page.locator('#operations-blocks-getBlocks');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('button.execute').click();
    await operation.locator('.live-responses-table').waitFor();
    await operation.screenshot({ path: join(tmpdir(), 'kagami-documentation-narrow-answer.png') });
    expect(await overflow()).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await page.close();
  });
});
