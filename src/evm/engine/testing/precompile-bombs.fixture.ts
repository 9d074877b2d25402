/** Calls of precompiled contracts that cost as much time as their gas can buy, as input and as contracts. */
import { createHash } from 'node:crypto';
import { bytesToHex, hexToBytes } from '../words.ts';
import { assemble } from './engine.fixture.ts';

export interface Bomb {
  readonly name: string;
  /** Of the precompiled contract. */
  readonly address: number;
  readonly input: Uint8Array;
  /** Whether the call is not repeated: it takes nearly all of 15 million gas. */
  readonly once?: boolean;
}

const word = (value: bigint | number): string => value.toString(16).padStart(64, '0');
const filled = (length: number, byte = 'fd'): string => byte.repeat(length);

const power = (bytes: number, exponentBytes: number, lastByte: string): Uint8Array =>
  hexToBytes(
    word(bytes) +
      word(exponentBytes) +
      word(bytes) +
      filled(bytes, 'a7') +
      filled(exponentBytes, 'ff') +
      filled(bytes - 1) +
      lastByte,
  );

/** Rounds in front of the state of "abc" ([EIP-152](https://eips.ethereum.org/EIPS/eip-152), test vector 5). */
const compression = (rounds: number): Uint8Array =>
  hexToBytes(
    word(rounds).slice(-8) +
      '48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5' +
      'd182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b' +
      `616263${filled(125, '00')}03${filled(15, '00')}01`,
  );

const signature = hexToBytes(
  '456e9aea5e197a1f1af7a3e85a3212fa4049a3ba34c2289b4c860fc0b0c64ef3' +
    word(28) +
    '9242685bf161793cc25603c231bc2f568eb630ea16aa137d2664ac8038825608' +
    '4f8ae3bd7535248d0bd448298cc2e2071e56992d0774dc340c368ae950852ada',
);

const DOUBLED =
  '030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd3' +
  '15ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4';
const GENERATOR_2 =
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2' +
  '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed' +
  '090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b' +
  '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa';

/** The polynomial x has its argument as its value: its commitment is from the ceremony, its proof the generator. */
const COMMITMENT = 'ad3eb50121139aa34db1d545093ac9374ab7bca2c0f3bf28e27c8dcd8fc7cb42d25926fc0c97b336e9f0fb35e5a04c81';
const PROOF = '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb';
const versionedHash = `01${createHash('sha256').update(hexToBytes(COMMITMENT)).digest('hex').slice(2)}`;

export const bombs: readonly Bomb[] = [
  { name: 'ecrecover', address: 1, input: signature },
  { name: 'SHA-256 of a word', address: 2, input: new Uint8Array(32) },
  { name: 'SHA-256 of a megabyte', address: 2, input: new Uint8Array(2 ** 20) },
  { name: 'RIPEMD-160 of a word', address: 3, input: new Uint8Array(32) },
  { name: 'RIPEMD-160 of a megabyte', address: 3, input: new Uint8Array(2 ** 20) },
  { name: 'identity of a word', address: 4, input: new Uint8Array(32) },
  { name: 'identity of a megabyte', address: 4, input: new Uint8Array(2 ** 20) },
  { name: 'power of 8 bytes', address: 5, input: power(8, 32, 'fd') },
  { name: 'power of 8 bytes, long exponent', address: 5, input: power(8, 1_024, 'f0') },
  { name: 'power of 16 bytes', address: 5, input: power(16, 32, 'fd') },
  { name: 'power of 32 bytes, short exponent', address: 5, input: power(32, 8, 'fd') },
  { name: 'power of 32 bytes', address: 5, input: power(32, 32, 'f0') },
  { name: 'power of 33 bytes, short exponent', address: 5, input: power(33, 8, 'fd') },
  { name: 'power of 65 bytes', address: 5, input: power(65, 65, 'fd') },
  { name: 'power of 81 bytes', address: 5, input: power(81, 81, 'fd') },
  { name: 'power of 256 bytes', address: 5, input: power(256, 256, 'fd') },
  { name: 'power of 1,024 bytes', address: 5, input: power(1_024, 200, 'fd') },
  { name: 'power of 20,000 bytes', address: 5, input: power(20_000, 1, 'fd') },
  { name: 'addition on bn254', address: 6, input: hexToBytes(word(1) + word(2) + DOUBLED) },
  { name: 'multiplication on bn254', address: 7, input: hexToBytes(DOUBLED + filled(32, 'fe')) },
  { name: 'pairing of 1 pair', address: 8, input: hexToBytes(DOUBLED + GENERATOR_2) },
  { name: 'pairing of 40 pairs', address: 8, input: hexToBytes((DOUBLED + GENERATOR_2).repeat(40)) },
  { name: 'BLAKE2F of 12 rounds', address: 9, input: compression(12) },
  { name: 'BLAKE2F of 14 million rounds', address: 9, input: compression(14_000_000), once: true },
  {
    name: 'point evaluation',
    address: 10,
    input: hexToBytes(versionedHash + filled(32, '5a').repeat(2) + COMMITMENT + PROOF),
  },
];

const pushed = (value: number): string => `0x${value.toString(16).padStart(6, '0')}`;

/** Code that calls the precompiled contract once, or until its gas ends, with all gas that it may pass on. */
export const bombCode = ({ address, input, once = false }: Bomb): Uint8Array => {
  const code = (data: number): Uint8Array => {
    const copy = `${pushed(input.length)} ${pushed(data)} 0 CODECOPY`;
    const call = `0 0 ${pushed(input.length)} 0 ${address} GAS STATICCALL POP`;
    const start = assemble(copy).length;
    return assemble(once ? `${copy} ${call} STOP` : `${copy} JUMPDEST ${call} ${pushed(start)} JUMP`);
  };
  // Beyond the end of the code, what is copied are zeros.
  const isZero = input.every((byte) => byte === 0);
  const length = code(0).length;
  return isZero ? code(length) : hexToBytes(bytesToHex(code(length)) + bytesToHex(input));
};
