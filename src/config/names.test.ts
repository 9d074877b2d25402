import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathOfVariable } from './environment-layer.ts';
import { canonicalName, environmentName, joinPath, settingsUnder, splitPath, suggestPath } from './names.ts';
import { rootSettings } from './settings/root.ts';

const declared = [...settingsUnder(rootSettings)].map(({ path }) => [...path]);

describe('paths', () => {
  it('splits dots and brackets', () => {
    expect(splitPath('hiero.mirror.rest.users[0].username')).toEqual([
      'hiero',
      'mirror',
      'rest',
      'users',
      '0',
      'username',
    ]);
    expect(splitPath('headers[x.y].z')).toEqual(['headers', 'x.y', 'z']);
    expect(splitPath('')).toEqual([]);
  });

  it('joins items of lists in brackets', () => {
    expect(joinPath(['rest', 'users', '0', 'limit'])).toBe('rest.users[0].limit');
  });

  it('splits what it joins', () => {
    const name = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9-]{0,10}$/);
    const segment = fc.oneof(name, fc.nat(99).map(String));
    fc.assert(
      fc.property(name, fc.array(segment), (first, rest) => {
        expect(splitPath(joinPath([first, ...rest]))).toEqual([first, ...rest]);
      }),
    );
  });
});

describe('environment names', () => {
  it('follow the reference', () => {
    expect(environmentName(['hiero', 'mirror', 'rest', 'response', 'limit', 'max'])).toBe(
      'HIERO_MIRROR_REST_RESPONSE_LIMIT_MAX',
    );
  });

  it('lead back to their setting, in any case', () => {
    expect(declared.length).toBeGreaterThan(50);
    fc.assert(
      fc.property(fc.constantFrom(...declared), fc.boolean(), (path, lower) => {
        const name = environmentName(path);
        expect(pathOfVariable(rootSettings, lower ? name.toLowerCase() : name)).toEqual(path);
      }),
      { numRuns: 500 },
    );
  });

  it('lead back to items of lists', () => {
    expect(pathOfVariable(rootSettings, 'HIERO_MIRROR_REST_USERS_2_USERNAME')).toEqual([
      ...['hiero', 'mirror', 'rest', 'users'],
      '2',
      'username',
    ]);
    expect(pathOfVariable(rootSettings, 'KAGAMI_SERVER_ADDITIONALPORTS_0')).toEqual([
      ...['kagami', 'server', 'additionalPorts'],
      '0',
    ]);
  });

  it('accept an underscore inside a name', () => {
    expect(pathOfVariable(rootSettings, 'HIERO_MIRROR_IMPORTER_CONSENSUS_MODE')).toEqual([
      'hiero',
      'mirror',
      'importer',
      'consensusMode',
    ]);
    expect(pathOfVariable(rootSettings, 'HIERO_MIRROR_REST_JAVA_DB_HOST')?.slice(2)).toEqual([
      'restJava',
      'db',
      'host',
    ]);
  });

  it('are distinct and have no two spellings among the declared settings', () => {
    const names = declared.map((path) => canonicalName(path.join('_')));
    expect(new Set(names).size).toBe(names.length);
  });

  it('need one of our prefixes', () => {
    expect(pathOfVariable(rootSettings, 'PATH')).toBeUndefined();
    expect(pathOfVariable(rootSettings, 'HIERO_NETWORK')).toBeUndefined();
    expect(pathOfVariable(rootSettings, 'KAGAMI')).toBeUndefined();
  });
});

describe('suggestPath', () => {
  it.each([
    ['hiero.mirror.rest.prot', 'hiero.mirror.rest.port'],
    ['hiero.mirror.importer.netwrok', 'hiero.mirror.importer.network'],
    [
      'hiero.mirror.importer.parser.record.entity.persist.transactionByte',
      'hiero.mirror.importer.parser.record.entity.persist.transactionBytes',
    ],
    ['hiero.mirror.importer.consensusRatio', 'hiero.mirror.importer.downloader.consensusRatio'],
    ['kagami.simulator.tp', 'kagami.simulator.tps'],
  ])('for %s is %s', (written, meant) => {
    expect(suggestPath(rootSettings, splitPath(written))).toBe(meant);
  });

  it('is silent when nothing is near', () => {
    expect(suggestPath(rootSettings, splitPath('hiero.mirror.rest.zebraCrossing'))).toBeUndefined();
  });
});
