import { expect, it } from 'vitest';
import { loadSettings } from '../load.ts';
import { interfaceRoles, ownPortNames, ownPorts } from './own-ports.ts';
import { roles } from './roles.ts';

it.each(ownPortNames)('reads the port of %s from the setting that is named', (name) => {
  const { setting, port } = ownPorts[name];
  const overrides = [{ path: setting, value: '12345', origin: '--set' }];
  expect(port(loadSettings({ cwd: '/', env: {}, overrides, files: [], readFile: () => undefined }).settings)).toBe(
    12_345,
  );
});

it('names each role that has a port of its own', () => {
  expect(interfaceRoles).toEqual(roles.filter((role) => role !== 'importer' && role !== 'rest'));
});
