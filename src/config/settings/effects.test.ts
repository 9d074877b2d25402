import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isSetting, type Setting, type SettingGroup } from '../setting.ts';
import { rootSettings } from './root.ts';

const sourceFolder = fileURLToPath(new URL('../../', import.meta.url));

const code = globSync('**/*.ts', { cwd: sourceFolder })
  .filter((file) => !file.startsWith('config/') && !file.endsWith('.test.ts') && !file.includes('/testing/'))
  .map((file) => readFileSync(`${sourceFolder}${file}`, 'utf8'))
  .join('\n');
const words = new Set(code.match(/\w+/g));

function* settingsOf(group: SettingGroup, path: readonly string[] = []): Generator<[string, Setting<unknown>]> {
  for (const [name, node] of Object.entries(group)) {
    if (isSetting(node)) yield [[...path, name].join('.'), node];
    else yield* settingsOf(node, [...path, name]);
  }
}

/** One value only, which is how things are: nobody needs to read it. */
const hasOneValue = ({ choices }: Setting<unknown>): boolean => choices?.length === 1;

it('each setting is read somewhere, or says why it has no effect', () => {
  const unread = [...settingsOf(rootSettings)].filter(
    ([path, setting]) =>
      !words.has(path.split('.').at(-1) ?? '') &&
      !setting.description.startsWith('Without effect: ') &&
      !hasOneValue(setting),
  );
  expect(unread.map(([path]) => path)).toEqual([]);
});
