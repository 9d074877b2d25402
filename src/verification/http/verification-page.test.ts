import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serveVerification, type VerificationServer } from './testing/verification-server.fixture.ts';
import { fixtureVerifier, metadataFor } from './testing/verifier.fixture.ts';

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const reason = browserPath === undefined ? ' (skipped: there is no Chromium)' : '';

const ADDRESS = '0xb35b8b030a4BC592Ea8ccf3684512CE083f108dC';
const DEP = 'contract Dep { }';
const TOKEN = 'import "./Dep.sol";\ncontract Token is Dep { }';
const metadata = metadataFor('contracts/Token.sol', 'Token', {
  'contracts/Token.sol': TOKEN,
  'contracts/Dep.sol': DEP,
});
const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

const verifier = fixtureVerifier();
let server: VerificationServer;
let browser: Browser;
let origin: string;

const open = async (width: number, height: number, colorScheme: 'light' | 'dark') => {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) faults.push(request.url());
  });
  await page.goto(`${origin}/verify`);
  await page.locator('#chain option').first().waitFor({ state: 'attached' });
  return { page, faults };
};

const screenshot = (page: Page, name: string): Promise<Buffer> =>
  page.screenshot({ path: join(tmpdir(), `kagami-verify-${name}.png`), fullPage: true });

