/** The exchange rate contract at 0x168 ([HIP-475](https://hips.hedera.com/hip/hip-475)). */
import { integerWord } from './abi/encode.ts';
import { tableContract } from './dispatch.ts';
import { type FunctionResult, type SystemFunction, view } from './function-table.ts';
import { fixedGas } from './gas.ts';
import { halted, succeeded } from './results.ts';
import type { SystemContract } from './system-contract.ts';

const GAS = 100n;
const MAX_WORD = (1n << 256n) - 1n;

const amount = (value: bigint): FunctionResult =>
  value > MAX_WORD ? halted('INVALID_OPERATION') : succeeded(integerWord(value));

const options = { gas: fixedGas(GAS), childRecord: 'never' } as const;

export const exchangeRateFunctions: readonly SystemFunction[] = [
  view<[tinycents: bigint]>(
    'tinycentsToTinybars(uint256)',
    ([tinycents], _call, { exchangeRate: { hbarEquiv, centEquiv } }) => amount((tinycents * hbarEquiv) / centEquiv),
    options,
  ),
  view<[tinybars: bigint]>(
    'tinybarsToTinycents(uint256)',
    ([tinybars], _call, { exchangeRate: { hbarEquiv, centEquiv } }) => amount((tinybars * centEquiv) / hbarEquiv),
    options,
  ),
];

export const createExchangeRateContract = (): SystemContract =>
  tableContract({ number: 0x168n, unknownSelector: 'halt', functions: exchangeRateFunctions });
