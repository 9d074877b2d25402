/** Compilers from a mirror of the Solidity project's lists: `list.json` with file names and hashes, and the files. */
import { KagamiError } from '../../errors/kagami-error.ts';

const PATIENCE_MS = 180_000;

interface ListedBuild {
  readonly path?: unknown;
  readonly longVersion?: unknown;
  readonly sha256?: unknown;
}

export interface MirroredCompiler {
  readonly content: Uint8Array;
  /** As the list names it, in hex; undefined when it names none. */
  readonly sha256: string | undefined;
}

/** @param fetchUrl injected for tests */
export const fetchFromMirror = async (
  mirror: string,
  version: string,
  fetchUrl: typeof fetch,
): Promise<MirroredCompiler | undefined> => {
  const base = mirror.replace(/\/+$/, '');
  const get = async (path: string): Promise<Response> => {
    const response = await fetchUrl(`${base}/${path}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!response.ok) throw new Error(`${path}: status ${response.status}`);
    return response;
  };
  try {
    const list = (await (await get('list.json')).json()) as { readonly builds?: readonly ListedBuild[] };
    const build = (list.builds ?? []).find(({ longVersion }) => longVersion === version);
    if (build === undefined || typeof build.path !== 'string' || !/^[\w.+-]+\.js$/.test(build.path)) return undefined;
    const content = new Uint8Array(await (await get(build.path)).arrayBuffer());
    return { content, sha256: typeof build.sha256 === 'string' ? build.sha256.replace(/^0x/, '') : undefined };
  } catch (cause) {
    throw new KagamiError(
      'COMPILER_UNREACHABLE',
      `The compiler Solidity ${version} is not installed, and the mirror of compilers did not give it`,
      { details: { version }, cause },
    );
  }
};
