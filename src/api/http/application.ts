/**
 * The HTTP application: every REST route behind one Fastify instance.
 *
 * Owns what all routes share between the socket and the handler: matching, the raw query, users, caches, ETags,
 * compression, CORS, the form of errors. Owns no listener (`server` opens ports), no parameter rules and no SQL.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type HTTPMethods } from 'fastify';
import { type ClientIdentity, createClientIdentity } from '../client-identity.ts';
import { CommitWaits } from '../commit-waits.ts';
import { HttpProblem, notFound, reasonedProblem } from '../problem.ts';
import type { AuthenticatedUser, Route, RouteContext, RouteFlavour } from '../route.ts';
import { searchTurns } from '../search-turns.ts';
import { wantsInt64Texts } from './accept.ts';
import { defaultHeadersOf, problemAnswer, unkept } from './answer.ts';
import { AnswerCache, type MadeAnswer } from './answer-cache.ts';
import { authenticate } from './authentication.ts';
import { contentTypeProblem } from './content-type.ts';
import { type DeliveryRequest, deliveryOf } from './delivery.ts';
import { failureOf } from './failure.ts';
import { type Arrival, handle } from './handling.ts';
import { createInt64Writer } from './int64-text.ts';
import { plainPathFinder } from './plain-paths.ts';
import { overlyRepeatedKey, parseRawQuery, splitTarget } from './raw-query.ts';
import type { Delivery, StoredAnswer } from './stored-answer.ts';
import { streamedDelivery } from './streamed-delivery.ts';

/** The part of a logger that the application needs; a pino logger is one. */
export interface ApplicationLog {
  error(details: object, message: string): void;
  debug(details: object, message: string): void;
}

/** One answered request, for metrics and the access log. */
export interface AnsweredRequest {
  readonly method: string;
  /** Path of the route's definition; undefined when none matched. */
  readonly route: string | undefined;
  readonly flavour: RouteFlavour | undefined;
  /** Request target as sent. */
  readonly target: string;
  readonly status: number;
  readonly elapsedMs: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
}

export interface ApplicationOptions extends Omit<RouteContext, 'waits' | 'searches'> {
  readonly routes: readonly Route[];
  readonly log: ApplicationLog;
  /** Left out: clients are the addresses that connect. */
  readonly identify?: ClientIdentity;
  readonly onAnswered?: (request: AnsweredRequest) => void;
  /**
   * Runs handlers in other threads, or, with `here`, in this one, wherever there is less to do; live ones are not asked for. Left
   * out: they run here.
   */
  readonly threads?: {
    run(route: Route, arrival: Arrival, int64Texts: boolean, here: () => Promise<MadeAnswer>): Promise<MadeAnswer>;
  };
}

export interface Application {
  /** For further routes, and to be made ready before the first request. */
  readonly fastify: FastifyInstance;
  /** What an HTTP server of Node.js is to hand its requests to. */
  readonly listener: RequestListener;
  /** To be called after every commit of a block: answers made before it are forgotten, requests that wait look again. */
  onBlockCommitted(): void;
  /** Answers requests that wait for a block at once, from now on. */
  endWaits(): void;
}

/** A request whose route is known. */
interface Asked {
  /** As sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly linkPrefix: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Answered extends Pick<MadeAnswer, 'answer' | 'parts'> {
  /** Under which the answer is kept. */
  readonly cacheKey?: string | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: Route;
  }
}

/** Longest request body in bytes, where a route sets no limit of its own. */
const bodyLimit = 6 * 1024 * 1024;
/** Longest path parameter that still matches a route; aliases and long hashes stay far below. */
const maxParamLength = 4096;
const nothing = {};

/** Methods that a path of the `java` and `web3` flavours refuses by name, unless a route has them. */
const refusableMethods: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What an answer depends on beside the data: the URL as sent, the limit of the user, the host in links, the form. */
const cacheKeyOf = (
  user: AuthenticatedUser | undefined,
  linkPrefix: string,
  url: string,
  int64Texts: boolean,
): string => `${user?.limit ?? ''}${int64Texts ? ' int64=string' : ''} ${linkPrefix}${url}`;

/** Aborted when the connection closes before the answer has gone out. */
const clientSignalOf = (response: ServerResponse): AbortSignal => {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  else response.once('close', () => controller.abort());
  return controller.signal;
};

const fastifyPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

const refusingPathsOf = (routes: readonly Route[]): Map<string, Route[]> =>
  Map.groupBy(
    routes.filter(({ flavour }) => flavour !== 'js'),
    ({ path }) => path,
  );

