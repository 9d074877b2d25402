/** Turns a table of functions into a system contract: what all functions share. */
import { isKagamiError } from '../../errors/kagami-error.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { StatusError } from '../hapi/operation.ts';
import { AbiError, decodeAbi } from './abi/decode.ts';
import { EMPTY_OUTPUT } from './abi/encode.ts';
import type { FunctionCall } from './function-call.ts';
import type { Arguments, FunctionResult, SystemFunction } from './function-table.ts';
import { parseRedirect, type RedirectRoute } from './redirect.ts';
import { halted, revertedWithName } from './results.ts';
import type {
  ChildRecord,
  ChildRecords,
  HaltReason,
  RunContext,
  SystemCall,
  SystemContract,
  SystemResult,
} from './system-contract.ts';

const SELECTOR_BYTES = 4;

/** Contracts that may delegate to system contracts from the time before that was forbidden. */
const grandfatheredNumbers: readonly bigint[] = [1_062_787n, 1_461_860n];

export interface TableOptions {
  readonly number: bigint;
  readonly functions: readonly SystemFunction[];
  readonly redirect?: RedirectRoute;
  /** What an unknown selector leads to: an empty success by default. */
  readonly unknownSelector?: 'success' | 'halt';
}

const halt = (reason: HaltReason): SystemResult => ({ outcome: 'halt', reason });

const selectorOf = (input: Uint8Array): number =>
  new DataView(input.buffer, input.byteOffset, SELECTOR_BYTES).getUint32(0);

const bySelector = (functions: readonly SystemFunction[]): ReadonlyMap<number, SystemFunction> => {
  const table = new Map<number, SystemFunction>();
  for (const entry of functions) {
    const other = table.get(entry.selector);
    if (other !== undefined) throw new Error(`${entry.signature} and ${other.signature} have one selector`);
    table.set(entry.selector, entry);
  }
  return table;
};

const isGrandfathered = async (call: SystemCall, run: RunContext): Promise<boolean> => {
  const id = await run.world.idAt(call.recipient);
  return id !== undefined && grandfatheredNumbers.some((number) => run.world.idOf(number) === id);
};

/** Whether a frame that delegates is a facade that asks about its own entity. */
const isFacadeOf = async (
  call: SystemCall,
  target: string,
  route: RedirectRoute,
  run: RunContext,
): Promise<boolean> => {
  const { world } = run;
  const same = target === call.recipient || (await world.idAt(target)) === (await world.idAt(call.recipient));
  return same && (await route.hasFacade(target, world));
};

const decoded = (entry: SystemFunction, input: Uint8Array): Arguments | undefined => {
  try {
    return decodeAbi(entry.parameters, input.subarray(SELECTOR_BYTES));
  } catch (error) {
    if (error instanceof AbiError) return undefined;
    throw error;
  }
};

/** Remembers how the engine refused a record, because that must not look like a fault of the function. */
class WatchedChildren implements ChildRecords {
  refusal: unknown;
  readonly #children: ChildRecords;

  constructor(children: ChildRecords) {
    this.#children = children;
  }

  add(record: ChildRecord): void {
    try {
      this.#children.add(record);
    } catch (error) {
      this.refusal = error;
      throw error;
    }
  }
}

// Spelled out, because a run may be more than a plain object.
const withChildren = (run: RunContext, children: ChildRecords): RunContext => ({
  world: run.world,
  block: run.block,
  network: run.network,
  now: run.now,
  exchangeRate: run.exchangeRate,
  gasPriceMilliTinycents: run.gasPriceMilliTinycents,
  payerId: run.payerId,
  ...(run.minimumAccountBalance === undefined ? {} : { minimumAccountBalance: run.minimumAccountBalance }),
  children,
});

const addChild = (entry: SystemFunction, call: SystemCall, run: RunContext, status: number): void => {
  if (entry.childRecord === 'never') return;
  if (entry.childRecord === 'outside static frames' && call.isStatic) return;
  run.children.add({ status });
};

