import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import {
  base64,
  derived,
  digits,
  entityId,
  field,
  flag,
  given,
  int64,
  key,
  list,
  listEntries,
  nullable,
  object,
  optional,
  plainFlag,
  puttingGiven,
  relatedList,
  text,
  timestamp,
  timestampRange,
} from './field.ts';
import { extended, resource } from './resource.ts';
import { fieldJson, jsonOf, rowOfTexts, writtenBy } from './testing/cells.fixture.ts';

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.query(`
    create table thing (id bigint, name text, bytes bytea, amount bigint, at bigint, until bigint, flag boolean);
    insert into thing values
      (7, e'a "quoted"\\n\\x1f\\x1e\\\\ text', '\\x00ff', 9223372036854775807, 1234567890000000007, null, true),
      (8, '', '\\x', -1, 5, 6, false),
      (9, null, null, null, null, null, null);
    create table part (thing_id bigint, at bigint, amount bigint);
    insert into part values (7, 1, 10), (7, 2, -20), (9, 3, 30)`);
});
afterAll(() => test?.drop());

const part = listEntries({ at: timestamp('p.at'), amount: int64('p.amount', 'How much.') });

const thing = resource({
  name: 'Thing',
  description: 'A thing.',
  keys: { id: 'p.id', amount: 'p.amount' },
  relatedBy: 'id',
  fields: {
    id: entityId('p.id'),
    amount: nullable(int64('p.amount', 'How much.')),
    digits: digits('p.amount', 'How much, as text.'),
    bytes: base64('p.bytes', 'What it holds.'),
    flag: flag('p.flag'),
    plain_flag: plainFlag('p.flag'),
    name: nullable(text('p.name')),
    both: derived({ one: 'p.id', other: 'p.amount' }, { type: 'string' }, ({ one, other }) => `"${one}/${other}"`),
    timestamp: timestampRange('p.at', 'p.until'),
    parts: relatedList('related_part', 'p.at', part, 'Its parts.'),
  },
});

const page = 'select * from thing';

const read = async (order: 'asc' | 'desc' = 'asc') => {
  await test.database.query('create or replace view related_part as select thing_id as id, at, amount from part');
  return thing.read(test.database, thing.statement(page, `p.id ${order}`), []);
};

describe('resource', () => {
  it('reads rows and writes them exactly', async () => {
    const [first, second, third] = await read();
    expect(thing.json(first as NonNullable<typeof first>)).toBe(
      '{"id":"0.0.7","amount":9223372036854775807,"digits":"9223372036854775807","bytes":"AP8=","flag":true,' +
        '"plain_flag":true,"name":"a \\"quoted\\"\\n\\u001f\\u001e\\\\ text","both":"7/9223372036854775807",' +
        '"timestamp":{"from":"1234567890.000000007","to":null},' +
        '"parts":[{"at":"0.000000001","amount":10},{"at":"0.000000002","amount":-20}]}',
    );
    expect(JSON.parse(thing.json(second as NonNullable<typeof second>))).toMatchObject({
      bytes: '',
      flag: false,
      name: '',
      timestamp: { to: '0.000000006' },
      parts: [],
    });
    expect(JSON.parse(thing.json(third as NonNullable<typeof third>))).toMatchObject({
      amount: null,
      bytes: null,
      flag: null,
      plain_flag: false,
      name: null,
      parts: [{ amount: 30 }],
    });
  });

  it('gives rows in the order asked for, with their keys', async () => {
    expect((await read('desc')).map(({ id, amount }) => [id, amount])).toEqual([
      ['9', ''],
      ['8', '-1'],
      ['7', '9223372036854775807'],
    ]);
  });

  it('gives no rows of an empty page', async () => {
    const none = thing.statement('select * from thing where false', 'p.id');
    expect(await thing.read(test.database, none, [])).toEqual([]);
  });

  it('names the columns that a page has to give', () => {
    expect(thing.columns).toEqual(['id', 'amount', 'bytes', 'flag', 'name', 'at', 'until']);
  });

  it('writes what a variant shows', async () => {
    const [first] = await read();
    const write = thing.members({ omit: ['id', 'parts', 'timestamp', 'name', 'both', 'digits'], blank: ['amount'] });
    expect(jsonOf((out) => write(out, first as NonNullable<typeof first>))).toBe(
      '"amount":null,"bytes":"AP8=","flag":true,"plain_flag":true',
    );
  });

  it('replaces keys wherever they are shown', async () => {
    const [first] = await read();
    const replaced = thing.replace(first as NonNullable<typeof first>, { amount: '3' });
    expect(replaced.amount).toBe('3');
    expect(thing.json(replaced)).toContain('"amount":3,"digits":"3",');
    expect(thing.json(replaced)).toContain('"both":"7/3"');
  });

  it('is documented by its fields', () => {
    expect(thing.schema).toEqual({ $ref: '#/components/schemas/Thing' });
    expect(thing.schemas.Thing).toMatchObject({
      type: 'object',
      description: 'A thing.',
      required: Object.keys(thing.fields),
      properties: { amount: { type: ['integer', 'null'], format: 'int64', description: 'How much.' } },
    });
    const more = extended('MoreThing', thing, { links: { type: 'object' } });
    expect(more.schemas.MoreThing).toMatchObject({ required: [...Object.keys(thing.fields), 'links'] });
  });
});

