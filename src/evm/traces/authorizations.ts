/**
 * Delegations that a recorded Ethereum transaction carries ([EIP-7702](https://eips.ethereum.org/EIPS/eip-7702)), and
 * who signed them.
 */
import { RLP } from '@ethereumjs/rlp';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { fromHex, toHex } from '../../ledger/bytes.ts';
import { evmAddressOfEcdsaKey } from '../../ledger/evm-address.ts';
import { keccak256 } from '../../ledger/hash.ts';
import type { Authorization } from '../engine/run.ts';

/** An element of `ethereum_transaction.authorization_list`; texts are hex with prefix. */
interface RecordedAuthorization {
  readonly address: string;
  readonly chain_id: string;
  readonly nonce: number;
  readonly r: string;
  readonly s: string;
  readonly y_parity: string;
}

const SIGNED_PREFIX = 0x05;

/** `0x` alone is 0. */
const numberOf = (hex: string): bigint => (hex === '0x' ? 0n : BigInt(hex));

/** Undefined where nobody can have signed it. */
const authorityOf = ({ address, chain_id, nonce, r, s, y_parity }: RecordedAuthorization): string | undefined => {
  const content = RLP.encode([numberOf(chain_id), fromHex(address) as Uint8Array, nonce]);
  const hash = keccak256(Uint8Array.of(SIGNED_PREFIX, ...content));
  try {
    const signature = new secp256k1.Signature(numberOf(r), numberOf(s), Number(y_parity));
    if (signature.hasHighS()) return undefined;
    const signer = evmAddressOfEcdsaKey(signature.recoverPublicKey(hash).toBytes(true));
    return signer && toHex(signer);
  } catch {
    return undefined;
  }
};

/** @param json `authorization_list` as text; null for transactions of other types */
export const authorizationsOf = (json: string | null): Authorization[] =>
  ((JSON.parse(json ?? '[]') ?? []) as RecordedAuthorization[]).map((recorded) => ({
    chainId: numberOf(recorded.chain_id),
    delegate: toHex(fromHex(recorded.address) as Uint8Array),
    nonce: BigInt(recorded.nonce),
    authority: authorityOf(recorded),
  }));
