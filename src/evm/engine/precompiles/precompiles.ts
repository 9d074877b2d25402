/** Ethereum's precompiled contracts up to Cancun. */
import type { AddressHex } from '../../state/records.ts';
import { reservedNumber } from '../accounts.ts';
import type { RunClock } from '../clock.ts';
import type { Halt } from '../halts.ts';
import type { Keccak } from '../keccak.ts';
import { createBlake2f } from './blake2f.ts';
import { openBn254 } from './bn254.ts';
import { createBn254Addition } from './bn254-addition.ts';
import { createBn254Multiplication } from './bn254-multiplication.ts';
import { createBn254Pairing } from './bn254-pairing.ts';
import { createEcrecover } from './ecrecover.ts';
import { identity } from './identity.ts';
import { createModexp } from './modexp.ts';
import { createPointEvaluation } from './point-evaluation.ts';
import type { Precompile } from './precompile.ts';
import { createRipemd160 } from './ripemd160.ts';
import { sha256 } from './sha256.ts';

export type PrecompileResult = { readonly output: Uint8Array; readonly gasUsed: number } | { readonly halt: Halt };

export interface Precompiles {
  /** Counts as accessed from the start, in every version. */
  isPrecompile(address: AddressHex): boolean;
  /** @throws KagamiError SIMULATION_TIMEOUT past the deadline. */
  run(address: AddressHex, input: Uint8Array, gas: number, clock: RunClock): Promise<PrecompileResult>;
}

const LAST = 10;

/** By address. Each is made when it is first called: WebAssembly takes milliseconds to load. */
const loadersOf = (keccak: Keccak): Readonly<Record<number, () => Precompile | Promise<Precompile>>> => {
  let curve: ReturnType<typeof openBn254> | undefined;
  const bn254 = () => {
    curve ??= openBn254();
    return curve;
  };
  return {
    1: () => createEcrecover(keccak),
    2: () => sha256,
    3: createRipemd160,
    4: () => identity,
    5: createModexp,
    6: async () => createBn254Addition(await bn254()),
    7: async () => createBn254Multiplication(await bn254()),
    8: async () => createBn254Pairing(await bn254()),
    9: createBlake2f,
    10: createPointEvaluation,
  };
};

export const createPrecompiles = (keccak: Keccak): Precompiles => {
  const loaders = loadersOf(keccak);
  const loaded = new Map<number, Precompile>();

  const find = async (num: number): Promise<Precompile> => {
    const precompile = await loaders[num]?.();
    if (precompile === undefined) throw new Error(`There is no precompiled contract ${num}`);
    loaded.set(num, precompile);
    return precompile;
  };

  return {
    isPrecompile: (address) => {
      const num = reservedNumber(address);
      return num !== undefined && num >= 1 && num <= LAST;
    },
    run: async (address, input, gas, clock) => {
      const num = reservedNumber(address) ?? 0;
      const precompile = loaded.get(num) ?? (await find(num));
      const price = precompile.price(input);
      if (price === undefined) return { halt: 'PRECOMPILE_ERROR' };
      if (price > gas) return { halt: 'INSUFFICIENT_GAS' };
      if (clock.spend(price)) await clock.look();
      const running = precompile.run(input, clock);
      const output = running instanceof Promise ? await running : running;
      return output === undefined ? { halt: 'PRECOMPILE_ERROR' } : { output, gasUsed: price };
    },
  };
};
