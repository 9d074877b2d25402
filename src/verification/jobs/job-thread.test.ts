import { expect, it } from 'vitest';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { CompilerStore } from '../compilers/compiler-store.ts';
import type { Job } from './job-messages.ts';
import { JobThread } from './job-thread.ts';

const data = { compileBounds: { timeoutMs: 1_000, memoryMb: 1024 }, zipBounds: { entries: 10, bytes: 1_000 } };

const compilers: CompilerStore = {
  locate: async (language, version) => {
    throw new KagamiError('COMPILER_UNREACHABLE', `no ${language} ${version}`, { details: { version } });
  },
};

const upload = (path: string, content: string): Job => ({
  kind: 'inspect',
  files: [{ path, content: Buffer.from(content) }],
});

it('does one job after another, and hands errors on with their codes', { timeout: 60_000 }, async () => {
  const thread = new JobThread(data, compilers);
  expect(await thread.run(upload('a.txt', 'text'), 60_000)).toEqual({ contracts: [], unused: ['a.txt'] });
  await expect(thread.run(upload('a.zip', 'PK\x03\x04 broken'), 60_000)).rejects.toMatchObject({
    code: 'VERIFICATION_INPUT_INVALID',
    details: { path: 'a.zip' },
  });
  const input = { language: 'Solidity', sources: {} };
  await expect(thread.run({ kind: 'metadata', input, compilerVersion: '0.8.1' }, 60_000)).rejects.toMatchObject({
    code: 'COMPILER_UNREACHABLE',
    message: 'no Solidity 0.8.1',
    details: { version: '0.8.1' },
  });
  expect(thread.hasEnded).toBe(false);
  await thread.end(new KagamiError('VERIFICATION_STOPPED', 'stopped'));
});

it('ends at the deadline of a job', { timeout: 60_000 }, async () => {
  // Asked for a compiler, this store never answers.
  const thread = new JobThread(data, { locate: () => new Promise(() => undefined) });
  const input = { language: 'Solidity', sources: {} };
  await expect(thread.run({ kind: 'metadata', input, compilerVersion: '0.8.1' }, 50)).rejects.toMatchObject({
    code: 'VERIFICATION_TIMEOUT',
  });
  expect(thread.hasEnded).toBe(true);
});
