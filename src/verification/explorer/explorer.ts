/** Asks an Etherscan-compatible explorer for the sources of a contract. */
import { lookup } from 'node:dns/promises';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { CompilationTarget, DeployedContract } from '../model.ts';
import { targetOfAnswer } from './explorer-answer.ts';
import { isPrivateAddress } from './private-address.ts';

export interface ExplorerEndpoint {
  /** Such as `https://explorer.example/api`. */
  readonly url: string;
  /** For requests without one; empty: none. Never logged or told. */
  readonly apiKey: string;
}

export interface ExplorerOptions {
  /** By chain id. */
  readonly endpoints: ReadonlyMap<string, ExplorerEndpoint>;
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
  /** Injected for tests. */
  readonly fetchUrl?: typeof fetch;
  /** IP addresses of a host name. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

export type Explorer = (contract: DeployedContract, apiKey: string | undefined) => Promise<CompilationTarget>;

const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

const resolveHost = async (host: string): Promise<readonly string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** The answer's text, unless it is longer than any contract's sources. */
const readBounded = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES)
      throw new KagamiError('EXPLORER_MALFORMED', 'The answer of the explorer is too long');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new KagamiError('EXPLORER_MALFORMED', 'The explorer does not answer with JSON');
  }
};

export const openExplorer = (options: ExplorerOptions): Explorer => {
  const { endpoints, allowPrivate, timeoutMs, fetchUrl = fetch, resolve = resolveHost } = options;

  const isAllowed = async ({ hostname }: URL): Promise<boolean> => {
    if (allowPrivate) return true;
    const addresses = await resolve(hostname.replace(/^\[|\]$/g, ''));
    return !addresses.some(isPrivateAddress);
  };

  return async ({ chainId, address }, apiKey) => {
    const endpoint = endpoints.get(chainId);
    if (endpoint === undefined) {
      const message = `Requested chain ${chainId} is not supported for importing from Etherscan.`;
      throw new KagamiError('EXPLORER_NOT_CONFIGURED', message);
    }
    const url = new URL(endpoint.url);
    const parameters = { chainid: chainId, module: 'contract', action: 'getsourcecode', address };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    // Keys may be part of the configured URL too, so nothing after the path is told.
    const shown = `${url.origin}${url.pathname}?[hidden]`;
    const key = apiKey || endpoint.apiKey;
    if (key !== '') url.searchParams.set('apikey', key);
    let response: Response;
    let text: string;
    try {
      if (!(await isAllowed(url))) {
        throw new KagamiError('EXPLORER_UNREACHABLE', `Request to ${shown} refused: its address is private.`);
      }
      // A redirect could lead anywhere.
      response = await fetchUrl(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
      text = await readBounded(response);
    } catch (fault) {
      if (fault instanceof KagamiError) throw fault;
      // The fault itself is not kept: it may hold the URL with its key.
      throw new KagamiError('EXPLORER_UNREACHABLE', `Request to ${shown} failed.`);
    }
    if (!response.ok) {
      const message = `Etherscan API responded with an error. Status code: ${response.status}.`;
      throw new KagamiError(response.status === 429 ? 'EXPLORER_RATE_LIMITED' : 'EXPLORER_FAILED', message);
    }
    return targetOfAnswer(parsed(text));
  };
};
