/** The version of this Kagami, from the package it lies in. */
import { readFileSync } from 'node:fs';

/** `package.json` is two levels above both `src/cli` and `dist/cli`. */
export const kagamiVersion = (): string => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
};