describe('a field of what is given beside the row', () => {
  const priced = resource<never, { readonly factor: bigint }>({
    name: 'Priced',
    fields: {
      price: given({ amount: 'p.amount' }, {}, ({ amount }, { factor }: { readonly factor: bigint }) =>
        String(BigInt(amount) * factor),
      ),
      within: object({
        bare: puttingGiven<{ readonly factor: bigint }>({}, {}, (out, { factor }) => out.text(`${factor}`)),
      }),
    },
  });

  it('is written from both', () => {
    const row = rowOfTexts(['9223372036854775807']);
    expect(priced.json(row, { factor: 10n })).toBe('{"price":92233720368547758070,"within":{"bare":10}}');
    expect(priced.json(row, { factor: 1n })).toBe('{"price":9223372036854775807,"within":{"bare":1}}');
  });
});

describe('an optional member', () => {
  const shy = (isFirst: boolean) => {
    const whisper = optional(field('p.whisper', { type: 'string' }, (cell) => cell));
    const loud = int64('p.loud', 'Always there.');
    return resource({ name: 'Shy', fields: isFirst ? { whisper, loud } : { loud, whisper } });
  };

  it.each([
    [true, ['"hush"', '1'], '{"whisper":"hush","loud":1}'],
    [true, ['', '1'], '{"loud":1}'],
    [false, ['1', '"hush"'], '{"loud":1,"whisper":"hush"}'],
    [false, ['1', ''], '{"loud":1}'],
  ])('that comes first: %s', (isFirst, cells, json) => {
    expect(shy(isFirst).json(rowOfTexts(cells))).toBe(json);
  });

  it('is not required', () => {
    expect(shy(true).schemas.Shy).toMatchObject({ required: ['loud'] });
  });

  it('cannot stand alone', () => {
    const { whisper } = shy(true).fields;
    const fields = { whisper: whisper as NonNullable<typeof whisper> };
    expect(() => resource({ name: 'Alone', fields })).toThrow('An object needs a member that is always there');
  });
});

describe('a list within a cell', () => {
  it('is written row by row', () => {
    expect(writtenBy(part.put, '')).toBe('[]');
    expect(writtenBy(part.put, '1\x1d10')).toBe('[{"at":"0.000000001","amount":10}]');
    expect(writtenBy(part.put, '1\x1d10\x1d\x1d-20')).toBe(
      '[{"at":"0.000000001","amount":10},{"at":null,"amount":-20}]',
    );
    expect(list('p.parts', part).schema).toMatchObject({ type: 'array', items: { type: 'object' } });
  });

  it('shows keys as they are written', () => {
    expect(fieldJson(key('p.key'), '\\x3200')).toBe('null');
  });
});