describe.skipIf(browserPath === undefined)(`the page of verification${reason}`, () => {
  beforeAll(async () => {
    server = await serveVerification(verifier);
    await server.app.listen({ port: 0, host: '127.0.0.1' });
    origin = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`;
    browser = await chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox'] });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  beforeEach(() => {
    verifier.reset();
    verifier.deploy({ address: ADDRESS, chainId: '298' }, [TOKEN, DEP]);
  });

  it('leads from files over a check to published sources', async () => {
    const { page, faults } = await open(1000, 900, 'light');
    await page.setInputFiles('#files', [file('metadata.json', JSON.stringify(metadata)), file('Dep.sol', DEP)]);
    const contract = page.locator('.contract');
    await contract.getByText('1 source missing').waitFor();
    expect(await contract.getByRole('listitem').first().textContent()).toBe('contracts/Token.sol');
    await screenshot(page, 'missing');

    await page.getByRole('button', { name: 'Check' }).click();
    expect(await page.locator('#address-fault').textContent()).toMatch(/40 hex digits/);
    await page.getByLabel('Address or id').first().fill(ADDRESS);
    await page.getByRole('button', { name: 'Check' }).click();
    expect(await page.locator('#verify-state').textContent()).toBe('Add the missing sources first.');

    await page.setInputFiles('#files', [file('Token.sol', TOKEN), file('README.md', 'read me')]);
    await contract.getByText('Ready to check').waitFor();
    expect(await page.locator('#uploaded summary').textContent()).toBe('4 files in the session, 1 of them not used');
    const publish = page.getByRole('button', { name: 'Verify and publish' });
    expect(await publish.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('Full match with Token.').waitFor();
    expect(await verifier.repository.count({ chainId: '298', match: 'any' })).toBe(0);
    await publish.click();
    await page.getByText('Token is verified and its sources are published.').waitFor();
    await page.getByText('Verified: full match.').waitFor();
    expect(await page.locator('#found summary').allTextContents()).toEqual([
      'sources/contracts/Token.sol',
      'sources/contracts/Dep.sol',
      'metadata.json',
    ]);
    await page.locator('#found summary').first().click();
    expect(await page.locator('#found pre').first().textContent()).toBe(TOKEN);
    await screenshot(page, 'published');
    expect(faults).toEqual([]);

    await page.reload();
    await page.getByText('4 files in the session').waitFor();
    await page.getByRole('button', { name: 'Clear all files' }).click();
    await page.getByText('The session is empty.').waitFor();
    expect(await contract.count()).toBe(0);
    await page.context().close();
  });

  it('says why nothing matches, and what is not verified', async () => {
    verifier.deploy({ address: ADDRESS, chainId: '298' }, ['contract Other { }']);
    const { page } = await open(390, 844, 'dark');
    await page.setInputFiles('#files', [
      file('metadata.json', JSON.stringify(metadata)),
      file('Dep.sol', DEP),
      file('Token.sol', TOKEN),
    ]);
    await page.getByText('Ready to check').waitFor();
    await page.getByLabel('Address or id').first().fill(ADDRESS);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText("No match. The deployed and recompiled bytecode don't match.").waitFor();
    expect(await page.getByRole('button', { name: 'Verify and publish' }).isDisabled()).toBe(true);
    await page.locator('#lookup-address').fill(ADDRESS.toLowerCase());
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByText('This contract has not been verified.').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await screenshot(page, 'narrow-dark');
    await page.context().close();
  });

  it('takes the id of a contract for its address, and says when there is none', async () => {
    const { page, faults } = await open(1000, 900, 'light');
    await page.route('**/api/v1/contracts/*', (route) =>
      route.request().url().endsWith('/0.0.1234')
        ? route.fulfill({ json: { evm_address: ADDRESS.toLowerCase() } })
        : route.fulfill({ json: {} }),
    );
    const asked = page.waitForRequest(`**/files/any/298/${ADDRESS.toLowerCase()}`);
    await page.locator('#lookup-address').fill('0.0.1234');
    await page.getByRole('button', { name: 'Look up' }).click();
    await asked;
    await page.getByText('This contract has not been verified.').waitFor();
    await page.locator('#lookup-address').fill('0.0.12345');
    expect(await page.locator('#lookup-state').textContent()).toBe('');
    await page.locator('#lookup-address').fill('contract');
    await page.getByRole('button', { name: 'Look up' }).click();
    expect(await page.locator('#lookup-fault').textContent()).toMatch(/or a contract id such as 0\.0\.1234/);
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
    await page.context().close();
  });

  it('forgets what it found when the address changes', async () => {
    const { page } = await open(1000, 900, 'light');
    await page.setInputFiles('#files', [
      file('metadata.json', JSON.stringify(metadata)),
      file('Dep.sol', DEP),
      file('Token.sol', TOKEN),
    ]);
    await page.locator('.contract').getByText('Ready to check').waitFor();
    await page.getByLabel('Address or id').first().fill(ADDRESS);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.locator('.contract').getByText('Full match').waitFor();
    await page.getByLabel('Address or id').first().fill(ADDRESS.replace('0xb', '0xc'));
    await page.locator('.contract').getByText('Ready to check').waitFor();
    expect(await page.locator('#verify-state').textContent()).toBe('');
    expect(await page.getByRole('button', { name: 'Verify and publish' }).isDisabled()).toBe(true);
    await page.context().close();
  });

  it.each([
    ['hardhat-verify 2, full match', `/contracts/full_match/298/${ADDRESS}/`],
    ['hardhat-verify 2, partial match', `/contracts/partial_match/298/${ADDRESS}/`],
    ['hardhat-verify 3', `/298/${ADDRESS}`],
  ])('is where links of %s lead', async (_tool, path) => {
    const { page } = await open(1000, 900, 'light');
    await page.goto(`${origin}${path}`);
    await page.getByText('This contract has not been verified.').waitFor();
    expect(await page.locator('#lookup-address').inputValue()).toBe(ADDRESS);
    await page.context().close();
  });

  it('has a name for every field and button', async () => {
    const { page } = await open(1000, 900, 'light');
    const nameless = await page
      .locator('input, select, button')
      .evaluateAll((controls) =>
        (controls as unknown as { id: string; labels: ArrayLike<unknown> | null; textContent: string | null }[])
          .filter(({ labels, textContent }) => (labels?.length ?? 0) === 0 && textContent?.trim() === '')
          .map(({ id }) => id),
      );
    expect(nameless).toEqual([]);
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await page.context().close();
  });
});
