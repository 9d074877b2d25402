import { describe, expect, it } from 'vitest';
import { HttpProblem } from '../../api/problem.ts';
import { type Web3Changes, web3SettingsWith } from '../workers/testing/web3-settings.fixture.ts';
import type { CallRequest } from './call-body.ts';
import type { RequestRule } from './request-filter.ts';
import { ALICE, CONTRACT, parsed } from './testing/call-bodies.fixture.ts';
import { CallThrottle, type ThrottleReason } from './throttle.ts';

const PATH = '/api/v1/contracts/call';

const throttleWith = (changes: Web3Changes['throttle'] = {}) => {
  const clock = { ms: 0 };
  const dice = { next: 0 };
  const logged: CallRequest[] = [];
  const refused: ThrottleReason[] = [];
  const throttle = new CallThrottle({
    settings: web3SettingsWith({ throttle: changes }).throttle,
    now: () => clock.ms,
    random: () => dice.next,
    events: { onLogged: (request) => logged.push(request), onRefused: (reason) => refused.push(reason) },
  });
  /** What a request is told; undefined: it may go on. */
  const told = (members: object = {}): string | undefined => {
    try {
      throttle.admit(parsed(members), PATH);
      return undefined;
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error;
      expect(error.status).toBe(429);
      expect(error.headers).toEqual({ 'retry-after': '1' });
      expect(error.messages[0]?.message).toBe('Too Many Requests');
      return error.messages[0]?.detail;
    }
  };
  return { throttle, clock, dice, logged, refused, told };
};

const rule = (changes: Partial<RequestRule>): RequestRule => ({
  action: 'REJECT',
  filters: [],
  limit: 9_223_372_036_854_775_807n,
  location: '',
  rate: 100,
  ...changes,
});

const RATE = 'Requests per second rate limit exceeded';
const GAS = 'Gas per second rate limit exceeded.';

describe('the limit of requests per second', () => {
  it('lets a burst of a second through and fills up steadily', () => {
    const { told, clock, refused } = throttleWith({ requestsPerSecond: 4 });
    expect([told(), told(), told(), told(), told()]).toEqual([undefined, undefined, undefined, undefined, RATE]);
    clock.ms = 249;
    expect(told()).toBe(RATE);
    clock.ms = 250;
    expect([told(), told()]).toEqual([undefined, RATE]);
    clock.ms = 60_000;
    expect([told(), told(), told(), told(), told()]).toEqual([undefined, undefined, undefined, undefined, RATE]);
    expect(refused).toEqual(['requests', 'requests', 'requests', 'requests']);
  });
});

describe('the limit of gas per second', () => {
  it('is a billion, in steps of 10,000, of which requests that are refused take none', () => {
    const { told, clock } = throttleWith();
    for (let i = 0; i < 66; i++) expect(told({ gas: 15_009_999 })).toBeUndefined();
    expect(told({ gas: 10_010_000 })).toBe(GAS);
    expect(told({ gas: 10_009_999 })).toBeUndefined();
    expect(told({ gas: 21_000 })).toBe(GAS);
    clock.ms = 1;
    expect(told({ gas: 1_010_000 })).toBe(GAS);
    expect(told({ gas: 1_000_000 })).toBeUndefined();
  });

  it('is raised by its unit', () => {
    const { told } = throttleWith({ gasPerSecond: 21_000n, gasUnit: 10 });
    expect([told({ gas: 219_999 }), told({ gas: 21_000 })]).toEqual([undefined, GAS]);
  });

  it.each([
    ['unused gas', 100, 25_000n, 70_000],
    ['at most a share of the limit', 50, 25_000n, 50_000],
    ['nothing', 0, 25_000n, 0],
    ['everything when all was used', 100, 100_000n, 100_000],
    ['a share when there was no result', 50, undefined, 50_000],
  ])('gets back %s', (_what, gasLimitRefundPercent, gasUsed, expected) => {
    const { throttle, told } = throttleWith({ gasPerSecond: 100_000n, gasLimitRefundPercent });
    const ticket = throttle.admit(parsed({ gas: 100_000 }), PATH);
    ticket.settle(gasUsed);
    ticket.settle(0n);
    ticket.cancel();
    if (expected > 0) expect(told({ gas: expected })).toBeUndefined();
    expect(told({ gas: 21_000 })).toBe(GAS);
  });

  it('gets everything back from a request that was never executed, once', () => {
    const { throttle, told } = throttleWith({ gasPerSecond: 100_000n, gasLimitRefundPercent: 0 });
    const ticket = throttle.admit(parsed({ gas: 60_000 }), PATH);
    ticket.cancel();
    ticket.cancel();
    expect([told({ gas: 100_000 }), told({ gas: 21_000 })]).toEqual([undefined, GAS]);
  });

  it('comes after the limit of requests, whose tokens stay taken', () => {
    const { told, clock } = throttleWith({ requestsPerSecond: 2, gasPerSecond: 21_000n });
    expect([told({ gas: 50_000 }), told({ gas: 50_000 }), told()]).toEqual([GAS, GAS, RATE]);
    clock.ms = 1000;
    expect(told({ gas: 21_000 })).toBeUndefined();
  });
});

