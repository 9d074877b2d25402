import { describe, expect, it } from 'vitest';
import {
  booleanParameter,
  limitParameter,
  nonceParameter,
  orderParameter,
  timestampParameter,
} from './parameter-checks.ts';
import { HttpProblem } from './problem.ts';
import { acceptInOrder, acceptSorted, groupQuery, invalidUsage } from './query.ts';
import type { RawQuery } from './route.ts';

const accepted = {
  limit: limitParameter,
  order: orderParameter,
  timestamp: timestampParameter,
  scheduled: booleanParameter,
};
const eight = { maxRepeatedQueryParameters: 8 };

const messagesOf = (run: () => unknown): string[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 400) return error.messages.map(({ message }) => message);
    throw error;
  }
  throw new Error('not refused');
};

const sorted = (query: RawQuery) => acceptSorted(groupQuery(query), accepted, eight);
const inOrder = (query: RawQuery) => acceptInOrder(groupQuery(query), accepted, eight);

describe('groupQuery', () => {
  it('takes keys that every object has for not given', () => {
    const grouped = groupQuery([
      ['constructor', '1'],
      ['__proto__', '2'],
      ['limit[toString]', '3'],
      ['hasOwnProperty[a]', '4'],
      ['Constructor', '5'],
      ['limit', '6'],
    ]);
    expect([...grouped]).toEqual([
      ['constructor', ['5']],
      ['limit', ['6']],
    ]);
  });

  it('joins keys of different letter case and keeps the order of first occurrences', () => {
    const grouped = groupQuery([
      ['Timestamp', 'gt:1'],
      ['limit', '5'],
      ['timestamp', 'lt:9'],
    ]);
    expect([...grouped]).toEqual([
      ['timestamp', ['gt:1', 'lt:9']],
      ['limit', ['5']],
    ]);
  });

  it('lowers the values of order and result only', () => {
    const grouped = groupQuery([
      ['ORDER', 'ASC'],
      ['result', 'SucCess'],
      ['name', 'AbC'],
    ]);
    expect([...grouped.values()]).toEqual([['asc'], ['success'], ['AbC']]);
  });

  it('takes list brackets for repeats and any other for a value nobody takes', () => {
    const grouped = groupQuery([
      ['limit[]', '1'],
      ['limit[0]', '2'],
      ['limit[a]', '3'],
    ]);
    expect([...grouped]).toEqual([['limit', ['1', '2', undefined]]]);
    expect(messagesOf(() => sorted([['limit[a]', '1']]))).toEqual(['Invalid parameter: limit']);
  });
});

describe('accepted filters', () => {
  it('splits operator and value', () => {
    expect(
      sorted([
        ['timestamp', 'gte:1.5'],
        ['timestamp', '7'],
      ]),
    ).toEqual([
      { key: 'timestamp', operator: 'gte', value: '1.5' },
      { key: 'timestamp', operator: 'eq', value: '7' },
    ]);
  });

  it('ignores what comes before the last operator, but only where parameters are sorted', () => {
    expect(sorted([['limit', 'x:gt:1']])).toEqual([{ key: 'limit', operator: 'gt', value: '1' }]);
    expect(messagesOf(() => inOrder([['limit', 'x:gt:1']]))).toEqual(['Invalid parameter: limit']);
  });

  it.each([':1', 'GT:1', 'foo:1', 'gt:', '', '-1', '0', '9223372036854775808', '1_0'])('refuses limit %j', (value) => {
    expect(messagesOf(() => sorted([['limit', value]]))).toEqual(['Invalid parameter: limit']);
    expect(messagesOf(() => inOrder([['limit', value]]))).toEqual(['Invalid parameter: limit']);
  });

  it('takes the largest int8 as limit', () => {
    expect(sorted([['limit', '9223372036854775807']])).toHaveLength(1);
  });

  it.each(['ne:true', 'lte:true', '1', ''])('refuses scheduled %j', (value) => {
    expect(messagesOf(() => sorted([['scheduled', value]]))).toEqual(['Invalid parameter: scheduled']);
  });

  it.each(['-1', '2147483648', 'x', 'lt:10'])('refuses nonce %j', (value) => {
    expect(messagesOf(() => acceptSorted(groupQuery([['nonce', value]]), { nonce: nonceParameter }, eight))).toEqual([
      'Invalid parameter: nonce',
    ]);
  });

  it('knows no parameter by the name of an object member', () => {
    expect(sorted([['constructor', '1']])).toEqual([]);
    expect(messagesOf(() => sorted([['Constructor', '1']]))).toEqual(['Unknown query parameter: constructor']);
  });
});

describe('order of refusals', () => {
  const query: RawQuery = [
    ['index', '2'],
    ['order', 'any'],
    ['timestamp', 'x'],
    ['index', '3'],
    ['timestamp', 'y'],
  ];

  it('puts unknown parameters last, each occurrence, when sorted', () => {
    expect(messagesOf(() => sorted(query))).toEqual([
      'Invalid parameter: order',
      'Invalid parameter: timestamp',
      'Invalid parameter: timestamp',
      'Unknown query parameter: index',
      'Unknown query parameter: index',
    ]);
  });

  it('follows the query and names unknown ones once otherwise', () => {
    expect(messagesOf(() => inOrder(query))).toEqual([
      'Unknown query parameter: index',
      'Invalid parameter: order',
      'Invalid parameter: timestamp',
      'Invalid parameter: timestamp',
    ]);
  });

  it('refuses more repeats than allowed without looking at the values', () => {
    const nine: RawQuery = Array.from({ length: 9 }, (_, i) => [i % 2 === 0 ? 'timestamp' : 'Timestamp', `${i}`]);
    const message = 'Parameter values count exceeds maximum number allowed: timestamp count: 9 max: 8';
    expect(messagesOf(() => sorted([...nine, ['limit', 'x']]))).toEqual([message, 'Invalid parameter: limit']);
    expect(messagesOf(() => inOrder([['limit', 'x'], ...nine]))).toEqual(['Invalid parameter: limit', message]);
    expect(sorted(nine.slice(1))).toHaveLength(8);
  });

  it('names combinations that make no sense', () => {
    expect(invalidUsage('block.hash', 'cannot combine block.number and block.hash').messages).toEqual([
      { message: 'Invalid parameter usage: block.hash - cannot combine block.number and block.hash' },
    ]);
  });
});
