/** The application with verification on a real database, asked without a socket. */

import type { FastifyInstance } from 'fastify';
import { createClientIdentity } from '../../../api/client-identity.ts';
import { applicationOver } from '../../../api/http/testing/application.fixture.ts';
import type { VerificationSettings } from '../../../config/settings/verification.ts';
import { createTestDatabase, type TestDatabase } from '../../../database/testing/test-database.fixture.ts';
import type { Verifier } from '../../verifier.ts';
import { registerVerification } from '../registration.ts';

type HttpSettings = VerificationSettings['http'];

const testSettings: HttpSettings = {
  publicUrl: '',
  origins: ['https://hashscan.io', 'https://*.hashscan.io', 'http://localhost:*'],
  importHosts: [],
  sessions: { secret: '', secureCookie: false, lifetime: 12 * 3_600_000, maxTotalMb: 200 },
  clients: { requests: 4, verifications: 2 },
  timeout: 60_000,
};

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The text as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of tests are looked at, member by member
  readonly json: any;
}

export interface Sent {
  readonly body?: unknown;
  /** Instead of a JSON body. */
  readonly form?: Readonly<Record<string, string>> | FormData;
  readonly raw?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client that keeps the cookie that it is given. */
export interface Visitor {
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  post(url: string, sent?: Sent): Promise<Answer>;
  cookie: string | undefined;
}

export interface VerificationServer {
  readonly app: FastifyInstance;
  readonly test: TestDatabase;
  visitor(): Visitor;
  close(): Promise<void>;
}

const payloadOf = async ({ body, form, raw }: Sent): Promise<{ payload?: Buffer; type?: string }> => {
  if (form instanceof FormData) {
    const request = new Request('http://test/', { method: 'POST', body: form });
    return { payload: Buffer.from(await request.arrayBuffer()), type: request.headers.get('content-type') ?? '' };
  }
  if (form !== undefined) {
    return { payload: Buffer.from(new URLSearchParams(form).toString()), type: 'application/x-www-form-urlencoded' };
  }
  if (raw !== undefined) return { payload: Buffer.from(raw) };
  return body === undefined ? {} : { payload: Buffer.from(JSON.stringify(body)), type: 'application/json' };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A client without cookies yet. */
export const visitorOf = (app: FastifyInstance): Visitor => {
  const ask = async (method: 'GET' | 'POST', url: string, sent: Sent = {}): Promise<Answer> => {
    const { payload, type } = await payloadOf(sent);
    const response = await app.inject({
      method,
      url,
      headers: {
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(self.cookie === undefined ? {} : { cookie: self.cookie }),
        ...sent.headers,
      },
      ...(payload === undefined ? {} : { payload }),
    });
    const cookie = [response.headers['set-cookie']].flat()[0];
    if (cookie !== undefined) self.cookie = cookie.split(';', 1)[0];
    const text = response.body;
    return { status: response.statusCode, headers: response.headers, text, json: parsed(text) };
  };
  const self: Visitor = {
    cookie: undefined,
    get: (url, headers = {}) => ask('GET', url, { headers }),
    post: (url, sent) => ask('POST', url, sent),
  };
  return self;
};

export const serveVerification = async (
  verifier: Verifier,
  settings: HttpSettings = testSettings,
): Promise<VerificationServer> => {
  const test = await createTestDatabase();
  const { fastify: app } = applicationOver({ routes: [], db: test.database });
  const log = { error: () => undefined, warn: () => undefined };
  await registerVerification(app, {
    verifier,
    database: test.database,
    settings,
    identify: createClientIdentity(['private']),
    log,
  });
  await app.ready();

  return {
    app,
    test,
    visitor: () => visitorOf(app),
    close: async () => {
      await app.close();
      await test.drop();
    },
  };
};
