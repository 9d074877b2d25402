import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const tools = join(root, 'node_modules', '.bin');

it('codecs and interface descriptions are current (run `npm run generate` when this fails)', () => {
  const { generate } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts as { generate: string };
  const described = /-o (\S+)#/.exec(generate)?.[1] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'kagami-generated-'));
  try {
    const run = (...parameters: readonly string[]): void => {
      const env = { ...process.env, PATH: `${tools}${delimiter}${process.env.PATH}` };
      execFileSync(join(tools, 'buf'), parameters, { cwd: root, env });
    };
    mkdirSync(join(folder, 'src', 'grpc'), { recursive: true });
    run('generate', '-o', folder);
    const proto = ['mirror', 'grpc'].flatMap((name) => ['--path', `src/protobuf/proto/${name}`]);
    run('build', ...proto, '-o', `${join(folder, described)}#format=binpb`);
    const differing = ['src/protobuf/generated/**/*.ts', described].flatMap((pattern) => {
      const paths = new Set([...globSync(pattern, { cwd: root }), ...globSync(pattern, { cwd: folder })]);
      return [...paths].filter((path) => contentOf(root, path) !== contentOf(folder, path));
    });
    expect(globSync('src/protobuf/generated/**/*.ts', { cwd: folder }).length).toBeGreaterThan(50);
    expect(differing).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);

/** Base64, as descriptions are no text; undefined of a file that isn't there. */
const contentOf = (folder: string, path: string): string | undefined => {
  try {
    return readFileSync(join(folder, path), 'base64');
  } catch {
    return undefined;
  }
};
