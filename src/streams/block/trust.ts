/** Who is believed. Plain data, so that it can be sent to a thread. */

/** A node's part in the genesis roster of a ledger, from its LedgerIdPublication. */
export interface RosterEntry {
  readonly nodeId: bigint;
  readonly weight: bigint;
  /** History proof key, 192 bytes: Schnorr public key with its proof of possession. */
  readonly key: Uint8Array;
}

/** A ledger that signs its blocks with threshold signatures. */
export interface LedgerTrust {
  /** 32 bytes: the Poseidon hash of the genesis roster. */
  readonly id: Uint8Array;
  /** Genesis roster, which the id authenticates; null while only the id is known. Schnorr proofs need it. */
  readonly roster: readonly RosterEntry[] | null;
  /**
   * WRAPS verification key, 1768 bytes, as the ledger published it; null while only the id is known. The id does not
   * authenticate it: it is believed when its SHA-256 is a known one, or configured.
   */
  readonly wrapsKey: Uint8Array | null;
}

/** The nodes whose RSA signatures prove wrapped record blocks. */
export interface RecordSigners {
  readonly nodes: readonly {
    readonly nodeId: bigint;
    /** Hex of the DER SubjectPublicKeyInfo. */
    readonly publicKeyHex: string;
    /** Tinybars of stake, or votes. */
    readonly weight: bigint;
  }[];
  /** Total that the ratio is taken of; may exceed the sum over `nodes`. */
  readonly totalWeight: bigint;
  /** Part of the total that must have signed. */
  readonly ratio: { readonly numerator: bigint; readonly denominator: bigint };
}

export interface BlockTrust {
  /** Null while no ledger id is known; a block that publishes one is then believed in it. */
  readonly ledger: LedgerTrust | null;
  /** SHA-256 (hex) of WRAPS verification keys that are believed beside the known ones. */
  readonly wrapsKeyHashes: readonly string[];
  readonly recordSigners: RecordSigners | null;
  /**
   * Accepts the test signature of 48 bytes (SHA-384 of the root hash), which anyone can make: development networks
   * signed blocks so from HAPI 0.71 to 0.73, and so does the simulated network.
   */
  readonly testSignatures: boolean;
  /**
   * Accepts blocks that can't be proven because nobody signed them, their kind of proof isn't known or their signers
   * aren't. A proof that is wrong is refused all the same.
   */
  readonly unsigned: boolean;
}
