import { describe, expect, it } from 'vitest';
import { callTaskOf, parseCallBody } from './call-body.ts';
import { ALICE, bytesOf, CONTRACT, parsed, refusalOf } from './testing/call-bodies.fixture.ts';

const refused = (members: object) => refusalOf(() => parsed(members));
const parseText = (text: string) => parseCallBody(bytesOf(text), { skipInitCodeCheck: false });
const initCode = '608060405234801561001057600080fd5b506039600af3';

describe('a request', () => {
  it('has defaults for everything', () => {
    expect(parsed({})).toEqual({
      block: { kind: 'latest' },
      data: '',
      estimate: false,
      from: undefined,
      gas: 15_000_000n,
      isGasGiven: false,
      gasPrice: 0n,
      to: undefined,
      value: 0n,
      stateOverrides: [],
      texts: { block: 'latest', data: '', from: '', to: '' },
    });
  });

  it('is read from hex, numbers and numbers as texts, with members it does not know', () => {
    const members = {
      block: '0x10',
      data: '0X06FDDE03',
      estimate: true,
      from: `0x${ALICE}`,
      gas: '100000',
      gasPrice: 7,
      to: CONTRACT.toUpperCase(),
      value: 5,
      nonce: '0x1',
      type: '2',
      accessList: [{ deep: { deeper: [1] } }],
      blockNumber: 'x',
    };
    expect(parsed(members)).toEqual({
      block: { kind: 'number', number: 16n },
      data: '06fdde03',
      estimate: true,
      from: ALICE,
      gas: 100_000n,
      isGasGiven: true,
      gasPrice: 7n,
      to: CONTRACT,
      value: 5n,
      stateOverrides: [],
      texts: { block: '0x10', data: '0X06FDDE03', from: `0x${ALICE}`, to: CONTRACT.toUpperCase() },
    });
  });

  it.each([
    ['null', { block: null, data: null, from: null, to: null, estimate: null, value: null, gasPrice: null }],
    ['an empty text', { block: '', data: '', to: '', estimate: '', value: '', gasPrice: '' }],
    ['zeros', { data: '0x', to: '0'.repeat(40), value: 0.9, gasPrice: '-0', estimate: 0 }],
  ])('may have %s for most members', (_what, members) => {
    const { block, data, from, to, estimate, value, gasPrice } = parsed(members);
    expect([block, data, from, to, estimate, value, gasPrice]).toEqual([
      { kind: 'latest' },
      '',
      undefined,
      undefined,
      false,
      0n,
      0n,
    ]);
  });

  it.each([
    ['gas', { gas: 21_000.9 }, 'gas', 21_000n],
    ['gas', { gas: ' 21000 ' }, 'gas', 21_000n],
    ['gas', { gas: '9223372036854775807' }, 'gas', 9_223_372_036_854_775_807n],
    ['estimate', { estimate: 'TRUE' }, 'estimate', true],
    ['estimate', { estimate: 'false' }, 'estimate', false],
    ['estimate', { estimate: 3 }, 'estimate', true],
    ['data', { data: 12 }, 'data', '12'],
  ] as const)('takes %s in other forms: %j', (_name, members, member, value) => {
    expect(parsed(members)[member]).toBe(value);
  });

  it('reads exact 64-bit numbers', () => {
    expect(parseText('{"gas":9223372036854775807,"gasPrice":9007199254740993}')).toMatchObject({
      gas: 9_223_372_036_854_775_807n,
      gasPrice: 9_007_199_254_740_993n,
    });
  });

  it.each([
    [{ data: '0xzz' }, ['data field invalid hexadecimal string']],
    [{ data: `${'0'.repeat(10)}x` }, ['data field invalid hexadecimal string']],
    [{ from: '' }, ['from field invalid hexadecimal string']],
    [{ from: ALICE.slice(1) }, ['from field invalid hexadecimal string']],
    [{ from: `0x${ALICE}0` }, ['from field invalid hexadecimal string']],
    [{ to: '0x' }, ['to field invalid hexadecimal string']],
    [{ to: 'g'.repeat(40) }, ['to field invalid hexadecimal string']],
    [{ gas: 20_999 }, ['gas field must be greater than or equal to 21000']],
    [{ gas: null }, ['gas field must be greater than or equal to 21000']],
    [{ gas: '' }, ['gas field must be greater than or equal to 21000']],
    [{ gasPrice: -1 }, ['gasPrice field must be greater than or equal to 0']],
    [{ value: -1, from: ALICE }, ['value field must be greater than or equal to 0']],
    [{ state_overrides: null }, ['stateOverrides field must not be null']],
    [{ value: 1, to: CONTRACT }, ['from field must not be empty']],
    [{ value: 1, to: CONTRACT, from: '' }, ['from field invalid hexadecimal string']],
    [{ value: 1, from: '' }, ['from field invalid hexadecimal string', 'to field must not be empty']],
    [{ from: `0X${ALICE}` }, ['from field invalid hexadecimal string']],
    [{ to: `0X${ALICE}` }, ['to field invalid hexadecimal string']],
    [{ value: 1, from: ALICE }, ['to field must not be empty']],
    [{ value: 1, from: ALICE, to: '', data: '0x1234567890abcdef' }, ['to field must not be empty']],
    [
      { data: 'x', from: 'x', gas: 1, gasPrice: -1, to: 'x', value: -1 },
      [
        'data field invalid hexadecimal string',
        'from field invalid hexadecimal string',
        'gas field must be greater than or equal to 21000',
        'gasPrice field must be greater than or equal to 0',
        'to field invalid hexadecimal string',
        'value field must be greater than or equal to 0',
      ],
    ],
  ])('%j is refused: %j', (members, details) => {
    expect(refused(members)).toEqual(details);
  });

  it('may send value with the code of a new contract, or with any data when the check is off', () => {
    expect(parsed({ value: 1, from: ALICE, data: `0x${initCode}` }).to).toBeUndefined();
    expect(parsed({ value: 1, from: ALICE, data: '0x12' }, true).value).toBe(1n);
    expect(refused({ value: 1, from: ALICE, data: `0x${initCode.replace('39', '00')}` })).toEqual([
      'to field must not be empty',
    ]);
  });

  it.each([
    ['', 'Required request body is missing'],
    ['null', 'Required request body is missing'],
    ['[]', 'JSON parse error: Cannot deserialize the request from something else than an object'],
    ['{"block":1}', 'JSON parse error: Cannot deserialize block as text from Number value'],
    ['{"data":{}}', 'JSON parse error: Cannot deserialize data as text from Object value'],
    ['{"gas":true}', 'JSON parse error: Cannot deserialize gas as a number from Boolean value'],
    ['{"gas":"a"}', 'JSON parse error: Cannot deserialize gas from String "a": not a valid 64-bit integer'],
    [
      '{"gas":9223372036854775808}',
      'JSON parse error: Numeric value (9223372036854775808) of gas out of range of a 64-bit integer',
    ],
    ['{"gas":1e999}', 'JSON parse error: Numeric value (1e999) of gas out of range of a 64-bit integer'],
    ['{"estimate":"maybe"}', 'JSON parse error: Cannot deserialize estimate as true or false from String value'],
    ['{"estimate":1.5}', 'JSON parse error: Cannot deserialize estimate as true or false from Number value'],
    ['{"state_overrides":{}}', 'JSON parse error: Cannot deserialize state_overrides as a list from Object value'],
    ['{"state_overrides":[1]}', 'JSON parse error: Cannot deserialize state_overrides as an object from Number value'],
  ])('of the text %j is refused at once', (text, detail) => {
    expect(refusalOf(() => parseText(text))).toEqual([detail]);
  });
});

