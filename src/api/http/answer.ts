/** From what a handler returns or throws to status, headers and bytes. */
import type { RestSettings } from '../../config/settings/rest.ts';
import type { RestJavaSettings } from '../../config/settings/restjava.ts';
import { type HttpProblem, type ProblemMessage, problemBody } from '../problem.ts';
import type { RestAnswer, Route, RouteFlavour } from '../route.ts';
import type { MadeAnswer } from './answer-cache.ts';
import { entityTag } from './entity-tag.ts';
import type { StoredAnswer } from './stored-answer.ts';

const jsonContentType: Readonly<Record<RouteFlavour, string>> = {
  js: 'application/json; charset=utf-8',
  java: 'application/json;charset=UTF-8',
  web3: 'application/json',
};

const int64TextContentType: Readonly<Record<RouteFlavour, string>> = {
  js: 'application/json; int64=string; charset=utf-8',
  java: 'application/json;int64=string;charset=UTF-8',
  web3: 'application/json;int64=string',
};

const lowerCaseNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Headers of answers by flavour, as the settings have them. */
export const defaultHeadersOf = (
  settings: Pick<RestSettings, 'response'>,
  javaSettings: Pick<RestJavaSettings, 'response'>,
): Readonly<Record<RouteFlavour, Readonly<Record<string, string>>>> => ({
  js: lowerCaseNames(settings.response.headers.default),
  java: lowerCaseNames(javaSettings.response.headers.default),
  web3: {},
});

/** The answer with 64-bit integers as strings, where it is JSON. */
export const int64TextAnswer = (
  route: Route,
  answer: RestAnswer,
  write: (route: Route, body: string) => string,
): RestAnswer =>
  answer.contentType === undefined
    ? { ...answer, body: write(route, answer.body.toString()), contentType: int64TextContentType[route.flavour] }
    : answer;

/** The answer with the word to every cache on the way not to keep it. */
export const unkept = (answer: StoredAnswer): StoredAnswer => ({
  ...answer,
  headers: { ...answer.headers, 'cache-control': 'no-store' },
});

const stored = (
  status: number,
  body: string | Buffer,
  headers: Record<string, string>,
  flavour: RouteFlavour,
  route: Route | undefined,
): StoredAnswer => {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const entityTagOfBody = flavour !== 'web3' && status >= 200 && status < 300 ? entityTag(bytes, flavour) : undefined;
  return { status, body: bytes, headers, entityTag: entityTagOfBody, route, deliveries: new Map() };
};

const maxAgeMs = (cacheControl: string | undefined): number => {
  const seconds = cacheControl === undefined ? undefined : /\bmax-age=(\d+)/.exec(cacheControl)?.[1];
  return seconds === undefined ? 0 : Number(seconds) * 1000;
};

/** `defaults`: header settings, by lower-case name; what the answer says goes before them. */
const headersOf = (
  route: Route,
  answer: RestAnswer,
  defaults: Readonly<Record<string, string>>,
): Record<string, string> => {
  const headers: Record<string, string> = { ...defaults };
  headers['content-type'] = answer.contentType ?? jsonContentType[route.flavour];
  const seconds = answer.cacheSeconds === undefined ? route.cacheSeconds : answer.cacheSeconds;
  if (seconds === null) delete headers['cache-control'];
  else if (seconds !== undefined) headers['cache-control'] = `public, max-age=${seconds}`;
  if (answer.link) headers.link = `<${answer.link}>; rel="next"`;
  return headers;
};

/** `mayKeep`: whether the answer would be the same if it were asked for again before the next block. */
export const answerOf = (
  route: Route,
  answer: RestAnswer,
  defaults: Readonly<Record<string, string>>,
  mayKeep: boolean,
): MadeAnswer => {
  const headers = headersOf(route, answer, defaults);
  return {
    answer: stored(answer.status, answer.body, headers, route.flavour, route),
    keepMs: mayKeep && answer.status === 200 ? maxAgeMs(headers['cache-control']) : 0,
  };
};

const completeMessage = ({ message, detail = '', data = '' }: ProblemMessage): ProblemMessage => ({
  message,
  detail,
  data,
});

/** The `java` flavour gives problems the same `cache-control` as its answers, the `js` flavour none. */
export const problemAnswer = (
  problem: HttpProblem,
  flavour: RouteFlavour,
  route?: Route,
  defaults: Readonly<Record<string, string>> = {},
): StoredAnswer => {
  const headers: Record<string, string> = { ...problem.headers, 'content-type': jsonContentType[flavour] };
  if (flavour === 'java' && route !== undefined) {
    const cacheControl =
      route.cacheSeconds === undefined ? defaults['cache-control'] : `public, max-age=${route.cacheSeconds}`;
    if (cacheControl !== undefined) headers['cache-control'] = cacheControl;
  }
  const messages = flavour === 'web3' ? problem.messages.map(completeMessage) : problem.messages;
  return stored(problem.status, problemBody(messages), headers, flavour, route);
};
