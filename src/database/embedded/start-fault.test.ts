import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEmbeddedPostgres } from './launcher.ts';
import { reasonIn } from './start-fault.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kagami-start-fault-'));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const faultOf = async (start: Promise<unknown>): Promise<{ readonly code: string; readonly message: string }> => {
  const fault = await start.then(
    () => new Error('it started'),
    (error: unknown) => error as Error,
  );
  return { code: (fault as NodeJS.ErrnoException).code ?? '', message: fault.message };
};

const script = (path: string, lines: readonly string[]): void => {
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`);
  chmodSync(path, 0o755);
};

/** Programs that end with these last words. */
const programsThatFail = (words: { readonly initdb?: string; readonly postgres?: string }): string => {
  const native = join(folder, 'native');
  mkdirSync(join(native, 'bin'), { recursive: true });
  const version = '[ "$1" = --version ] && echo "postgres (PostgreSQL) 18.4" && exit 0';
  const initdb =
    words.initdb === undefined ? ['echo 18 > PG_VERSION'] : [`cat >&2 <<'END'\n${words.initdb}\nEND`, 'exit 1'];
  script(join(native, 'bin', 'initdb'), initdb);
  script(join(native, 'bin', 'postgres'), [version, `cat >&2 <<'END'\n${words.postgres ?? ''}\nEND`, 'exit 1']);
  return native;
};

const startWith = (words: Parameters<typeof programsThatFail>[0]) =>
  faultOf(startEmbeddedPostgres({ dataDir: join(folder, 'data'), sync: false, nativeFolder: programsThatFail(words) }));

describe('a start that fails', { timeout: 60_000 }, () => {
  it('says what initdb said', async () => {
    expect(
      await startWith({
        initdb:
          'The files will be owned by user "x".\ninitdb: error: invalid locale name "nowhere"\ninitdb: removing data',
      }),
    ).toEqual({
      code: 'EMBEDDED_POSTGRES_START_FAILED',
      message: `initdb could not make the data folder ${folder}/data/cluster: initdb: error: invalid locale name "nowhere"`,
    });
  });

  it.each([
    ['FATAL:  could not write to file "pg_wal/xlogtemp.12": No space left on device', 'DATA_FOLDER_FULL'],
    ['initdb: error: could not change permissions of directory "x": Operation not permitted', 'DATA_FOLDER_UNUSABLE'],
    ['initdb: error: could not create directory "x": Read-only file system', 'DATA_FOLDER_UNUSABLE'],
    [
      'FATAL:  could not create shared memory segment: No space left on device\nHINT:  SHMMNI is too small.',
      'EMBEDDED_POSTGRES_NO_MEMORY',
    ],
    ['FATAL:  could not create semaphores: No space left on device', 'EMBEDDED_POSTGRES_NO_MEMORY'],
  ])('tells by its code what %j is about', async (words, code) => {
    const initdb = await startWith({ initdb: words });
    expect(initdb).toMatchObject({ code, message: expect.stringContaining(words.split('\n')[0] ?? '') });
  });

  it('says what the server said, without the prefix of its log and older words', async () => {
    mkdirSync(join(folder, 'data'), { recursive: true });
    writeFileSync(join(folder, 'data', 'postgres.log'), '2026-01-01 00:00:00.000 UTC [9] FATAL:  of yesterday\n');
    const prefix = '2026-01-02 03:04:05.678 UTC [123] ';
    expect(
      await startWith({
        postgres: `${prefix}LOG:  starting PostgreSQL\n${prefix}FATAL:  could not resize shared memory segment "/PostgreSQL.1" to 1048576 bytes: No space left on device`,
      }),
    ).toEqual({
      code: 'EMBEDDED_POSTGRES_NO_MEMORY',
      message:
        'The embedded PostgreSQL did not start: FATAL:  could not resize shared memory segment "/PostgreSQL.1" to 1048576 bytes: No space left on device',
    });
  });

  it('names a file in the way', async () => {
    writeFileSync(join(folder, 'data'), '');
    expect(await faultOf(startEmbeddedPostgres({ dataDir: join(folder, 'data', 'postgres') }))).toMatchObject({
      code: 'DATA_FOLDER_UNUSABLE',
      message: expect.stringContaining('ENOTDIR'),
    });
  });

  const mounts = process.platform === 'linux' && process.getuid?.() === 0;
  const mount = (options: string): string => {
    const place = join(folder, 'disk');
    mkdirSync(place);
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', place], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return place;
  };
  const onDisk = async (options: string, prepare: (place: string) => void = () => undefined) => {
    const place = mount(options);
    try {
      prepare(place);
      return await faultOf(startEmbeddedPostgres({ dataDir: join(place, 'data'), sync: false }));
    } finally {
      spawnSync('umount', [place]);
    }
  };

  it.skipIf(!mounts)('names a full disk, on which initdb does not get through', async () => {
    const { code, message } = await onDisk('size=8m,mode=755');
    expect([code, message]).toEqual(['DATA_FOLDER_FULL', expect.stringContaining('No space left on device')]);
    expect(existsSync(join(folder, 'disk', 'data', 'cluster'))).toBe(false);
  });

  it.skipIf(!mounts)('names a full disk, on which not even a file can be written', async () => {
    const fill = (place: string): void => {
      mkdirSync(join(place, 'data'));
      spawnSync('sh', ['-c', `cat /dev/zero > ${place}/filler`]);
    };
    const { code, message } = await onDisk('size=1m,mode=755', fill);
    expect([code, message]).toEqual(['DATA_FOLDER_FULL', expect.stringContaining('ENOSPC')]);
  });

  it.skipIf(!mounts)('names a disk that is read only', async () => {
    const { code, message } = await onDisk('ro,mode=755');
    expect([code, message]).toEqual(['DATA_FOLDER_UNUSABLE', expect.stringContaining('EROFS')]);
  });
});

describe('the reason', () => {
  it('is in the decisive lines, else in the last ones', () => {
    expect(reasonIn('ok\nFATAL:  a\nmore\nHINT:  b\n')).toBe('FATAL:  a HINT:  b');
    expect(reasonIn('a\nb\nc\nd')).toBe('b c d');
    expect(reasonIn('')).toBe('');
  });
});
