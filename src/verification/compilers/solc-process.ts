/** Runs one compilation with a `soljson.js` in a process of its own, with bounds of time and memory. */
import { fork } from 'node:child_process';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { LocatedCompiler } from './compiler-store.ts';

export interface CompileBounds {
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

export interface SolcOrder {
  readonly soljson: string;
  /** Standard JSON. */
  readonly input: string;
  readonly memoryMb: number;
}

export type SolcAnswer =
  | { readonly kind: 'output'; readonly version: string; readonly output: string }
  | { readonly kind: 'memory' }
  | { readonly kind: 'crash'; readonly message: string };

const workerFile = (): URL =>
  new URL(`./solc-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Reading is all that a compiler needs; it can't write files or start programs. */
const nodeArguments = ['--permission', '--allow-fs-read=*', '--allow-worker', '--no-warnings'];

/**
 * The compiler's standard JSON output as text.
 * @throws KagamiError COMPILER_TIMEOUT, COMPILER_OUT_OF_MEMORY, COMPILER_FAILED
 */
export const runSolc = (
  { path, version }: LocatedCompiler,
  input: string,
  { timeoutMs, memoryMb }: CompileBounds,
): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // Secrets in our environment are none of the compiler's business; Windows can't start a program without its own variable.
  const { SystemRoot } = process.env;
  const child = fork(workerFile(), [], {
    execArgv: nodeArguments,
    env: SystemRoot === undefined ? {} : { SystemRoot },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const fail = (code: 'COMPILER_TIMEOUT' | 'COMPILER_OUT_OF_MEMORY' | 'COMPILER_FAILED', what: string): void =>
    reject(new KagamiError(code, `The compiler Solidity ${version} ${what}`, { details: { version } }));
  const killer = setTimeout(() => {
    fail('COMPILER_TIMEOUT', `did not end within ${timeoutMs} ms`);
    child.kill('SIGKILL');
  }, timeoutMs);
  child.on('message', (answer: SolcAnswer) => {
    if (answer.kind === 'output') resolve(answer.output);
    else if (answer.kind === 'memory') fail('COMPILER_OUT_OF_MEMORY', `needed more than ${memoryMb} MiB`);
    else fail('COMPILER_FAILED', `crashed: ${answer.message}`);
  });
  child.on('error', ({ message }) => fail('COMPILER_FAILED', `could not be started: ${message}`));
  child.on('exit', (code, signal) => {
    clearTimeout(killer);
    fail('COMPILER_FAILED', `ended without an answer (${signal ?? `exit code ${code}`})`);
  });
  child.send({ soljson: path, input, memoryMb } satisfies SolcOrder, (error) => {
    if (error !== null) fail('COMPILER_FAILED', `could not be given its input: ${error.message}`);
  });
  return promise;
};
