/** How compilers name their versions. */

/** `v0.8.26+commit.8a97fa7a` and `0.8.26+commit.8a97fa7a.Emscripten.clang` become `0.8.26+commit.8a97fa7a`. */
export const plainVersion = (version: string): string =>
  version
    .trim()
    .replace(/^v/, '')
    .replace(/\.mod\b/, '')
    .replace(/\.(Emscripten|Linux|Darwin|Windows)\..*$/, '');

/** Releases and nightly builds; the text becomes part of file names, so nothing else may be in it. */
const solidityVersion = /^\d{1,3}\.\d{1,3}\.\d{1,3}(-nightly\.\d{4}\.\d{1,2}\.\d{1,2})?\+commit\.[0-9a-f]{6,40}$/;

export const isSolidityVersion = (version: string): boolean => solidityVersion.test(version);
