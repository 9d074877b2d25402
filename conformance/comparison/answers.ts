/** Answers of one version: asking for them, keeping them in a file, telling where two of them differ. */
import { createReadStream, createWriteStream } from 'node:fs';
import { Agent, type IncomingHttpHeaders } from 'node:http';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { differencesOf } from '../difference.ts';
import { parseExactJson } from '../exact-json.ts';
import { sendRequest } from '../http-request.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface AnsweredRequest {
  /** Path template of the OpenAPI document. */
  readonly route: string;
  /** Path and query. */
  readonly url: string;
  readonly answer: Answer;
}

/** What the answers were recorded on. */
export interface Recording {
  readonly ledger: string;
  readonly seed: string;
  readonly requests: readonly AnsweredRequest[];
}

/** Of the connection and the moment, not of the answer. */
const passing: ReadonlySet<string> = new Set([
  'connection',
  'date',
  'keep-alive',
  'transfer-encoding',
  'content-length',
]);

const TIMEOUT_MS = 120_000;
/** An overloaded machine is no difference. */
const ATTEMPTS = 3;
const RETRY_PAUSE_MS = 1_000;

const lasting = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !passing.has(name))
      .map(([name, value]) => [name, String(value)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const send = async (base: URL, agent: Agent, path: string): Promise<Answer> => {
  const { hostname: host, port } = base;
  const { status, headers, text } = await sendRequest({ host, port, agent, path, timeoutMs: TIMEOUT_MS });
  return { status, headers: lasting(headers), body: text };
};

export type Ask = (url: string) => Promise<Answer>;

/** Keeps `connections` connections to the server. */
export const openClient = (base: URL, connections: number): { readonly ask: Ask; close(): void } => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ask = async (url: string): Promise<Answer> => {
    for (let attempt = 1; ; attempt++) {
      const answer = await send(base, agent, url);
      if (answer.status !== 503 || attempt === ATTEMPTS) return answer;
      await pause(RETRY_PAUSE_MS);
    }
  };
  return { ask, close: () => agent.destroy() };
};

/** Lines of JSON, compressed; the first tells what the others were recorded on. */
export const writeRecording = async (file: string, { requests, ...head }: Recording): Promise<void> => {
  const lines = function* (): Generator<string> {
    yield `${JSON.stringify(head)}\n`;
    for (const request of requests) yield `${JSON.stringify(request)}\n`;
  };
  await pipeline(Readable.from(lines()), createZstdCompress(), createWriteStream(file));
};

export const readRecording = async (file: string): Promise<Recording> => {
  const lines = createInterface({ input: createReadStream(file).pipe(createZstdDecompress()), crlfDelay: Infinity });
  let head: Omit<Recording, 'requests'> | undefined;
  const requests: AnsweredRequest[] = [];
  for await (const line of lines) {
    if (head === undefined) head = JSON.parse(line);
    else requests.push(JSON.parse(line));
  }
  if (head === undefined) throw new Error(`${file} holds no answers`);
  return { ...head, requests };
};

const AROUND = 60;

/** Where texts begin to differ that mean the same. */
const textDifference = (expected: string, actual: string): string => {
  let at = 0;
  while (expected[at] === actual[at]) at++;
  const part = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - AROUND), at + AROUND));
  return `body, character ${at}: expected ${part(expected)}, got ${part(actual)}`;
};

const bodyDifferences = (expected: Answer, actual: Answer): readonly string[] => {
  if (expected.body === actual.body) return [];
  try {
    const found = differencesOf(parseExactJson(expected.body), parseExactJson(actual.body));
    if (found.length > 0) return found.map((one) => `${one.path}: expected ${one.expected}, got ${one.actual}`);
  } catch {
    // One of them is no JSON.
  }
  return [textDifference(expected.body, actual.body)];
};

/** In words; empty when the answers are equal byte by byte. */
export const answerDifferences = (expected: Answer, actual: Answer): readonly string[] => {
  const differences: string[] = [];
  if (expected.status !== actual.status) differences.push(`status: expected ${expected.status}, got ${actual.status}`);
  for (const name of new Set([...Object.keys(expected.headers), ...Object.keys(actual.headers)])) {
    const [before, after] = [expected.headers[name], actual.headers[name]];
    if (before !== after) differences.push(`header ${name}: expected ${before ?? 'none'}, got ${after ?? 'none'}`);
  }
  return [...differences, ...bodyDifferences(expected, actual)];
};
