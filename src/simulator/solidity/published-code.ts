/** Contracts compiled from the sources in this folder, as `scripts/compile-simulated-contracts.ts` left them. */
import { keccak256 } from '../../ledger/hash.ts';
import compiled from './contracts.json' with { type: 'json' };

export type PublishedName = keyof typeof compiled.contracts;

/** Gas of a function that creates a contract, without what its call data costs. */
export interface FunctionGas {
  readonly all: number;
  /** What was used when the creation began. */
  readonly before: number;
  readonly creation: number;
}

/** What is compiled of one contract. Code is hex digits with zeros where addresses and immutables go. */
export interface CompiledContract {
  /** File in this folder. */
  readonly source: string;
  /** Init code without arguments. */
  readonly creation: string;
  readonly runtime: string;
  /** Places of libraries' addresses, in bytes, by the library's name. */
  readonly creationLinks: Readonly<Record<string, readonly number[]>>;
  readonly runtimeLinks: Readonly<Record<string, readonly number[]>>;
  /** Places of words, in bytes, by the variable's name. */
  readonly immutables: Readonly<Record<string, readonly number[]>>;
  /** By the function's signature. */
  readonly selectors: Readonly<Record<string, string>>;
  /** Of the constructor, with the bytes of the code that it leaves. */
  readonly constructionGas: number;
  /** Of functions that create a contract, by signature. */
  readonly functionGas: Readonly<Record<string, FunctionGas>>;
}

/** A library's code begins with its own address. */
const LIBRARY = /^73(00){20}30/;
const OWN_ADDRESS_AT = 1;

export const compiledContract = (name: PublishedName): CompiledContract => compiled.contracts[name];

const bytesOf = (digits: string): Buffer => Buffer.from(digits, 'hex');

const fill = (
  code: Uint8Array,
  places: Readonly<Record<string, readonly number[]>>,
  values: Readonly<Record<string, Uint8Array>>,
): void => {
  for (const [name, offsets] of Object.entries(places)) {
    const value = values[name];
    if (value === undefined) throw new Error(`Nothing is said about ${name}`);
    for (const offset of offsets) code.set(value, offset);
  }
};

/** Init code. `libraries`: addresses by name. */
export const creationCode = (
  name: PublishedName,
  constructorArguments: Uint8Array,
  libraries: Readonly<Record<string, Uint8Array>> = {},
): Buffer => {
  const { creation, creationLinks } = compiledContract(name);
  const code = bytesOf(creation);
  fill(code, creationLinks, libraries);
  return Buffer.concat([code, constructorArguments]);
};

/** Code that the constructor leaves at `address`. `immutables`: words by name. */
export const runtimeCode = (
  name: PublishedName,
  address: Uint8Array,
  immutables: Readonly<Record<string, Uint8Array>> = {},
  libraries: Readonly<Record<string, Uint8Array>> = {},
): Buffer => {
  const { runtime, runtimeLinks, immutables: places } = compiledContract(name);
  const code = bytesOf(runtime);
  fill(code, runtimeLinks, libraries);
  fill(code, places, immutables);
  if (LIBRARY.test(runtime)) code.set(address, OWN_ADDRESS_AT);
  return code;
};

/** Call data of a function. */
export const callData = (signature: string, ...words: readonly Uint8Array[]): Buffer =>
  Buffer.concat([keccak256(Buffer.from(signature)).subarray(0, 4), ...words]);

/** The event of the factory. */
export const CREATED_TOPIC = keccak256(Buffer.from('Created(address)'));

/** Where a proxy of ERC-1967 keeps the address of the code that it runs. */
export const IMPLEMENTATION_SLOT: Uint8Array = bytesOf(
  (BigInt(`0x${Buffer.from(keccak256(Buffer.from('eip1967.proxy.implementation'))).toString('hex')}`) - 1n)
    .toString(16)
    .padStart(64, '0'),
);

/** Init code and code of a minimal proxy (ERC-1167). */
export const minimalProxy = (original: Uint8Array): { readonly init: Buffer; readonly runtime: Buffer } => {
  const runtime = Buffer.concat([bytesOf('363d3d373d3d3d363d73'), original, bytesOf('5af43d82803e903d91602b57fd5bf3')]);
  return { init: Buffer.concat([bytesOf('3d602d80600a3d3981f3'), runtime]), runtime };
};
