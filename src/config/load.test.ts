import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKagamiError } from '../errors/kagami-error.ts';
import { inspectSettings, loadSettings, type SettingOverride, type SettingsInput } from './load.ts';
import { choice, decimal, duration, flag, integer, list, map, secret, text } from './setting.ts';
import { rootSettings } from './settings/root.ts';

interface Given {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly set?: Readonly<Record<string, string>>;
  readonly named?: readonly string[];
}

const input = ({ files = {}, env = {}, set = {}, named = [] }: Given): SettingsInput => ({
  cwd: '/srv',
  env,
  files: named,
  overrides: Object.entries(set).map(([path, value]): SettingOverride => ({ path, value, origin: '--set' })),
  readFile: (path) => files[path],
});

const load = (given: Given) => loadSettings(input(given));
const restOf = (given: Given) => load(given).settings.hiero.mirror.rest;

const problemsOf = (given: Given): string => {
  try {
    load(given);
  } catch (error) {
    if (isKagamiError(error, 'CONFIG_INVALID')) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('layers', () => {
  it('give the defaults when nothing is written', () => {
    const { settings, warnings, files } = load({});
    expect(settings.hiero.mirror.rest.port).toBe(5551);
    expect(settings.hiero.mirror.importer.parser.record.entity.persist.transactionSignatures).toEqual([42, 44]);
    expect(settings.kagami.simulator.blockInterval).toBe(2_000);
    expect(warnings).toEqual([]);
    expect(files).toEqual([]);
  });

  it('rank files below the environment below the command line', () => {
    const files = { '/srv/application.yml': 'hiero: {mirror: {rest: {port: 1001}}}' };
    const env = { HIERO_MIRROR_REST_PORT: '1002' };
    expect(restOf({ files }).port).toBe(1001);
    expect(restOf({ files, env }).port).toBe(1002);
    expect(restOf({ files, env, set: { 'hiero.mirror.rest.port': '1003' } }).port).toBe(1003);
  });

  it('rank the files among themselves', () => {
    const port = (value: number) => `hiero.mirror.rest.port: ${value}`;
    const ranked: [string, string][] = [
      ['/usr/etc/hiero/application.yml', port(1)],
      ['/srv/application.yml', port(2)],
      ['/srv/application.yaml', port(3)],
      ['/srv/config/application.yml', port(4)],
      ['/etc/mirror/application.yml', port(5)],
      ['/extra/application.yaml', port(6)],
      ['/extra/more.yml', port(7)],
      ['/srv/own.yaml', port(8)],
    ];
    const env = {
      CONFIG_PATH: '/etc/mirror',
      SPRING_CONFIG_ADDITIONAL_LOCATION:
        'file:/extra/,optional:file:/extra/more.yml,optional:/missing.yml,classpath:/x/',
    };
    for (let count = 1; count < ranked.length; count++) {
      const files = Object.fromEntries(ranked.slice(0, count));
      expect(restOf({ files, env }).port, ranked[count - 1]?.[0]).toBe(count);
    }
    expect(restOf({ files: Object.fromEntries(ranked), env, named: ['own.yaml'] }).port).toBe(8);
  });

  it('take another file name from CONFIG_NAME', () => {
    const files = { '/srv/application.yml': 'hiero.mirror.rest.port: 1', '/srv/mine.yml': 'hiero.mirror.rest.port: 2' };
    expect(restOf({ files, env: { CONFIG_NAME: 'mine' } }).port).toBe(2);
  });

  it('take one more file from the variable of the Rosetta interface, whose name is no setting', () => {
    const files = {
      '/srv/application.yml': 'hiero.mirror.rosetta: {port: 1, network: first}',
      '/srv/rosetta.yml': 'hiero.mirror.rosetta.network: second',
    };
    const { settings, warnings } = load({ files, env: { HIERO_MIRROR_ROSETTA_API_CONFIG: 'rosetta.yml' } });
    expect(settings.hiero.mirror.rosetta).toMatchObject({ port: 1, network: 'second' });
    expect(warnings).toEqual([]);
    expect(() => load({ env: { HIERO_MIRROR_ROSETTA_API_CONFIG: '/none.yml' } })).toThrow(
      'HIERO_MIRROR_ROSETTA_API_CONFIG names /none.yml, which does not exist',
    );
  });

  it('take nodes of the Rosetta interface from a list of addresses and accounts', () => {
    const env = { HIERO_MIRROR_ROSETTA_NODES: '10.0.0.1:50211:0.0.3,node.example:50212:0.0.4' };
    expect(load({ env }).settings.hiero.mirror.rosetta.nodes).toEqual({
      '10.0.0.1:50211': '0.0.3',
      'node.example:50212': '0.0.4',
    });
  });

  it('refuse a file that was asked for and is not there', () => {
    expect(() => load({ env: { SPRING_CONFIG_ADDITIONAL_LOCATION: '/none.yml' } })).toThrow(
      'SPRING_CONFIG_ADDITIONAL_LOCATION names /none.yml, which does not exist',
    );
    expect(() => load({ named: ['none.yml'] })).toThrow('--config names /srv/none.yml, which does not exist');
  });

  it('tell where each value came from', () => {
    const { origins } = load({
      files: { '/srv/application.yml': '# ours\nhiero:\n  mirror:\n    rest:\n      port: 7\n' },
      env: { KAGAMI_DATAPATH: '/data' },
      set: { 'kagami.log.level': 'debug' },
    });
    expect(Object.fromEntries(origins)).toEqual({
      'hiero.mirror.rest.port': '/srv/application.yml:5',
      'kagami.dataPath': 'environment variable KAGAMI_DATAPATH',
      'kagami.log.level': '--set',
    });
  });
});

describe('names', () => {
  it.each(['maxTimestampRange', 'max-timestamp-range', 'maxtimestamprange', 'MAX_TIMESTAMP_RANGE'])(
    'may be written %s',
    (name) => {
      const files = { '/srv/application.yml': `hiero: {mirror: {rest: {query: {${name}: 3d}}}}` };
      expect(restOf({ files }).query.maxTimestampRange).toBe(3 * 86_400_000);
    },
  );

  it('of the second REST module may be written in both known ways', () => {
    const files = { '/srv/application.yml': 'hiero.mirror.rest-java.fee.refresh-interval: PT5M' };
    expect(load({ files }).settings.hiero.mirror.restJava.fee.refreshInterval).toBe(300_000);
    const env = { HIERO_MIRROR_RESTJAVA_FEE_REFRESHINTERVAL: '1m' };
    expect(load({ env }).settings.hiero.mirror.restJava.fee.refreshInterval).toBe(60_000);
  });

  it('of former days are moved, with one warning each, and lose against new ones of the same layer', () => {
    const { settings, warnings } = load({
      files: {
        '/srv/application.yml':
          'hedera:\n  mirror:\n    rest:\n      port: 7\n      chainId: "0x1"\nhiero.mirror.rest.port: 8\n',
      },
      env: { HEDERA_MIRROR_IMPORTER_NETWORK: 'other' },
    });
    expect(settings.hiero.mirror.rest.port).toBe(8);
    expect(settings.hiero.mirror.rest.chainId).toBe('0x1');
    expect(settings.hiero.mirror.importer.network).toBe('other');
    expect(warnings).toEqual([
      'hedera.mirror.rest.port (/srv/application.yml:4) is an old name: use hiero.mirror.rest.port',
      'hedera.mirror.rest.chainId (/srv/application.yml:5) is an old name: use hiero.mirror.rest.chainId',
      '(environment variable HEDERA_MIRROR_IMPORTER_NETWORK) is an old name: use HIERO_MIRROR_IMPORTER_NETWORK',
    ]);
  });

  it('that are unknown under kagami are faults, in the environment those that are close to a name', () => {
    const refusal = (given: Parameters<typeof load>[0]) => {
      try {
        load(given);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refusal({ env: { KAGAMI_SIMULATOR_TP: '3' } })).toBe(
      'Setting kagami.simulator.tp (environment variable KAGAMI_SIMULATOR_TP): ' +
        'there is no such setting; did you mean kagami.simulator.tps?',
    );
    expect(refusal({ files: { '/srv/application.yml': 'kagami:\n  rolls: rest\n' } })).toBe(
      'Setting kagami.rolls (/srv/application.yml:2): there is no such setting; did you mean kagami.roles?',
    );
    expect(refusal({ files: { '/srv/application.yml': 'kagami:\n  zebra: 1\n' } })).toBe(
      'Setting kagami.zebra (/srv/application.yml:2): there is no such setting',
    );
    expect(refusal({ env: { KAGAMI_ZEBRA: '1' } })).toBeUndefined();
  });

  it.each([
    [{ KAGAMI_ROLES: 'importer,rst' }, 'must be one of importer, rest, grpc, rosetta; did you mean rest?'],
    [{ KAGAMI_LOG_LEVEL: 'warning' }, 'fatal; did you mean warn?'],
    [{ KAGAMI_LOG_FORMAT: 'jsno' }, 'must be one of auto, text, json; did you mean json?'],
    [{ KAGAMI_SOURCE_KIND: 'buckets' }, 'did you mean bucket?'],
    [{ HIERO_MIRROR_IMPORTER_NETWORK: 'mainet' }, 'did you mean mainnet?'],
    [{ HIERO_MIRROR_IMPORTER_DB_SSLMODE: 'requre' }, 'did you mean REQUIRE?'],
  ])('slips in %j are refused with what was meant', (env, message) => {
    expect(() => load({ env })).toThrow(message);
  });

  it('that are unknown are reported, with a suggestion when one is near', () => {
    const { warnings } = load({
      files: { '/srv/application.yml': 'hiero:\n  mirror:\n    rest:\n      prot: 7\nserver.port: 3\n' },
      env: { HIERO_MIRROR_REST_ZEBRACROSSING: '1', KAGAMI_TEST_DATABASE_URL: 'postgres://x' },
    });
    expect(warnings).toEqual([
      'hiero.mirror.rest.prot (/srv/application.yml:4) is not a setting of Kagami and has no effect; did you mean hiero.mirror.rest.port?',
      'hiero.mirror.rest.zebracrossing (environment variable HIERO_MIRROR_REST_ZEBRACROSSING) is not a setting of Kagami and has no effect',
      'kagami.test.database.url (environment variable KAGAMI_TEST_DATABASE_URL) is not a setting of Kagami and has no effect; did you mean kagami.database.url?',
    ]);
  });

  it('of modules that are not there give one warning for each module', () => {
    const { warnings } = load({ files: { '/srv/application.yml': 'hiero.mirror.monitor:\n  a: 1\n  b: {c: 2}\n' } });
    expect(warnings).toEqual([
      'hiero.mirror.monitor (/srv/application.yml:2): 2 settings without effect, this version has no such module',
    ]);
  });

  it('that are unknown on the command line are refused', () => {
    expect(problemsOf({ set: { 'hiero.mirror.rest.prot': '1' } })).toBe(
      'Setting hiero.mirror.rest.prot (--set): there is no such setting; did you mean hiero.mirror.rest.port?',
    );
  });

  it('that Kubernetes sets for services are left alone', () => {
    const env = {
      KAGAMI_SERVICE_HOST: '10.0.0.1',
      KAGAMI_PORT: 'tcp://10.0.0.1:5551',
      KAGAMI_PORT_5551_TCP_ADDR: '10.0.0.1',
      HIERO_MIRROR_REST_PORT: 'tcp://10.0.0.1:5551',
    };
    const { settings, warnings } = load({ env });
    expect(warnings).toEqual([]);
    expect(settings.hiero.mirror.rest.port).toBe(5551);
  });
});

describe('values', () => {
  const tree = {
    kagami: {
      count: integer(1, 'c', { min: 0, max: 10 }),
      ratio: decimal(0.5, 'r', { min: 0, max: 1 }),
      on: flag(false, 'o'),
      pause: duration(100, 'p'),
      kind: choice('ONE_WAY', ['ONE_WAY', 'TWO_WAYS'], 'k'),
      word: secret('', 'w'),
      numbers: list(integer(0, 'n', { min: 0 }), [1, 2], 'ns'),
      headers: map({ a: '1' }, 'h'),
      nodes: list({ host: text('localhost', 'h'), port: integer(1, 'p') }, [], 'ns'),
    },
  };
  const inspect = (given: Given) => {
    const { settings, problems } = inspectSettings(tree, input(given));
    return { ...settings.kagami, problems: problems.map(({ setting, message }) => `${setting}: ${message}`) };
  };
  const yaml = (body: string) => inspect({ files: { '/srv/application.yml': `kagami: ${body}` } });

  it('of every kind are read', () => {
    const read = yaml('{count: 7, ratio: .25, on: yes, pause: 2s, kind: two-ways, word: "007", numbers: [3, 4]}');
    expect(read).toMatchObject({ count: 7, ratio: 0.25, on: true, pause: 2000, kind: 'TWO_WAYS', word: '007' });
    expect(read.numbers).toEqual([3, 4]);
    expect(read.problems).toEqual([]);
  });

  it('keep their text exactly as written', () => {
    expect(yaml('{word: 0123}').word).toBe('0123');
    expect(yaml('{word: 12345678901234567890}').word).toBe('12345678901234567890');
    expect(yaml('{word: 1e3}').word).toBe('1e3');
  });

  it('that do not fit are reported all at once, naming what is allowed, and the defaults stay', () => {
    const read = yaml('{count: 11, ratio: x, on: maybe, pause: 1w, kind: THREE, numbers: [1, -2], nodes: 5}');
    expect(read.problems).toEqual([
      'kagami.count: "11" is not allowed: must be a whole number from 0 to 10',
      'kagami.ratio: "x" is not allowed: must be a number from 0 to 1',
      'kagami.on: "maybe" is not allowed: must be true or false',
      'kagami.pause: "1w" is not allowed: must be a duration such as 500ms, 10s, 5m, 2h, 7d or PT10S',
      'kagami.kind: "THREE" is not allowed: must be one of ONE_WAY, TWO_WAYS',
      'kagami.numbers[1]: "-2" is not allowed: must be a whole number of at least 0',
      'kagami.nodes: must be a list of groups: number the items ([0], [1]) or write JSON',
    ]);
    expect(read).toMatchObject({ count: 1, ratio: 0.5, on: false, pause: 100, kind: 'ONE_WAY', numbers: [1, 2] });
  });

  it('that are empty mean the default, except for texts', () => {
    expect(inspect({ env: { KAGAMI_COUNT: '', KAGAMI_NUMBERS: '', KAGAMI_KIND: ' ' } })).toMatchObject({
      count: 1,
      kind: 'ONE_WAY',
      numbers: [],
      problems: [],
    });
  });

  it('of lists come from sequences, commas, JSON and numbered variables', () => {
    expect(inspect({ env: { KAGAMI_NUMBERS: '5, 6' } }).numbers).toEqual([5, 6]);
    expect(inspect({ env: { KAGAMI_NUMBERS: '[7,8]' } }).numbers).toEqual([7, 8]);
    expect(inspect({ env: { KAGAMI_NODES: '[{"host":"a","port":5}]' } }).nodes).toEqual([{ host: 'a', port: 5 }]);
    expect(inspect({ env: { KAGAMI_NODES_0_HOST: 'a', KAGAMI_NODES_1_PORT: '5' } }).nodes).toEqual([
      { host: 'a', port: 1 },
      { host: 'localhost', port: 5 },
    ]);
    expect(inspect({ env: { KAGAMI_NODES_1_HOST: 'a' } }).problems).toEqual([
      'kagami.nodes: items of a list are numbered 0, 1, 2, ...: expected [0], found [1]',
    ]);
  });

  it('of single items are laid over a list from a file, while a sequence replaces it', () => {
    const files = {
      '/srv/application.yml': 'kagami:\n  nodes:\n    - {host: a, port: 1}\n    - {host: b, port: 2}\n',
    };
    expect(inspect({ files, env: { KAGAMI_NODES_1_PORT: '9' } }).nodes).toEqual([
      { host: 'a', port: 1 },
      { host: 'b', port: 9 },
    ]);
    const over = { ...files, '/srv/config/application.yml': 'kagami: {nodes: [{host: c}]}' };
    expect(inspect({ files: over }).nodes).toEqual([{ host: 'c', port: 1 }]);
  });

  it('of maps come from groups, pairs and JSON, over the default', () => {
    expect(yaml('{headers: {x-y: 2}}').headers).toEqual({ a: '1', 'x-y': '2' });
    expect(inspect({ env: { KAGAMI_HEADERS: 'b=2,c=3' } }).headers).toEqual({ a: '1', b: '2', c: '3' });
    expect(inspect({ env: { KAGAMI_HEADERS: '{"a":"9"}' } }).headers).toEqual({ a: '9' });
    expect(inspect({ env: { KAGAMI_HEADERS_CACHE_CONTROL: 'no' } }).headers).toEqual({ a: '1', 'cache-control': 'no' });
  });

  it('follow placeholders to variables, settings and defaults', () => {
    const files = {
      '/srv/application.yml': `kagami: {word: '\${PASSWORD}-\${NONE:x\${ALSO_NONE:y}}', count: '\${kagami.other:\${kagami.pause}}', pause: 9}`,
    };
    const read = inspect({ files, env: { PASSWORD: 'p' } });
    expect(read.word).toBe('p-xy');
    expect(read.count).toBe(9);
  });

  it('with placeholders that lead nowhere are reported', () => {
    expect(yaml(`{word: '\${NONE}'}`).problems).toEqual([
      `kagami.word: placeholder \${NONE} has neither a value nor a default (\${NONE:default})`,
    ]);
    expect(yaml(`{word: '\${kagami.word}'}`).problems).toEqual([
      `kagami.word: placeholder \${kagami.word} refers to itself`,
    ]);
  });

  it('follow YAML anchors and merges', () => {
    const read = yaml('{nodes: [&a {host: a, port: 4}, {<<: *a, port: 5}, *a]}');
    expect(read.nodes).toEqual([
      { host: 'a', port: 4 },
      { host: 'a', port: 5 },
      { host: 'a', port: 4 },
    ]);
  });

  it('of documents bound to a profile are left out', () => {
    const files = {
      '/srv/application.yml':
        'kagami.count: 2\n---\nspring.config.activate.on-profile: x\nkagami.count: 3\n---\nkagami.ratio: 0\n',
    };
    expect(inspect({ files })).toMatchObject({ count: 2, ratio: 0 });
  });

  it('cannot be told apart by the way they arrive', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 }), fc.maxSafeNat(), fc.boolean(), (count, pause, on) => {
        const fromFile = yaml(`{count: ${count}, pause: ${pause}ms, on: ${on}}`);
        const env = { KAGAMI_COUNT: `${count}`, kagami_pause: `${pause}ms`, Kagami_On: `${on}` };
        expect(inspect({ env })).toEqual(fromFile);
        expect(fromFile).toMatchObject({ count, pause, on, problems: [] });
      }),
    );
  });
});

describe('broken files', () => {
  it('are refused with file, line and column', () => {
    expect(() => load({ files: { '/srv/application.yml': 'hiero:\n  mirror: {rest: [\n' } })).toThrow(
      /^\/srv\/application\.yml:\d+:\d+: /,
    );
  });

  it('that hold nothing or something else are no fault', () => {
    expect(load({ files: { '/srv/application.yml': '' } }).warnings).toEqual([]);
    expect(load({ files: { '/srv/application.yml': '# nothing\n' } }).warnings).toEqual([]);
    expect(load({ files: { '/srv/application.yml': '- 1\n- 2\n' } }).settings.kagami.dataPath).toBe('.kagami');
  });
});

describe('secrets', () => {
  it('are never part of a message', () => {
    const canary = 'hunter2-canary';
    const env: Record<string, string> = { HIERO_MIRROR_REST_DB_PASSWORD: canary, KAGAMI_DATABASE_URL: canary };
    const found = inspectSettings(rootSettings, input({ env: { ...env, HIERO_MIRROR_REST_PORT: 'x' } }));
    expect(found.settings.hiero.mirror.rest.db.password).toBe(canary);
    expect(JSON.stringify([found.problems, found.warnings, [...found.origins]])).not.toContain(canary);
  });
});