describe('a task', () => {
  it('has bytes', () => {
    expect(callTaskOf(parsed({ data: '0x06fdde03', to: CONTRACT }), 15_000_000n)).toEqual({
      block: { kind: 'latest' },
      data: new Uint8Array([6, 0xfd, 0xde, 3]),
      estimate: false,
      from: undefined,
      to: CONTRACT,
      gas: 15_000_000n,
      isGasGiven: false,
      gasPrice: 0n,
      value: 0n,
      stateOverrides: [],
    });
  });

  it.each([
    ['710000000000', 71n],
    ['719999999999', 71n],
    ['10000000000', 1n],
    ['9999999999', 9_999_999_999n],
    ['71', 71n],
    ['0', 0n],
  ])('has a gas price in tinybars, written as %s', (gasPrice, expected) => {
    expect(callTaskOf(parsed({ gasPrice }), 15_000_000n).gasPrice).toBe(expected);
  });

  it('is refused for an odd digit and for too much gas', () => {
    const odd = parsed({ data: '0x123' });
    expect(refusalOf(() => callTaskOf(odd, 15_000_000n))).toEqual(['Odd number of characters.']);
    const greedy = parsed({ gas: 15_000_001 });
    expect(refusalOf(() => callTaskOf(greedy, 15_000_000n))).toEqual([
      'gas field must be less than or equal to 15000000',
    ]);
    expect(callTaskOf(greedy, 15_000_001n).gas).toBe(15_000_001n);
  });
});

