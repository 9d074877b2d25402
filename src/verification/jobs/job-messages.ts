/** What goes between the main thread and a thread of verification. */
import { KagamiError } from '../../errors/kagami-error.ts';
import { type ErrorCode, errorRegistry } from '../../errors/registry.ts';
import type { LocatedCompiler } from '../compilers/compiler-store.ts';
import type { CompileBounds } from '../compilers/solc-process.ts';
import type { ZipBounds } from '../inputs/zip.ts';
import type { MatchAnswer, MatchOrder } from '../matching/match.ts';
import type { Inspection, Language, UploadedFile } from '../model.ts';

export type Job =
  | { readonly kind: 'inspect'; readonly files: readonly UploadedFile[] }
  | { readonly kind: 'match'; readonly order: MatchOrder }
  | { readonly kind: 'metadata'; readonly input: unknown; readonly compilerVersion: string };

/** Answer of each kind of job. */
export interface JobAnswers {
  readonly inspect: Inspection;
  readonly match: MatchAnswer;
  readonly metadata: readonly UploadedFile[];
}

export interface JobThreadData {
  readonly compileBounds: CompileBounds;
  readonly zipBounds: ZipBounds;
}

/** An error, as it survives the way between threads. */
export interface Fault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export type ToThread =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'located'; readonly compiler: LocatedCompiler }
  | { readonly kind: 'not-located'; readonly fault: Fault };

export type FromThread =
  | { readonly kind: 'locate'; readonly language: Language; readonly version: string }
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'fault'; readonly fault: Fault };

/** Anything that isn't ours is a fault of ours. */
export const faultOf = (error: unknown): Fault => {
  const { code, message, details } = error as Partial<KagamiError>;
  return code !== undefined && code in errorRegistry
    ? { code, message: message ?? '', details: details ?? {} }
    : { code: 'VERIFICATION_FAILED', message: `A verification failed: ${message ?? String(error)}`, details: {} };
};

export const errorOfFault = ({ code, message, details }: Fault): KagamiError =>
  new KagamiError(code, message, { details });
