/**
 * Cases of functions: one call that succeeds and one that fails for each, made in every way in which a contract or a
 * transaction can make it. A function without a case, or a case without a function, fails the test.
 */
import { type AbiFunction, encodeFunctionData, type Hex, parseAbiItem } from 'viem';
import { expect, it } from 'vitest';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { MemoryState } from '../state/testing/memory-reader.fixture.ts';
import type { SystemFunction } from '../system-contracts/function-table.ts';
import type { CompiledContract } from './solidity.fixture.ts';
import { at } from './system-ledger.fixture.ts';
import { type Ending, functionOf, inputOf, type Runs } from './system-run.fixture.ts';

export interface FunctionCase {
  /** A call that succeeds, its values, and the gas that it takes. */
  readonly args: readonly unknown[];
  readonly answer: readonly unknown[];
  readonly gas: bigint;
  /** Tinybars that come with it. */
  readonly value?: bigint;
  /** Events of the call that succeeds. */
  readonly logs?: number;
  /** What is called over the redirect route. */
  readonly on?: bigint;
  /** With a little less gas than it takes. */
  readonly starvedEnding?: Ending;
  readonly failing: {
    readonly args: readonly unknown[];
    readonly on?: bigint;
    readonly value?: bigint;
    readonly ending: Ending;
    /** Unless given, as `ending` where static frames may call the function. */
    readonly staticEnding?: Ending;
  };
}

export interface CaseSet {
  /** Number of the service. */
  readonly service: bigint;
  readonly functions: readonly SystemFunction[];
  /** Interface that declares the functions of the direct route. */
  readonly direct: CompiledContract;
  /** Of the redirect route, with an entity that has no functions of the direct route. */
  readonly facade?: { readonly contract: CompiledContract; readonly wrapper: string; readonly entity: bigint };
  /** By signature. */
  readonly cases: Readonly<Record<string, FunctionCase>>;
  readonly ledger: MemoryState;
  readonly runs: () => Runs;
}

const GAS = 5_000_000n;
const HALT: Ending = ['halt'];
const NOTHING: Ending = ['success'];

const wrapped = (wrapper: string, target: bigint, input: Hex): Hex => {
  const item = parseAbiItem(`function ${wrapper}(address target, bytes data)` as 'function f(address, bytes)');
  return encodeFunctionData({ abi: [item], args: [at(target), input] });
};

interface Asked {
  readonly entry: SystemFunction;
  readonly item: AbiFunction;
  readonly set: CaseSet;
  readonly it: FunctionCase;
}

/** A failed frame below another one that failed with it can only show it by having no output. */
const directModes = async ({ entry, item, set, it: { args, value = 0n, failing, gas } }: Asked) => {
  const { call, staticCall, delegateCall, direct, past } = set.runs();
  const { ledger } = set;
  const service = at(set.service);
  const input = inputOf(item, args);
  const failingInput = inputOf(item, failing.args);
  const called = await call(ledger, service, GAS, value, input, item);
  const transaction = await direct(ledger, service, value, input, item);
  // Value brings gas of its own.
  const stipend = value > 0n ? 2_300n : 0n;
  const starved = await call(ledger, service, gas - stipend - 1n, value, input, item);
  const withValue = entry.payable ? undefined : await call(ledger, service, GAS, 1n, input, item);
  return {
    call: called.ending,
    logs: called.outcome.logs.length,
    failing: (await call(ledger, service, GAS, failing.value ?? value, failingInput, item)).ending,
    transaction: transaction.ending,
    past: await past(ledger, service, value, input, item),
    gas: transaction.gas,
    starved: starved.ending,
    staticCall: (await staticCall(ledger, service, GAS, input, item)).ending,
    failingStatically: (await staticCall(ledger, service, GAS, failingInput, item)).ending,
    delegateCall: (await delegateCall(ledger, service, GAS, input, item)).ending,
    ...(withValue && { withValue: withValue.ending }),
    ...(set.facade && {
      overFacade: (await call(ledger, at(set.facade.entity), GAS, 0n, input, item)).ending,
    }),
  };
};