describe('state overrides', () => {
  const slot = (digit: string) => digit.repeat(64);

  it('are read', () => {
    const entry = {
      address: `0x${ALICE}`,
      balance: '0xff',
      code: '0x6001',
      nonce: '2',
      state: [{ key: `0x${slot('a')}`, value: slot('B') }],
    };
    const { stateOverrides } = parsed({
      state_overrides: [entry, { address: CONTRACT, state: [], state_diff: [{ key: slot('1'), value: slot('2') }] }],
    });
    expect(stateOverrides).toEqual([
      {
        address: ALICE,
        balance: 255n,
        code: new Uint8Array([0x60, 1]),
        nonce: 2n,
        state: [{ slot: slot('a'), value: slot('b') }],
      },
      { address: CONTRACT, stateDiff: [{ slot: slot('1'), value: slot('2') }] },
    ]);
  });

  it.each([
    [[null], ['stateOverrides[0] field must not be null']],
    [[{}], ['stateOverrides[0].address field must not be null']],
    [[{ address: '0x12' }], ['stateOverrides[0].address field invalid hexadecimal string']],
    [
      [{ address: ALICE, balance: '0x11111111111111111' }],
      ['stateOverrides[0].balance field invalid hexadecimal string'],
    ],
    [[{ address: ALICE, nonce: 'x' }], ['stateOverrides[0].nonce field invalid hexadecimal string']],
    [[{ address: ALICE, code: '0xq' }], ['stateOverrides[0].code field invalid hexadecimal string']],
    [[{ address: ALICE, code: '0x1' }], ['Odd number of characters.']],
    [[{ address: ALICE, state: [null] }], ['stateOverrides[0].state[0] field must not be null']],
    [
      [{ address: ALICE, state_diff: [{ key: '0x1' }] }],
      [
        'stateOverrides[0].stateDiff[0].key field invalid hexadecimal string',
        'stateOverrides[0].stateDiff[0].value field must not be null',
      ],
    ],
    [
      [
        { address: ALICE },
        {
          address: ALICE,
          state: [{ key: slot('1'), value: slot('2') }],
          state_diff: [{ key: slot('1'), value: slot('2') }],
        },
      ],
      ['stateOverrides[1].validStorage field state and state_diff are mutually exclusive'],
    ],
    [
      [{ address: ALICE, state: Array.from({ length: 101 }, () => ({ key: slot('1'), value: slot('2') })) }],
      ['stateOverrides[0].state field size must be between 0 and 100'],
    ],
  ])('%#: faults are named', (entries, details) => {
    expect(refused({ state_overrides: entries })).toEqual(details);
  });
});
