/** The pseudorandom number contract at 0x169 ([HIP-351](https://hips.hedera.com/hip/hip-351)). */
import { tableContract } from './dispatch.ts';
import { type SystemFunction, view } from './function-table.ts';
import { canonicalPrices, type GasRule, priced, viewGas } from './gas.ts';
import { halted, succeeded } from './results.ts';
import type { SystemContract } from './system-contract.ts';

const SEED_BYTES = 32;

const operationGas = priced<unknown>(canonicalPrices.prng);

// Outside of static frames the network records a transaction of its own for every seed.
const gas: GasRule<unknown> = (args, call, run) => (call.isStatic ? viewGas : operationGas)(args, call, run);

export const pseudorandomFunctions: readonly SystemFunction[] = [
  view(
    'getPseudorandomSeed()',
    (_args, _call, { block }) =>
      block.hash.length < SEED_BYTES ? halted('INVALID_OPERATION') : succeeded(block.hash.slice(0, SEED_BYTES)),
    { gas, childRecord: 'outside static frames' },
  ),
];

export const createPseudorandomContract = (): SystemContract =>
  tableContract({ number: 0x169n, unknownSelector: 'halt', functions: pseudorandomFunctions });
