/** Runs one compilation with a Vyper binary (`--standard-json`, input on standard input). */
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { LocatedCompiler } from './compiler-store.ts';
import type { CompileBounds } from './solc-process.ts';

const MAX_OUTPUT_BYTES = 128 * 1024 * 1024;

const MAX_MESSAGE_LENGTH = 2_000;

/**
 * The compiler's standard JSON output as text. Memory has no bound of its own here.
 * @throws KagamiError COMPILER_TIMEOUT, COMPILER_FAILED
 */
export const runVyper = (
  { path, version }: LocatedCompiler,
  input: string,
  { timeoutMs }: Pick<CompileBounds, 'timeoutMs'>,
): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = spawn(path, ['--standard-json', '-'], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const fail = (code: 'COMPILER_TIMEOUT' | 'COMPILER_FAILED', what: string): void => {
    reject(new KagamiError(code, `The compiler Vyper ${version} ${what}`, { details: { version } }));
    child.kill('SIGKILL');
  };
  const killer = setTimeout(() => fail('COMPILER_TIMEOUT', `did not end within ${timeoutMs} ms`), timeoutMs);
  const output: Buffer[] = [];
  let length = 0;
  let complaint = '';
  child.stdout.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_OUTPUT_BYTES) fail('COMPILER_FAILED', 'gave too long an output');
    else output.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    if (complaint.length < MAX_MESSAGE_LENGTH) complaint += chunk.toString('utf8').slice(0, MAX_MESSAGE_LENGTH);
  });
  child.on('error', ({ message }) => fail('COMPILER_FAILED', `could not be started: ${message}`));
  child.on('close', (code) => {
    clearTimeout(killer);
    if (code === 0) resolve(Buffer.concat(output).toString('utf8'));
    else fail('COMPILER_FAILED', `ended with exit code ${code}: ${complaint}`);
  });
  // A compiler that ends before it has read everything is told by its exit code.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return promise;
};
