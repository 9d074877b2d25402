/** Sends one request and holds the answer against the expected one. */
import type { Agent, IncomingHttpHeaders } from 'node:http';
import type { Route } from '../src/api/route.ts';
import type { AnswerSchemas } from '../src/server/testing/answer-schemas.fixture.ts';
import type { CaseRequest } from './cases.ts';
import { type Difference, differencesOf } from './difference.ts';
import { parseExactJson } from './exact-json.ts';
import { sendRequest, type TextAnswer } from './http-request.ts';

const timeoutMs = 30_000;

/** A request target in the characters that HTTP allows; the cases hold some as typed. */
const targetOf = (url: string): string => url.replaceAll(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text));

const headerDifferences = (expected: Readonly<Record<string, string>>, actual: IncomingHttpHeaders): Difference[] =>
  Object.entries(expected)
    .map(([name, value]) => ({ name, value, given: actual[name.toLowerCase()] }))
    .filter(({ value, given }) => given !== value)
    .map(({ name, value, given }) => ({ path: `header ${name}`, expected: value, actual: String(given ?? 'absent') }));

const bodyOf = ({ headers, text }: TextAnswer): unknown => {
  if (!/\bjson\b/.test(headers['content-type'] ?? '')) return text;
  return text === '' ? {} : parseExactJson(text);
};

/** What is wrong with the answer; empty when nothing is. */
export const exchange = async (
  port: number,
  agent: Agent,
  request: CaseRequest,
  route: Route | undefined,
  schemas: AnswerSchemas,
): Promise<Difference[]> => {
  const { expect, method, url, headers, payload } = request;
  const target = { host: '127.0.0.1', port, agent, path: targetOf(url), timeoutMs };
  const answer = await sendRequest({ ...target, method, headers, payload });
  const differences: Difference[] = [];
  if (answer.status !== expect.status) {
    differences.push({ path: 'status', expected: String(expect.status), actual: String(answer.status) });
  }
  differences.push(...headerDifferences(expect.headers ?? {}, answer.headers));
  if (expect.body !== undefined) {
    try {
      differences.push(...differencesOf(expect.body, bodyOf(answer)));
    } catch (error) {
      differences.push({ path: 'body', expected: 'JSON', actual: (error as Error).message });
    }
  }
  const isJson = answer.headers['content-type']?.startsWith('application/json') === true;
  if (route !== undefined && isJson && differences.length === 0) {
    differences.push(...schemas.violations(route, answer.status, answer.text));
  }
  return differences;
};