/** Result and gas of an entry whose arguments are read; every exception that isn't the engine's business ends here. */
const execute = async (
  entry: SystemFunction,
  args: Arguments,
  call: FunctionCall,
  run: RunContext,
): Promise<{ readonly result: FunctionResult; readonly required: bigint }> => {
  const children = new WatchedChildren(run.children);
  try {
    const required = await entry.gas(args, call, run);
    // Without enough gas nothing that the function did would last.
    if (required > call.gas) return { result: halted('INSUFFICIENT_GAS'), required };
    return { result: await entry.execute(args, call, withChildren(run, children)), required };
  } catch (error) {
    if (isKagamiError(error) || (children.refusal !== undefined && error === children.refusal)) throw error;
    if (error instanceof StatusError) {
      return { result: { ...revertedWithName(error.status), usesAllGas: true }, required: call.gas };
    }
    return { result: halted('PRECOMPILE_ERROR'), required: call.gas };
  }
};

const answer = async (
  entry: SystemFunction,
  args: Arguments,
  call: FunctionCall,
  run: RunContext,
): Promise<SystemResult> => {
  const { result, required } = await execute(entry, args, call, run);
  if (result.outcome === 'halt') {
    if (result.reason === 'INSUFFICIENT_GAS') addChild(entry, call, run, ResponseCodeEnum.INSUFFICIENT_GAS);
    return result;
  }
  const gasUsed = result.usesAllGas ? call.gas : required + (result.extraGas ?? 0n);
  if (gasUsed > call.gas) {
    addChild(entry, call, run, ResponseCodeEnum.INSUFFICIENT_GAS);
    return halt('INSUFFICIENT_GAS');
  }
  addChild(entry, call, run, ResponseCodeEnum[result.status]);
  const { output } = result;
  return result.outcome === 'revert'
    ? { outcome: 'revert', output, gasUsed }
    : { outcome: 'success', output, gasUsed, ...(result.logs && result.logs.length > 0 ? { logs: result.logs } : {}) };
};

/** @throws Error when two entries of one route share a selector. */
export const tableContract = ({ number, functions, redirect, unknownSelector }: TableOptions): SystemContract => {
  const direct = bySelector(functions.filter(({ route }) => route !== 'redirect'));
  const redirected = bySelector(functions.filter(({ route }) => route !== 'direct'));

  return {
    number,
    async call(systemCall, run) {
      const { input } = systemCall;
      if (input.length < SELECTOR_BYTES) {
        return halt(systemCall.isDelegate ? 'PRECOMPILE_ERROR' : 'INVALID_OPERATION');
      }
      const wrapper = redirect !== undefined && selectorOf(input) === redirect.selector ? redirect : undefined;
      const inner = wrapper && parseRedirect(input.subarray(SELECTOR_BYTES));
      if (systemCall.isDelegate) {
        const allowed =
          (wrapper && inner && (await isFacadeOf(systemCall, inner.target, wrapper, run))) ||
          (await isGrandfathered(systemCall, run));
        if (!allowed) return halt('PRECOMPILE_ERROR');
      }
      if (wrapper && (inner === undefined || inner.input.length < SELECTOR_BYTES)) return halt('INVALID_OPERATION');
      const call: FunctionCall = { ...systemCall, input: inner?.input ?? input, target: inner?.target };

      const entry = (inner ? redirected : direct).get(selectorOf(call.input));
      if (entry === undefined) {
        return unknownSelector === 'halt'
          ? halt('INVALID_OPERATION')
          : { outcome: 'success', output: EMPTY_OUTPUT, gasUsed: 0n };
      }
      // A frame that delegates inherits a value without moving it.
      if (call.value > 0n && !call.isDelegate && !entry.payable) return halt('INVALID_CONTRACT_ID');
      const args = decoded(entry, call.input);
      if (args === undefined) return halt('INVALID_OPERATION');
      if (call.isStatic && !entry.inStaticFrames) return halt('ILLEGAL_STATE_CHANGE');
      return answer(entry, args, call, run);
    },
  };
};
