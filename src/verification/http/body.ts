/** Bodies of requests: JSON, forms and multipart forms, all read into fields and files. */
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { UploadedFile } from '../model.ts';
import { invalidValue, problem, unsupportedMedia } from './problem.ts';
import { type Fields, isObject } from './request-checks.ts';

/** Longest body of JSON or a form, and longest file of a multipart form, in bytes. */
export const MAX_FILE_BYTES = 30 * 1024 * 1024;
/** Longest sum of all parts of a multipart form: more than what fits a session. */
const maxFormBytes = 64 * 1024 * 1024;
const maxFiles = 5_000;
const maxFields = 100;
const maxFieldBytes = 1024 * 1024;

/** Media types that a route takes. */
export type BodyKind = 'application/json' | 'application/x-www-form-urlencoded' | 'multipart/form-data';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Left out: whatever comes is passed over. */
    verificationBodies?: readonly BodyKind[];
  }
}

export interface RequestBody {
  readonly kind: BodyKind;
  readonly fields: Fields;
  /** Files of a multipart form; those in JSON are still in `fields.files`. */
  readonly files: readonly UploadedFile[];
}

const kindOf = (request: FastifyRequest): string | undefined =>
  request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();

const parseJson = (body: Buffer): unknown => {
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw problem(400, (error as Error).message, 'invalid_json');
  }
};

/** Registers the parsers in the scope of a plugin and refuses media types that a route doesn't take. */
export const registerBodies = async (scope: FastifyInstance): Promise<void> => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: MAX_FILE_BYTES },
    async (_request: FastifyRequest, body: Buffer) => parseJson(body),
  );
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FILE_BYTES },
    async (_request: FastifyRequest, body: string) => Object.fromEntries(new URLSearchParams(body)),
  );
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, async () => undefined);
  await scope.register(multipart, {
    limits: { fileSize: MAX_FILE_BYTES, files: maxFiles, fields: maxFields, fieldSize: maxFieldBytes },
  });
  scope.addHook('onRequest', async (request) => {
    const taken: readonly string[] | undefined = request.routeOptions.config.verificationBodies;
    const kind = kindOf(request);
    if (taken === undefined || (kind !== undefined && taken.includes(kind))) return;
    throw unsupportedMedia(request.url.split('?', 1)[0] ?? '', request.headers['content-type']);
  });
};

const readForm = async (request: FastifyRequest): Promise<RequestBody> => {
  const fields: Record<string, unknown> = {};
  const files: UploadedFile[] = [];
  let bytes = 0;
  for await (const part of request.parts()) {
    if (part.type === 'field') {
      fields[part.fieldname] = part.value;
      continue;
    }
    const content = await part.toBuffer();
    bytes += content.length;
    if (bytes > maxFormBytes) throw problem(413, 'request entity too large');
    if (part.fieldname === 'files') files.push({ path: part.filename ?? '', content });
  }
  return { kind: 'multipart/form-data', fields, files };
};

/** @throws VerificationProblem when the body isn't an object. */
export const bodyOf = async (request: FastifyRequest): Promise<RequestBody> => {
  const kind = kindOf(request) as BodyKind;
  if (kind === 'multipart/form-data') return readForm(request);
  const fields = request.body ?? {};
  if (!isObject(fields)) throw invalidValue('/body', 'must be object', 'type');
  return { kind, fields, files: [] };
};

/** Node's own JSON of a Buffer, which some clients send. */
const bytesOf = (value: unknown): Uint8Array | undefined => {
  if (!isObject(value) || value.type !== 'Buffer' || !Array.isArray(value.data)) return undefined;
  const isByte = (byte: unknown): boolean => Number.isInteger(byte) && Number(byte) >= 0 && Number(byte) <= 255;
  return value.data.every(isByte) ? Uint8Array.from(value.data as number[]) : undefined;
};

/** Files of a body: parts of a multipart form, or the map `files` from name to content of JSON; undefined without. */
export const filesOf = ({ kind, fields, files }: RequestBody): readonly UploadedFile[] | undefined => {
  if (kind === 'multipart/form-data') return files.length > 0 ? files : undefined;
  if (fields.files === undefined) return undefined;
  if (!isObject(fields.files)) throw invalidValue('/body/files', 'must be object', 'type');
  const entries = Object.entries(fields.files);
  if (entries.length > maxFiles) throw problem(413, `A request may carry at most ${maxFiles} files`);
  const read = entries.map(([path, value]) => {
    const content = typeof value === 'string' ? Buffer.from(value) : bytesOf(value);
    if (content === undefined) throw invalidValue(`/body/files/${path}`, 'must be string', 'type');
    return { path, content };
  });
  return read.length > 0 ? read : undefined;
};