describe('rules for requests', () => {
  it.each([
    [{ field: 'DATA', type: 'CONTAINS', expression: 'FDDE' }, { data: '0x06fdde03' }, { data: '0x01' }],
    [{ field: 'DATA', type: 'EQUALS', expression: '0x06FDDE03' }, { data: '0x06fdde03' }, { data: '0x06fdde0301' }],
    [{ field: 'BLOCK', type: 'EQUALS', expression: 'latest' }, {}, { block: '1' }],
    [{ field: 'ESTIMATE', type: 'EQUALS', expression: 'true' }, { estimate: true }, {}],
    [{ field: 'FROM', type: 'CONTAINS', expression: ALICE }, { from: `0x${ALICE}` }, { from: CONTRACT }],
    [{ field: 'GAS', type: 'EQUALS', expression: '21000' }, { gas: 21_000 }, { gas: 210_000 }],
    [{ field: 'TO', type: 'CONTAINS', expression: CONTRACT.toUpperCase() }, { to: CONTRACT }, { to: ALICE }],
    [{ field: 'VALUE', type: 'EQUALS', expression: '7' }, { value: 7, from: ALICE, to: ALICE }, {}],
  ] as const)('match %j', (condition, concerned, other) => {
    const { told, refused } = throttleWith({ request: [rule({ filters: [condition] })] });
    expect([told(concerned), told(other)]).toEqual(['Invalid request', undefined]);
    expect(refused).toEqual(['rejected']);
  });

  it('concern everything without conditions, and what fits any of several', () => {
    expect(throttleWith({ request: [rule({})] }).told()).toBe('Invalid request');
    const filters = [
      { field: 'GAS', type: 'EQUALS', expression: '21000' },
      { field: 'GAS', type: 'EQUALS', expression: '22000' },
    ] as const;
    const { told } = throttleWith({ request: [rule({ filters })] });
    expect([told({ gas: 22_000 }), told({ gas: 23_000 })]).toEqual(['Invalid request', undefined]);
  });

  it('are followed so many times only, and for a share of the requests', () => {
    const limited = throttleWith({ request: [rule({ limit: 2n })] });
    expect([limited.told(), limited.told(), limited.told()]).toEqual(['Invalid request', 'Invalid request', undefined]);
    const { told, dice } = throttleWith({ request: [rule({ rate: 30 })] });
    dice.next = 0.3;
    expect(told()).toBeUndefined();
    dice.next = 0.299;
    expect(told()).toBe('Invalid request');
    expect(throttleWith({ request: [rule({ rate: 0 })] }).told()).toBeUndefined();
  });

  it('log and go on', () => {
    const { told, logged } = throttleWith({ request: [rule({ action: 'LOG' }), rule({ limit: 1n })] });
    expect([told({ data: '0x01' }), told({ data: '0x02' })]).toEqual(['Invalid request', undefined]);
    expect(logged.map(({ texts }) => texts.data)).toEqual(['0x01', '0x02']);
  });

  it('limit the rate of what they concern', () => {
    const filters = [{ field: 'ESTIMATE', type: 'EQUALS', expression: 'true' }] as const;
    const { told, clock, refused } = throttleWith({ request: [rule({ action: 'THROTTLE', rate: 2, filters })] });
    const estimate = { estimate: true };
    expect([told(estimate), told(estimate), told(estimate), told()]).toEqual([undefined, undefined, RATE, undefined]);
    clock.ms = 500;
    expect([told(estimate), told(estimate)]).toEqual([undefined, RATE]);
    expect(refused).toEqual(['filter', 'filter']);
  });

  it('send elsewhere', () => {
    const { throttle, refused } = throttleWith({
      request: [rule({ action: 'REDIRECT', location: 'https://mirror.example:8545/' })],
    });
    let problem: unknown;
    try {
      throttle.admit(parsed({}), PATH);
    } catch (error) {
      problem = error;
    }
    expect(problem).toMatchObject({
      status: 307,
      headers: { location: 'https://mirror.example:8545/api/v1/contracts/call' },
    });
    expect(refused).toEqual(['redirected']);
  });

  it.each(['', 'mirror.example', 'ftp://mirror.example', 'https://mirror.example/path'])(
    'cannot send to %j',
    (location) => {
      const request = [rule({ action: 'REDIRECT', location })];
      expect(() => throttleWith({ request })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    },
  );

  it('take no gas from those they refuse', () => {
    const { told } = throttleWith({ gasPerSecond: 100_000n, request: [rule({ limit: 5n })] });
    for (let i = 0; i < 5; i++) expect(told({ gas: 100_000 })).toBe('Invalid request');
    expect(told({ gas: 100_000 })).toBeUndefined();
  });
});
