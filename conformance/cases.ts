/** The conformance cases on disk: rows to load, requests to send, answers to expect. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseExactJson } from './exact-json.ts';

export type JsonObject = { readonly [key: string]: unknown };

/** A column's value: as PostgreSQL's own text, a number, a flag or null. */
export type ColumnValue = string | number | bigint | boolean | null;

export interface CaseRequest {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body to send. */
  readonly payload?: Uint8Array;
  /** Settings under `hiero.mirror.rest` for this request alone. */
  readonly config?: JsonObject;
  /** The request is to be answered without the case's settings. */
  readonly ignoreConfig?: boolean;
  readonly expect: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
}

export interface ConformanceCase {
  /** `group/.../name` */
  readonly name: string;
  readonly group: string;
  readonly rows: Readonly<Record<string, readonly Readonly<Record<string, ColumnValue>>[]>>;
  readonly config?: { readonly rest?: JsonObject; readonly now?: string };
  readonly requests: readonly CaseRequest[];
}

/** On disk, one request may stand for several that differ in their URL alone. */
type WrittenRequest = Omit<CaseRequest, 'url'> & { readonly url: string | readonly string[] };
type WrittenCase = Omit<ConformanceCase, 'requests'> & { readonly requests: readonly WrittenRequest[] };

const requestsOf = ({ url, ...rest }: WrittenRequest): CaseRequest[] =>
  (typeof url === 'string' ? [url] : url).map((one) => ({ ...rest, url: one }));

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesUnder(path);
      return entry.name.endsWith('.json') ? [path] : [];
    });

/** `*` stands for anything within a path segment, `**` for anything, `?` for one character. */
const globPattern = (glob: string): string =>
  glob.replaceAll(/\*\*|\*|\?|[.+^${}()|[\]\\]/g, (token) => {
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    return token === '?' ? '[^/]' : `\\${token}`;
  });

/** Whether a filter (a glob, or the beginning of a name up to a slash) selects a case. */
export const selects = (filter: string, name: string): boolean =>
  new RegExp(`^${globPattern(filter.replace(/\/$/, ''))}(?:/.*)?$`).test(name);

/** Every case below a folder that any of the filters selects; all of them without filters. */
export const loadCases = (folder: string, filters: readonly string[]): ConformanceCase[] =>
  filesUnder(folder)
    .map((file) => ({
      file,
      name: relative(folder, file)
        .split(sep)
        .join('/')
        .replace(/\.json$/, ''),
    }))
    .filter(({ name }) => filters.length === 0 || filters.some((filter) => selects(filter, name)))
    .map(({ file, name }) => {
      const written = parseExactJson(readFileSync(file, 'utf8')) as WrittenCase;
      return { ...written, name, requests: written.requests.flatMap(requestsOf) };
    });
