import type { CompiledContract } from './compile.ts';

export interface Load {
  readonly name: string;
  readonly contract: string;
  readonly input: Uint8Array;
  readonly gas: bigint;
}

const word = (value: number | bigint): string => value.toString(16).padStart(64, '0');

export const loadsOf = (contracts: Readonly<Record<string, CompiledContract>>): readonly Load[] => {
  const load = (
    name: string,
    contract: string,
    signature: string,
    gas: bigint,
    ...words: (number | bigint)[]
  ): Load => {
    const selector = contracts[contract]?.selectors[signature];
    if (selector === undefined) throw new Error(`${contract} has no ${signature}`);
    return { name, contract, input: new Uint8Array(Buffer.from(selector + words.map(word).join(''), 'hex')), gas };
  };
  const receiver = BigInt(`0x${'1'.padStart(25, '0').padStart(40, '0')}`) + (1n << 96n);
  return [
    load('arithmetic loop', 'Loads', 'arithmetic(uint256)', 15_000_000n, 30_000),
    load('keccak loop', 'Loads', 'hashes(uint256)', 15_000_000n, 10_000),
    load('ray tracer', 'Loads', 'rays(int256)', 100_000_000n, 24),
    load('1,000 token transfers', 'Token', 'transferMany(uint256)', 100_000_000n, 1_000),
    load('1,000 calls of balanceOf', 'Token', 'sumBalances(uint256)', 100_000_000n, 1_000),
    load('ERC-20 transfer', 'Token', 'transfer(address,uint256)', 100_000n, receiver, 5),
    load('ERC-20 balanceOf', 'Token', 'balanceOf(address)', 100_000n, receiver),
  ];
};