export const createApplication = (options: ApplicationOptions): Application => {
  const { settings, javaSettings, log, onAnswered, threads, identify = createClientIdentity([]) } = options;
  const cacheSettings = settings.cache.response;
  const cache = cacheSettings.enabled ? new AnswerCache(cacheSettings.maxBytes) : undefined;
  const waits = new CommitWaits(settings.wait.maxWaiters);
  const shared: RouteContext = { ...options, waits, searches: searchTurns(settings) };
  const int64Writer = createInt64Writer();
  const defaultHeaders = defaultHeadersOf(settings, javaSettings);

  const clientOf = ({ socket, headers }: IncomingMessage): string => {
    const forwarded = headers['x-forwarded-for'];
    return identify(socket.remoteAddress, Array.isArray(forwarded) ? forwarded.join() : forwarded);
  };

  const deliver = (answer: StoredAnswer, request: DeliveryRequest, cacheKey: string | undefined) =>
    deliveryOf(
      answer,
      request,
      settings.response.compression,
      cacheKey === undefined ? undefined : (bytes) => cache?.grow(cacheKey, answer, bytes),
    );

  const send = async (request: FastifyRequest, reply: FastifyReply, answer: StoredAnswer, cacheKey?: string) => {
    const { method, headers } = request;
    const asked = { method, acceptEncoding: headers['accept-encoding'], ifNoneMatch: headers['if-none-match'] };
    const { status, headers: answerHeaders, body } = await deliver(answer, asked, cacheKey);
    return reply.code(status).headers(answerHeaders).send(body);
  };

  const failed = (
    error: unknown,
    url: string,
    route: Route | undefined,
    reachedHandler: boolean,
    isLive = false,
  ): StoredAnswer => {
    const flavour = route?.flavour ?? 'js';
    const { problem, unexpected } = failureOf(error, flavour);
    if (unexpected) log.error({ err: error, url }, 'request failed');
    else if (problem.status >= 500) log.debug({ err: error, url }, 'request refused');
    const answer = problemAnswer(problem, flavour, reachedHandler ? route : undefined, defaultHeaders[flavour]);
    return isLive ? unkept(answer) : answer;
  };

  /** The answer, which may be a refusal; `cacheKey` where it is kept. */
  const answerTo = async (route: Route, asked: Asked): Promise<Answered> => {
    let reachedHandler = false;
    let isLive = false;
    try {
      const { url, headers, linkPrefix, pathParameters, body } = asked;
      const user = route.flavour === 'js' ? authenticate(headers.authorization, settings.users) : undefined;
      const int64Texts = wantsInt64Texts(headers.accept);
      const cacheKey =
        cache === undefined || route.method !== 'GET' ? undefined : cacheKeyOf(user, linkPrefix, url, int64Texts);
      const kept = cacheKey === undefined ? undefined : cache?.get(cacheKey);
      if (kept !== undefined) return { answer: kept, cacheKey };
      const { path, query: queryText } = splitTarget(url);
      const query = parseRawQuery(queryText);
      isLive = route.isLive?.(query) ?? false;
      if (route.flavour === 'js') {
        const limit = settings.query.maxRepeatedQueryParameters;
        if (overlyRepeatedKey(query, limit) !== undefined) {
          throw new HttpProblem(400, [
            { message: `Array limit exceeded. Only ${limit} elements allowed in an array.` },
          ]);
        }
      }
      reachedHandler = true;
      const clientSignal = () => clientSignalOf(asked.response);
      const client = () => clientOf(asked.request);
      const arrival = { path, query, linkPrefix, pathParameters, headers, user, body, client, clientSignal };
      const form = { isLive, int64Writer: int64Texts ? int64Writer : undefined };
      const makeHere = () => handle(route, arrival, shared, defaultHeaders[route.flavour], form);
      const make = () =>
        threads === undefined || isLive ? makeHere() : threads.run(route, arrival, int64Texts, makeHere);
      if (cacheKey === undefined || cache === undefined || isLive) return await make();
      return { answer: await cache.getOrMake(cacheKey, make), cacheKey };
    } catch (error) {
      return { answer: failed(error, asked.url, route, reachedHandler, isLive) };
    }
  };

  const serve = async (route: Route, request: FastifyRequest, reply: FastifyReply) => {
    const linkPrefix = settings.response.includeHostInLink ? `${request.protocol}://${request.host}` : '';
    const pathParameters = request.params as Readonly<Record<string, string>>;
    const { url, headers, body, raw } = request;
    const asked = { url, headers, linkPrefix, pathParameters, body, request: raw, response: reply.raw };
    const { answer, parts, cacheKey } = await answerTo(route, asked);
    if (parts === undefined) return send(request, reply, answer, cacheKey);
    const streamed = streamedDelivery(answer, parts, headers['accept-encoding']);
    return reply.code(streamed.status).headers(streamed.headers).send(streamed.body);
  };

  /** Without the framework. */
  const write = (
    request: IncomingMessage,
    response: ServerResponse,
    delivery: Delivery,
    route: Route | undefined,
    started: number,
  ): void => {
    response.writeHead(delivery.status, delivery.headers);
    response.end(delivery.body);
    onAnswered?.({
      method: request.method ?? '',
      route: route?.path,
      flavour: route?.flavour,
      target: request.url ?? '',
      status: delivery.status,
      elapsedMs: performance.now() - started,
      requestBytes: 0,
      responseBytes: delivery.body?.byteLength ?? 0,
    });
  };

  const findPlainly = plainPathFinder(
    options.routes.filter(({ method, flavour }) => method === 'GET' && flavour !== 'web3'),
  );

  const askedFor = ({ method, headers }: IncomingMessage): DeliveryRequest => ({
    method,
    acceptEncoding: headers['accept-encoding'],
    ifNoneMatch: headers['if-none-match'],
  });

  /** Answers what is kept. False: nothing is. */
  const answerFromCache = (request: IncomingMessage, response: ServerResponse, url: string): boolean => {
    const { headers } = request;
    if (cache === undefined || headers.authorization !== undefined) return false;
    const cacheKey = cacheKeyOf(undefined, '', url, wantsInt64Texts(headers.accept));
    const answer = cache.get(cacheKey);
    if (answer === undefined) return false;
    const started = performance.now();
    const delivery = deliver(answer, askedFor(request), cacheKey);
    if (delivery instanceof Promise) return false;
    write(request, response, delivery, answer.route, started);
    return true;
  };

  /** Finds the answer for a path in its usual form. False: it has another one. */
  const answerPlainly = (request: IncomingMessage, response: ServerResponse, url: string): boolean => {
    const found = findPlainly(splitTarget(url).path);
    if (found === undefined) return false;
    const started = performance.now();
    const { route, pathParameters } = found;
    const { headers } = request;
    answerTo(route, { url, headers, linkPrefix: '', pathParameters, body: undefined, request, response })
      .then(async ({ answer, cacheKey }) => {
        write(request, response, await deliver(answer, askedFor(request), cacheKey), route, started);
      })
      .catch((error: unknown) => {
        log.error({ err: error, url }, 'an answer could not be given');
        response.destroy();
      });
    return true;
  };

  /** The way through the framework costs as much as all the rest. False: the request has to go that way. */
  const answerWithoutFramework = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { method, url = '' } = request;
    if (method !== 'GET' || settings.response.includeHostInLink) return false;
    return answerFromCache(request, response, url) || answerPlainly(request, response, url);
  };

  let throughFramework: RequestListener = (_request, response) => response.destroy();
  const app: FastifyInstance = fastify({
    trustProxy: true,
    bodyLimit,
    keepAliveTimeout: settings.response.keepAliveTimeout,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      reply.header('access-control-allow-origin', '*');
      const problem = error.code === 'FST_ERR_BAD_URL' ? new HttpProblem(400, [{ message: 'Malformed path' }]) : error;
      const answer = failed(problem, request.url, undefined, false);
      return send(request as FastifyRequest, reply as unknown as FastifyReply, answer);
    },
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      maxParamLength,
      querystringParser: () => nothing,
    },
    serverFactory: (handler) => {
      throughFramework = handler;
      return createServer(handler);
    },
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('access-control-allow-origin', '*');
    done();
  });
  if (onAnswered !== undefined) {
    app.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.config.route;
      onAnswered({
        method: request.method,
        route: route?.path,
        flavour: route?.flavour,
        target: request.url,
        status: reply.statusCode,
        elapsedMs: reply.elapsedTime,
        requestBytes: Number(request.headers['content-length'] ?? 0),
        responseBytes: Number(reply.getHeader('content-length') ?? 0),
      });
      done();
    });
  }

  app.options('/*', (_request, reply) => {
    reply
      .code(204)
      .header('access-control-allow-methods', 'GET,HEAD,POST')
      .header('access-control-allow-headers', _request.headers['access-control-request-headers'] ?? '*')
      .header('vary', 'Access-Control-Request-Headers')
      .header('content-length', '0')
      .send();
  });
  for (const route of options.routes) {
    app.route({
      method: route.method,
      url: fastifyPath(route.path),
      config: { route },
      bodyLimit: route.maxBodyBytes ?? bodyLimit,
      onRequest: (request, _reply, done) => done(contentTypeProblem(route, request.headers['content-type'])),
      handler: (request, reply) => serve(route, request, reply),
    });
  }
  for (const [path, routes] of refusingPathsOf(options.routes)) {
    const methods: readonly string[] = routes.map(({ method }) => method);
    app.route({
      method: refusableMethods.filter((method) => !methods.includes(method)),
      url: fastifyPath(path),
      exposeHeadRoute: false,
      handler: (request, reply) => {
        const problem = reasonedProblem(405, `Request method '${request.method}' is not supported`);
        reply.header('allow', methods.includes('GET') ? [...methods, 'HEAD'].join(', ') : methods.join(', '));
        return send(request, reply, problemAnswer(problem, routes[0]?.flavour ?? 'java'));
      },
    });
  }
  app.setNotFoundHandler((request, reply) => send(request, reply, problemAnswer(notFound(), 'js')));
  app.setErrorHandler((error, request, reply) =>
    send(request, reply, failed(error, request.url, request.routeOptions.config.route, false)),
  );

  return {
    fastify: app,
    listener: (request, response) => {
      if (!answerWithoutFramework(request, response)) throughFramework(request, response);
    },
    onBlockCommitted: () => {
      cache?.clear();
      waits.committed();
    },
    endWaits: () => waits.stop(),
  };
};