const facadeModes = async ({ entry, item, set, it: { args, failing, on = 0n } }: Asked) => {
  const { call, staticCall, delegateCall, direct, past } = set.runs();
  const { ledger, facade } = set;
  if (facade === undefined) throw new Error('The service has no facade');
  const service = at(set.service);
  const input = inputOf(item, args);
  const failingInput = inputOf(item, failing.args);
  const failingOn = at(failing.on ?? on);
  const called = await call(ledger, at(on), GAS, 0n, input, item);
  const redirected = await direct(ledger, service, 0n, wrapped(facade.wrapper, on, input), item);
  return {
    call: called.ending,
    logs: called.outcome.logs.length,
    failing: (await call(ledger, failingOn, GAS, 0n, failingInput, item)).ending,
    transaction: (await direct(ledger, at(on), 0n, input, item)).ending,
    past: await past(ledger, at(on), 0n, input, item),
    redirected: redirected.ending,
    gas: redirected.gas,
    staticCall: (await staticCall(ledger, at(on), GAS, input, item)).ending,
    failingStatically: (await staticCall(ledger, failingOn, GAS, failingInput, item)).ending,
    delegateCall: (await delegateCall(ledger, at(on), GAS, input, item)).ending,
    onService: entry.route === 'redirect' ? (await call(ledger, service, GAS, 0n, input, item)).ending : undefined,
  };
};

const expectedOf = ({ entry, set, it: { answer, gas, logs = 0, failing, starvedEnding } }: Asked) => {
  const success: Ending = ['success', ...answer];
  return {
    call: success,
    logs,
    failing: failing.ending,
    transaction: success,
    past: success,
    gas,
    staticCall: entry.inStaticFrames ? success : HALT,
    failingStatically: failing.staticEnding ?? (entry.inStaticFrames ? failing.ending : HALT),
    delegateCall: HALT,
    ...(entry.route === 'redirect'
      ? { redirected: success, onService: NOTHING }
      : {
          starved: starvedEnding ?? HALT,
          // No caller survives that.
          ...(!entry.payable && { withValue: ['run', 'INVALID_CONTRACT_ID'] }),
          ...(set.facade && { overFacade: NOTHING }),
        }),
  };
};

/** Number of a status, as answers have it. */
export const code = (status: keyof typeof ResponseCodeEnum): bigint => BigInt(ResponseCodeEnum[status]);

/** Gas of what costs a tenth of a cent. */
export const CENT_TENTH = 15_284n;

/** A function that answers a status, and what comes after it. */
export const classic = (
  gas: bigint,
  args: readonly unknown[],
  failingArgs: readonly unknown[],
  status: keyof typeof ResponseCodeEnum,
  extra: { readonly answer?: readonly unknown[]; readonly defaults?: readonly unknown[]; readonly logs?: number } = {},
): FunctionCase => ({
  args,
  answer: [code('SUCCESS'), ...(extra.answer ?? [])],
  gas,
  ...(extra.logs !== undefined && { logs: extra.logs }),
  failing: { args: failingArgs, ending: ['success', code(status), ...(extra.defaults ?? [])] },
});

/** One test for each function of the set, and one that there are no others. */
export const itAnswersEveryCase = (set: CaseSet): void => {
  const { functions, cases, facade } = set;
  it('has a case for every function', () => {
    expect(Object.keys(cases).sort()).toEqual(functions.map(({ signature }) => signature).sort());
  });

  it.each(functions.map((entry) => [entry.signature, entry] as const))('answers %s', async (signature, entry) => {
    const given = cases[signature];
    if (given === undefined) throw new Error(`${signature} has no case`);
    const contract = entry.route === 'redirect' ? facade?.contract : set.direct;
    if (contract === undefined) throw new Error(`${signature} has no interface`);
    expect(contract.selectors[signature]).toBe(entry.selector.toString(16).padStart(8, '0'));
    const asked = { entry, item: functionOf(contract, signature), set, it: given };
    const modes = await (entry.route === 'redirect' ? facadeModes : directModes)(asked);
    expect(modes).toEqual(expectedOf(asked));
  });
};
