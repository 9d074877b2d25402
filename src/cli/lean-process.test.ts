import { describe, expect, it } from 'vitest';
import { keepHeapSmall, type Relaunchable } from './lean-process.ts';

const attempt = (changes: Partial<Relaunchable>) => {
  const launched: { file: string; args: readonly string[]; env: NodeJS.ProcessEnv }[] = [];
  const flags: string[] = [];
  keepHeapSmall(
    {
      execArgv: ['--enable-source-maps'],
      argv: ['/usr/bin/node', '/opt/kagami/dist/cli/main.js', 'start', '--tps', '5'],
      execPath: '/usr/bin/node',
      env: {},
      execve: (file, args, environment) => {
        launched.push({ file, args, env: environment });
      },
      ...changes,
    },
    (flag) => flags.push(flag),
  );
  return { launched, flags };
};

describe('the small heap of the main thread', () => {
  it('is given to a process that takes this one’s place, with all options and arguments', () => {
    const { launched, flags } = attempt({});
    expect(flags).toEqual([]);
    expect(launched).toEqual([
      {
        file: '/usr/bin/node',
        args: [
          '/usr/bin/node',
          '--max-semi-space-size=8',
          '--initial-old-space-size=32',
          '--no-allocation-site-pretenuring',
          '--enable-source-maps',
          '/opt/kagami/dist/cli/main.js',
          'start',
          '--tps',
          '5',
        ],
        env: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' },
      },
    ]);
  });

  it('is asked for once, and not of threads', () => {
    expect(attempt({ execArgv: ['--max-semi-space-size=4'] })).toEqual({
      launched: [],
      flags: ['--max-semi-space-size=0'],
    });
  });

  it('leaves what an operator has chosen', () => {
    const env = { NODE_OPTIONS: '--trace-warnings --max_semi_space_size=64' };
    expect(attempt({ env }).launched).toEqual([]);
  });

  it('does without where a process cannot be replaced', () => {
    expect(attempt({ execve: undefined }).launched).toEqual([]);
    expect(attempt({ connected: true }).launched).toEqual([]);
  });
});
