import { encode, type Input } from '@ethereumjs/rlp';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak256 } from '../../ledger/hash.ts';

/**
 * 0 before [EIP-2718](https://eips.ethereum.org/EIPS/eip-2718), 1 with an access list, 2 with two prices, 4 with
 * authorizations of code ([EIP-7702](https://eips.ethereum.org/EIPS/eip-7702)).
 */
export type EthereumType = 0 | 1 | 2 | 4;

export interface EthereumFields {
  readonly type: EthereumType;
  /** That of the network ([EIP-155](https://eips.ethereum.org/EIPS/eip-155)). */
  readonly chainId: bigint;
  readonly nonce: bigint;
  /** Weibar per unit of gas. */
  readonly gasPrice: bigint;
  readonly gasLimit: bigint;
  /** Empty to create a contract. */
  readonly to: Uint8Array;
  /** Weibar. */
  readonly value: bigint;
  readonly data: Uint8Array;
  /** Addresses with the slots that the transaction announces (types 1, 2 and 4). */
  readonly accessList?: readonly { readonly address: Uint8Array; readonly slots: readonly Uint8Array[] }[];
  /** Signed authorizations (type 4). */
  readonly authorizations?: readonly Uint8Array[][];
}

/** A tinybar. */
const PRIORITY_PRICE = 10_000_000_000n;
const AUTHORIZATION_MAGIC = Uint8Array.of(0x05);

interface Signature {
  /** Parity of the y coordinate of the signature's point. */
  readonly parity: bigint;
  readonly r: bigint;
  readonly s: bigint;
}

const signatureOf = (privateKey: Uint8Array, digest: Uint8Array): Signature => {
  const bytes = secp256k1.sign(digest, privateKey, { prehash: false, format: 'recovered' });
  const { recovery, r, s } = secp256k1.Signature.fromBytes(bytes, 'recovered');
  return { parity: BigInt(recovery ?? 0), r, s };
};

const accessListOf = ({ accessList = [] }: EthereumFields): Input[] =>
  accessList.map(({ address, slots }) => [address, [...slots]]);

/** The list that is signed, and to which the signature is appended. */
const listOf = (fields: EthereumFields): Input[] => {
  const { type, chainId, nonce, gasPrice, gasLimit, to, value, data } = fields;
  const payload = [gasLimit, to, value, data];
  switch (type) {
    case 0:
      return [nonce, gasPrice, ...payload];
    case 1:
      return [chainId, nonce, gasPrice, ...payload, accessListOf(fields)];
    case 2:
      return [chainId, nonce, PRIORITY_PRICE, gasPrice, ...payload, accessListOf(fields)];
    case 4:
      return [
        chainId,
        nonce,
        PRIORITY_PRICE,
        gasPrice,
        ...payload,
        accessListOf(fields),
        (fields.authorizations ?? []).map((authorization) => [...authorization]),
      ];
  }
};

const enveloped = (type: EthereumType, list: Input[]): Uint8Array =>
  type === 0 ? encode(list) : Buffer.concat([Uint8Array.of(type), encode(list)]);

export interface SignedEthereumTransaction {
  readonly bytes: Uint8Array;
  /** The same without call data, which stands in a file. */
  readonly withoutData: Uint8Array;
  /** keccak-256 of `bytes`: the hash by which Ethereum knows it. */
  readonly hash: Uint8Array;
}

/** Signs as wallets do: EIP-155 for type 0, the transaction's parity for the others. */
export const signEthereum = (fields: EthereumFields, privateKey: Uint8Array): SignedEthereumTransaction => {
  const { type, chainId } = fields;
  const unsigned = type === 0 ? encode([...listOf(fields), chainId, 0, 0]) : enveloped(type, listOf(fields));
  const { parity, r, s } = signatureOf(privateKey, keccak256(unsigned));
  const v = type === 0 ? chainId * 2n + 35n + parity : parity;
  const bytesOf = (data: Uint8Array): Uint8Array => enveloped(type, [...listOf({ ...fields, data }), v, r, s]);
  const bytes = bytesOf(fields.data);
  return { bytes, withoutData: bytesOf(new Uint8Array()), hash: keccak256(bytes) };
};

const word = (value: bigint): Uint8Array => {
  const bytes = Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
  const start = bytes.findIndex((byte) => byte !== 0);
  return start < 0 ? new Uint8Array() : bytes.subarray(start);
};

/** An account's word that it delegates to the code at an address (EIP-7702): chain id, address, nonce, parity, r, s. */
export const authorizationOf = (
  chainId: bigint,
  address: Uint8Array,
  nonce: bigint,
  privateKey: Uint8Array,
): Uint8Array[] => {
  const content: Uint8Array[] = [word(chainId), address, word(nonce)];
  const digest = keccak256(Buffer.concat([AUTHORIZATION_MAGIC, encode(content)]));
  const { parity, r, s } = signatureOf(privateKey, digest);
  return [...content, word(parity), word(r), word(s)];
};
