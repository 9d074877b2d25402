/**
 * Functions of system contracts, one table entry each. A service gives its entries to `tableContract` (dispatch.ts),
 * which finds the entry by selector, decodes the arguments, applies the rules that all functions share, and charges gas.
 *
 *     const isKyc = view<[token: AddressHex, account: AddressHex]>(
 *       'isKyc(address,address)',
 *       async ([token, account], call, run) => succeeded(statusWords('SUCCESS', boolWord(true))),
 *     );
 *     const freeze = modifying<[token: AddressHex, account: AddressHex]>(
 *       'freezeToken(address,address)',
 *       priced(canonicalPrices.freeze),
 *       async ([token, account], call, run) => { ... },
 *     );
 *
 * Functions of the redirect route take the token (account, schedule) from `call.target` and carry `route: 'redirect'`.
 */
import type { Status } from '../hapi/operation.ts';
import { type AbiType, type AbiValue, functionSignature } from './abi/abi-type.ts';
import type { FunctionCall } from './function-call.ts';
import { type GasRule, viewGas } from './gas.ts';
import type { EmittedLog, HaltReason, RunContext } from './system-contract.ts';

export interface EndedFunction {
  readonly outcome: 'success' | 'revert';
  readonly output: Uint8Array;
  /** What the child record says. */
  readonly status: Status;
  readonly logs?: readonly EmittedLog[];
  /** Gas for what turned out only while executing, such as automatic associations. */
  readonly extraGas?: bigint;
  /** The rest of the frame's gas goes, too. */
  readonly usesAllGas?: boolean;
}

/** How a function ended; see results.ts for the forms that the ledger uses. */
export type FunctionResult = EndedFunction | { readonly outcome: 'halt'; readonly reason: HaltReason };

export type Arguments = readonly AbiValue[];

/**
 * Does the work. A StatusError that escapes reverts with the status in ASCII and takes all gas; any other error but a
 * KagamiError, or what `run.children` throws, halts the frame with PRECOMPILE_ERROR. The engine reverts the world unless the outcome is a
 * success; an operation that failed inside a successful frame must leave no trace by itself (`settled`).
 */
export type Execute<A extends Arguments> = (
  args: A,
  call: FunctionCall,
  run: RunContext,
) => FunctionResult | Promise<FunctionResult>;

export interface FunctionOptions {
  /** `direct` by default. `both` answers over either route. */
  readonly route?: 'direct' | 'redirect' | 'both';
  /** Whether a static frame may call it: views by default, modifying functions not. */
  readonly inStaticFrames?: boolean;
  /** Whether it takes value. */
  readonly payable?: boolean;
  /** When a call leaves a child record: always, unless said otherwise. */
  readonly childRecord?: 'always' | 'outside static frames' | 'never';
}

export interface SystemFunction {
  readonly signature: string;
  readonly name: string;
  readonly selector: number;
  readonly parameters: readonly AbiType[];
  readonly kind: 'view' | 'modifying';
  readonly route: 'direct' | 'redirect' | 'both';
  readonly inStaticFrames: boolean;
  readonly payable: boolean;
  readonly childRecord: 'always' | 'outside static frames' | 'never';
  readonly gas: GasRule<Arguments>;
  readonly execute: Execute<Arguments>;
}

/** Whether a function of the contract with this number is turned off. */
export type IsFunctionOff = (number: bigint, entry: Pick<SystemFunction, 'name' | 'signature'>) => boolean;

const systemFunction = <A extends Arguments>(
  kind: SystemFunction['kind'],
  signature: string,
  gas: GasRule<A>,
  execute: Execute<A>,
  options: FunctionOptions,
): SystemFunction => ({
  signature,
  ...functionSignature(signature),
  kind,
  route: options.route ?? 'direct',
  inStaticFrames: options.inStaticFrames ?? kind === 'view',
  payable: options.payable ?? false,
  childRecord: options.childRecord ?? 'always',
  // The dispatcher decodes by the signature, which is what `A` describes.
  gas: gas as GasRule<Arguments>,
  execute: execute as Execute<Arguments>,
});

/** A function that changes nothing; 2607 gas unless a rule is given. `A` must describe the signature's parameters. */
export const view = <A extends Arguments>(
  signature: string,
  execute: Execute<A>,
  options: FunctionOptions & { readonly gas?: GasRule<A> } = {},
): SystemFunction => systemFunction('view', signature, options.gas ?? viewGas, execute, options);

/** A function that may change the world. `A` must describe the signature's parameters. */
export const modifying = <A extends Arguments>(
  signature: string,
  gas: GasRule<A>,
  execute: Execute<A>,
  options: FunctionOptions = {},
): SystemFunction => systemFunction('modifying', signature, gas, execute, options);
