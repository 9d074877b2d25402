import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { transactionTypeName } from '../../ledger/transaction-type.ts';
import { bodyKinds } from '../../protobuf/testing/body-kinds.fixture.ts';
import { transactionHandlers } from './registry.ts';
import { handle, itemOf } from './testing/handled.fixture.ts';

/** Whether a transaction of the kind is made in some test of the importer. */
const testedNames = (): Set<string> => {
  const folders = ['.', '../contracts'].map((folder) => fileURLToPath(new URL(`${folder}/`, import.meta.url)));
  const names = new Set<string>();
  for (const folder of folders) {
    const files = readdirSync(folder, { encoding: 'utf8', recursive: true });
    for (const file of files.filter((name) => name.endsWith('.test.ts'))) {
      const source = readFileSync(join(folder, file), 'utf8');
      for (const [, name = ''] of source.matchAll(/\$case: '(\w+)'/g)) names.add(name);
    }
  }
  return names;
};

describe('registry of handlers', () => {
  it('has one handler, and a test of it, for each transaction type of HAPI', () => {
    const kinds = bodyKinds();
    expect(kinds.length).toBeGreaterThan(55);
    const tested = testedNames();
    expect(kinds.filter(({ type }) => !transactionHandlers.has(type))).toEqual([]);
    expect(kinds.filter(({ name }) => !tested.has(name))).toEqual([]);
    expect([...transactionHandlers.keys()].sort((left, right) => left - right)).toEqual(
      kinds.map(({ type }) => type).sort((left, right) => left - right),
    );
    for (const type of transactionHandlers.keys()) expect(transactionTypeName(type)).not.toBe('UNKNOWN');
  });

  it('has none for unknown types', () => {
    expect(transactionHandlers.get(0)).toBeUndefined();
    expect(transactionHandlers.get(65)).toBeUndefined();
    expect(transactionHandlers.get(9_999)).toBeUndefined();
  });

  it('leaves a transaction alone whose body cannot be read', () => {
    for (const type of transactionHandlers.keys()) {
      expect(handle({ ...itemOf({}), type })).toMatchObject({ entityId: 0n, all: [], problems: [], transaction: {} });
    }
  });
});
