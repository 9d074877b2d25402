/**
 * Reads large record files in a thread of its own. Unpacking and hashing a file of tens of thousands of transactions takes
 * a tenth of a second; while a backlog is imported that is time in which the importer's thread makes rows.
 */
import { Worker } from 'node:worker_threads';
import { KagamiError } from '../errors/kagami-error.ts';
import type { ErrorCode } from '../errors/registry.ts';
import { type ReadRecordFileOptions, readRecordFile } from '../streams/record-file.ts';
import type { RecordFile, RecordFileItem } from '../streams/record-file-content.ts';

/** Files below are read sooner than they are handed over. */
const LARGE_FILE_BYTES = 128 * 1024;

/** The thread's heap holds the items of one file at a time, its content is outside. */
const HEAP = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 1024 };

/** What the thread is asked. */
export interface ReadOrder {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly options: ReadRecordFileOptions;
}

/** What the thread answers, in the order of the questions. */
export type ReadAnswer =
  | {
      /** Without its items. */
      readonly file: RecordFile;
      /** What the items are parts of. */
      readonly content: ArrayBuffer;
      /** Start and end of each item's transaction and record in `content`: four numbers an item. */
      readonly bounds: Uint32Array;
    }
  | {
      readonly fault: { readonly code: ErrorCode; readonly message: string; readonly details: KagamiError['details'] };
    };

interface Question {
  readonly resolve: (file: RecordFile) => void;
  readonly reject: (error: unknown) => void;
}

export class RecordFileReader {
  readonly #questions: Question[] = [];
  #worker: Worker | undefined;

  /** As `readRecordFile`. `bytes` are the reader's from now on: those of a large file go over to its thread. */
  async read(name: string, bytes: Uint8Array, options: ReadRecordFileOptions = {}): Promise<RecordFile> {
    if (bytes.length < LARGE_FILE_BYTES) return readRecordFile(name, bytes, options);
    const { promise, resolve, reject } = Promise.withResolvers<RecordFile>();
    this.#questions.push({ resolve, reject });
    this.#thread().postMessage({ name, bytes, options } satisfies ReadOrder, isWhole(bytes) ? [bytes.buffer] : []);
    return promise;
  }

  /** Ends the thread; what is being read is refused. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #thread(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(workerFile(), { name: 'kagami-reader', resourceLimits: HEAP });
    this.#worker = worker;
    worker.on('message', (answer: ReadAnswer) => {
      const question = this.#questions.shift();
      if ('fault' in answer) {
        const { code, message, details } = answer.fault;
        question?.reject(new KagamiError(code, message, { details }));
      } else {
        question?.resolve({ ...answer.file, items: itemsOf(answer.content, answer.bounds) });
      }
    });
    worker.on('error', (error) => this.#end(error));
    worker.on('exit', () => this.#end(new Error('the thread that reads record files has ended')));
    return worker;
  }

  #end(error: unknown): void {
    this.#worker = undefined;
    for (const { reject } of this.#questions.splice(0)) reject(error);
  }
}

/** Whether nothing else lies in the same memory. */
const isWhole = (bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength;

const itemsOf = (content: ArrayBuffer, bounds: Uint32Array): RecordFileItem[] => {
  const items: RecordFileItem[] = new Array(bounds.length / 4);
  for (let i = 0; i < items.length; i++) items[i] = new ItemOfContent(content, bounds, 4 * i);
  return items;
};

/** Makes its views when they are asked for: those of files read ahead would be most of what the collector carries. */
class ItemOfContent implements RecordFileItem {
  readonly #content: ArrayBuffer;
  readonly #bounds: Uint32Array;
  readonly #at: number;

  constructor(content: ArrayBuffer, bounds: Uint32Array, at: number) {
    this.#content = content;
    this.#bounds = bounds;
    this.#at = at;
  }

  get transaction(): Uint8Array {
    return this.#part(this.#at);
  }

  get record(): Uint8Array {
    return this.#part(this.#at + 2);
  }

  #part(at: number): Uint8Array {
    const start = this.#bounds[at] as number;
    return new Uint8Array(this.#content, start, (this.#bounds[at + 1] as number) - start);
  }
}

/** The worker's file beside this one: a .ts source in development, .js in the built package. */
const workerFile = (): URL =>
  new URL(`./record-file-reader-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
