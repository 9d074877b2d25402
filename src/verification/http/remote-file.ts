/** Files that a client names by URL: only from hosts that the operator listed, never through a redirect. */
import type { UploadedFile } from '../model.ts';
import { MAX_FILE_BYTES } from './body.ts';
import { problem } from './problem.ts';

const timeoutMs = 20_000;

const nameOf = (url: URL, disposition: string | null): string => {
  const named = /filename="?([^";]+)"?/i.exec(disposition ?? '')?.[1];
  return named ?? url.pathname.split('/').at(-1) ?? '';
};

const readWithin = async (response: Response): Promise<Buffer | undefined> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_FILE_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** @throws VerificationProblem when the host isn't listed in `hosts`, or nothing comes from it. */
export const fetchRemoteFile = async (text: string, hosts: readonly string[]): Promise<UploadedFile> => {
  if (hosts.length === 0) throw problem(400, 'Files cannot be fetched from a URL here; send the files themselves.');
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw problem(400, `Couldn't fetch from ${text}`);
  if (!hosts.includes(url.host)) throw problem(400, `Files are not fetched from ${url.host}`);
  const failed = problem(400, `Couldn't fetch from ${text}`);
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    const content = response.ok ? await readWithin(response) : undefined;
    if (content === undefined) throw failed;
    return { path: nameOf(url, response.headers.get('content-disposition')), content };
  } catch {
    throw failed;
  }
};
