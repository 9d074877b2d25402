import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Layers, lowest first. A module may import itself and modules of lower layers, never another module of its own layer. */
const layers: readonly (readonly string[])[] = [
  ['errors'],
  ['protobuf', 'config', 'curves', 'runtime'],
  ['ledger'],
  ['database', 'streams'],
  ['blocks'],
  ['sources', 'api', 'simulator'],
  ['importer', 'rest', 'fees', 'evm', 'verification', 'grpc', 'rosetta'],
  ['node'],
  ['server'],
  ['cli'],
];

const LONGEST_FILE = 400;

const source = fileURLToPath(new URL('.', import.meta.url));
const files = globSync('*/**/*.ts', { cwd: source, exclude: (name) => name === 'generated' }).map((path) => ({
  path: normalize(path).replaceAll('\\', '/'),
  text: readFileSync(join(source, path), 'utf8'),
}));

const moduleOf = (path: string): string => path.split('/')[0] ?? '';
const layerOf = (module: string): number => layers.findIndex((modules) => modules.includes(module));
const isTest = (path: string): boolean => /\.(test|fixture)\.ts$/.test(path) || path.includes('/testing/');

/** Specifiers of static imports, re-exports and dynamic imports. */
const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:^|[\s;}])(?:from|import)\s*\(?\s*(['"])([^'"\n]+)\1/g)].map((match) => match[2] ?? '');

/** Why a file may not import a specifier; undefined when it may. */
const faultOf = (path: string, specifier: string): string | undefined => {
  if (!specifier.startsWith('.')) return undefined;
  const target = normalize(join(dirname(path), specifier)).replaceAll('\\', '/');
  const from = moduleOf(path);
  const to = moduleOf(target);
  if (target.startsWith('..')) return `${path} imports ${specifier} from outside src`;
  if (from === to) return undefined;
  if (layerOf(to) < 0) return `${path} imports ${specifier} from a module without a layer`;
  if (layerOf(to) < layerOf(from)) return undefined;
  return layerOf(to) === layerOf(from)
    ? `${path} imports ${specifier} from another module of its own layer`
    : `${path} imports ${specifier} from a higher layer`;
};

/** Groups of files that import each other in a circle (Tarjan's strongly connected components), each sorted by path. */
const circlesIn = (imports: ReadonlyMap<string, readonly string[]>): string[][] => {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    open.push(file);
    let low = own;
    for (const target of imports.get(file) ?? []) {
      const seen = order.get(target);
      if (seen === undefined && imports.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target)) low = Math.min(low, lowest.get(target) ?? seen ?? low);
      lowest.set(file, low);
    }
    if (low === own) {
      const group = open.splice(open.indexOf(file));
      if (group.length > 1) found.push(group.sort());
    }
    return low;
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return found;
};

describe('the source', () => {
  it('has its files in modules of a layer', () => {
    expect(files.length).toBeGreaterThan(50);
    const outside = files.map(({ path }) => path).filter((path) => layerOf(moduleOf(path)) < 0);
    expect(outside).toEqual([]);
  });

  it('has imports that point down only', () => {
    const seen = files.flatMap(({ path, text }) => importsOf(text).map((specifier) => ({ path, specifier })));
    expect(seen.length).toBeGreaterThan(200);
    expect(seen.map(({ path, specifier }) => faultOf(path, specifier)).filter(Boolean)).toEqual([]);
  });

  it('has no files that import each other in a circle, types included', () => {
    const imports = files.map(({ path, text }): [string, string[]] => [
      path,
      importsOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => normalize(join(dirname(path), specifier)).replaceAll('\\', '/')),
    ]);
    expect(circlesIn(new Map(imports))).toEqual([]);
  });

  it('notices circles', () => {
    const imports = { a: ['b', 'x'], b: ['c'], c: ['d', 'a'], d: ['e'], e: ['d'], f: ['a', 'f'] };
    expect(circlesIn(new Map(Object.entries(imports)))).toEqual([
      ['d', 'e'],
      ['a', 'b', 'c'],
    ]);
  });

  it('notices imports that do not', () => {
    expect(
      importsOf(`import type { A } from './a.ts';\nconst b = await import("../b.ts");\nexport * from '../c.ts';`),
    ).toEqual(['./a.ts', '../b.ts', '../c.ts']);
    expect(faultOf('rest/blocks.ts', '../server/start.ts')).toBe(
      'rest/blocks.ts imports ../server/start.ts from a higher layer',
    );
    expect(faultOf('rest/a/blocks.ts', '../../importer/x.ts')).toMatch(/another module of its own layer/);
    expect(faultOf('rest/blocks.ts', '../../bench/x.ts')).toMatch(/outside/);
    expect(faultOf('rest/blocks.ts', '../api/route.ts')).toBeUndefined();
    expect(faultOf('rest/blocks.ts', './route.ts')).toBeUndefined();
  });

  it('has relative imports with the suffix that Node needs', () => {
    const faults = files.flatMap(({ path, text }) =>
      importsOf(text)
        .filter((specifier) => specifier.startsWith('.') && !/\.(ts|json)$/.test(specifier))
        .map((specifier) => `${path}: ${specifier}`),
    );
    expect(faults).toEqual([]);
  });

  it('names no TypeScript file in a URL, since the compiler does not rewrite those', () => {
    const faults = files.filter(({ path, text }) => !isTest(path) && /new URL\(\s*['"][^'"]*\.ts['"]/.test(text));
    expect(faults.map(({ path }) => path)).toEqual([]);
  });

  it('has no tests in the code of the product', () => {
    const faults = files
      .filter(({ path }) => !isTest(path))
      .filter(({ text }) => importsOf(text).some((specifier) => isTest(specifier) || specifier === 'vitest'));
    expect(faults.map(({ path }) => path)).toEqual([]);
  });

  it('has one subject per file', () => {
    const tooLong = files
      .filter(({ path }) => !isTest(path))
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > LONGEST_FILE);
    expect(tooLong).toEqual([]);
  });

  it('has no files that gather what belongs elsewhere', () => {
    const gatherers = new Set(['index.ts', 'utils.ts', 'util.ts', 'helpers.ts', 'misc.ts', 'common.ts']);
    const allowed = new Set(['config/settings/common.ts']); // the module is called `hiero.mirror.common`
    const faults = files.map(({ path }) => path).filter((path) => gatherers.has(basename(path)) && !allowed.has(path));
    expect(faults).toEqual([]);
  });
});

describe('docs/coverage.md', () => {
  const root = resolve(import.meta.dirname, '..');
  const table = readFileSync(join(root, 'docs/coverage.md'), 'utf8');

  it('names files that are there', () => {
    const named = new Set(
      [...table.matchAll(/`([a-z0-9_.*-]+(?:\/[a-z0-9_.*-]+)*\/?)`/g)].map(([, path]) => path as string),
    );
    const files = [...named].filter((path) => path.includes('/') && /(?:\.(?:ts|sql|json)|\/)$/.test(path));
    expect(files.length).toBeGreaterThan(100);
    const missing = files.filter((path) => globSync([join(root, 'src', path), join(root, path)]).length === 0);
    expect(missing).toEqual([]);
  });
});
