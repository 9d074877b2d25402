import { hash } from 'node:crypto';
import { PairingCurve } from '../../../curves/pairing-curve.ts';
import { KagamiError } from '../../../errors/kagami-error.ts';
import { toHex } from '../../../ledger/bytes.ts';
import { equalBytes } from '../../equal-bytes.ts';
import type { LedgerTrust } from '../trust.ts';
import { InvalidProof, invalid } from './field.ts';
import { type Generation, generationsOf } from './generation.ts';
import { type PreparedHintsKey, prepareHintsKey, verifyHints } from './hints.ts';
import { HINTS_KEY_BYTES, HINTS_SIGNATURE_BYTES } from './hints-layout.ts';
import { rosterHash } from './roster-hash.ts';
import { type CheckedRoster, checkRoster, SCHNORR_BYTES, verifySchnorr } from './schnorr.ts';
import { type PreparedWrapsKey, prepareWrapsKey, verifyWraps, WRAPS_PROOF_BYTES } from './wraps.ts';
import { knownWrapsKeys } from './wraps-keys.ts';

const PREFIX_BYTES = HINTS_KEY_BYTES + HINTS_SIGNATURE_BYTES;

/** Rosters change rarely; whoever sends many different keys gains nothing by it. */
const MAX_REMEMBERED = 32;

export type ApprovedBy = 'schnorr' | 'wraps';

const sha256 = (...parts: readonly Uint8Array[]): string => hash('sha256', Buffer.concat(parts), 'hex');

/**
 * Verifies the threshold signatures of blocks: hinTS key (1096 bytes), hinTS signature (1632), and the approval of the key
 * by the ledger's roster: a Schnorr signature (192) or a WRAPS proof (704). Verdicts on keys and their approvals, the same
 * for all blocks of a roster, are remembered; what is left takes some 20 ms of one core for each block.
 */
export class SignatureVerifier {
  readonly #bls12381: PairingCurve;
  readonly #bn254: PairingCurve;
  readonly #wrapsKeys = new Remembered<PreparedWrapsKey>();
  readonly #rosters = new Remembered<CheckedRoster>();
  readonly #ledgers = new Remembered<true>();
  readonly #hintsKeys = new Remembered<PreparedHintsKey>();
  readonly #approvals = new Remembered<true>();

  private constructor(bls12381: PairingCurve, bn254: PairingCurve) {
    this.#bls12381 = bls12381;
    this.#bn254 = bn254;
  }

  static async open(): Promise<SignatureVerifier> {
    return new SignatureVerifier(await PairingCurve.open('bls12-381'), await PairingCurve.open('bn254'));
  }

  /**
   * Verifies that nodes with more than half of the ledger's weight signed `message`; says what approved their key.
   * @throws InvalidProof; KagamiError STREAM_UNKNOWN_PROOF for signatures of other lengths, STREAM_UNKNOWN_LEDGER when the
   * ledger lacks what the signature needs.
   */
  verify(
    signature: Uint8Array,
    message: Uint8Array,
    ledger: LedgerTrust,
    wrapsKeyHashes: readonly string[] = [],
  ): ApprovedBy {
    const approvedBy = kindOf(signature);
    const hintsKey = signature.subarray(0, HINTS_KEY_BYTES);
    const hintsSignature = signature.subarray(HINTS_KEY_BYTES, PREFIX_BYTES);
    const approval = signature.subarray(PREFIX_BYTES);
    const prepared = this.#hintsKeys.get(sha256(hintsKey), () => prepareHintsKey(this.#bls12381, hintsKey));
    const attempts =
      approvedBy === 'schnorr'
        ? this.#schnorrAttempts(approval, hintsKey, ledger)
        : this.#wrapsAttempts(approval, hintsKey, ledger, wrapsKeyHashes);
    firstThatHolds(
      attempts.map(({ generation, approve }) => () => {
        approve();
        verifyHints(prepared, hintsSignature, message, generation);
      }),
    );
    return approvedBy;
  }

  /**
   * Checks that a ledger's roster is the one that its id is the hash of.
   * @throws InvalidProof.
   */
  checkLedger({ id, roster }: LedgerTrust): void {
    if (id.length !== 32) invalid(`a ledger id of ${id.length} bytes`);
    if (roster === null) return;
    this.#ledgers.get(sha256(id, rosterBytes(roster)), () => {
      if (!equalBytes(rosterHash(roster), id)) invalid(`the roster is not the one of ledger ${toHex(id)}`);
      return true;
    });
  }

  #schnorrAttempts(approval: Uint8Array, hintsKey: Uint8Array, ledger: LedgerTrust): Attempt[] {
    const { id, roster, wrapsKey } = ledger;
    if (roster === null) throw lacking(id, 'the genesis roster, which its Schnorr signature needs, is not known');
    this.checkLedger(ledger);
    const rosterName = sha256(rosterBytes(roster));
    return generationsOf(wrapsKey === null ? null : sha256(wrapsKey)).map((generation) => ({
      generation,
      approve: () => {
        this.#approvals.get([generation.name, rosterName, sha256(id, hintsKey, approval)].join(), () => {
          const checked = this.#rosters.get(`${generation.possessionDomain},${rosterName}`, () =>
            checkRoster(roster, generation),
          );
          verifySchnorr(approval, checked, id, hintsKey, generation);
          return true;
        });
      },
    }));
  }

  #wrapsAttempts(
    approval: Uint8Array,
    hintsKey: Uint8Array,
    { id, wrapsKey }: LedgerTrust,
    configured: readonly string[],
  ): Attempt[] {
    return believedKeys(id, wrapsKey, configured).flatMap(([name, key]) =>
      generationsOf(name).map((generation) => ({
        generation,
        approve: () => {
          this.#approvals.get([generation.name, name, sha256(id, hintsKey, approval)].join(), () => {
            const prepared = this.#wrapsKeys.get(name, () => prepareWrapsKey(this.#bn254, key));
            verifyWraps(approval, prepared, id, hintsKey, generation);
            return true;
          });
        },
      })),
    );
  }
}

interface Attempt {
  readonly generation: Generation;
  /** @throws InvalidProof when the hinTS key isn't approved. */
  readonly approve: () => void;
}

const kindOf = (signature: Uint8Array): ApprovedBy => {
  switch (signature.length - PREFIX_BYTES) {
    case SCHNORR_BYTES:
      return 'schnorr';
    case WRAPS_PROOF_BYTES:
      return 'wraps';
    default:
      throw new KagamiError('STREAM_UNKNOWN_PROOF', `a block signature of ${signature.length} bytes is not known`);
  }
};

const lacking = (id: Uint8Array, rule: string): KagamiError =>
  new KagamiError('STREAM_UNKNOWN_LEDGER', `ledger ${toHex(id)}: ${rule}`);

/** The WRAPS keys that a proof is tried with: the ledger's own if it is believed, the known ones while it has none. */
const believedKeys = (
  id: Uint8Array,
  wrapsKey: Uint8Array | null,
  configured: readonly string[],
): (readonly [string, Uint8Array])[] => {
  const known = knownWrapsKeys();
  if (wrapsKey === null) return [...known];
  const name = sha256(wrapsKey);
  if (known.has(name) || configured.includes(name)) return [[name, wrapsKey]];
  throw lacking(id, `its WRAPS key is neither a known nor a configured one (SHA-256 ${name})`);
};

const rosterBytes = (roster: NonNullable<LedgerTrust['roster']>): Buffer =>
  Buffer.from(roster.map(({ nodeId, weight, key }) => `${nodeId},${weight},${toHex(key)}`).join(';'));

/** Runs attempts until one doesn't throw; throws what the first one threw. */
const firstThatHolds = (attempts: readonly (() => void)[]): void => {
  let reason: unknown;
  for (const attempt of attempts) {
    try {
      attempt();
      return;
    } catch (error) {
      if (!(error instanceof InvalidProof)) throw error;
      reason ??= error;
    }
  }
  throw reason;
};

/** Results by key, failures included; the oldest are forgotten. */
class Remembered<T> {
  readonly #results = new Map<string, { readonly value: T } | { readonly reason: InvalidProof }>();

  /** @throws InvalidProof that `make` threw, now or earlier. */
  get(key: string, make: () => T): T {
    const result = this.#results.get(key) ?? this.#add(key, make);
    if ('reason' in result) throw result.reason;
    return result.value;
  }

  #add(key: string, make: () => T): { readonly value: T } | { readonly reason: InvalidProof } {
    const result = this.#attempt(make);
    const [oldest] = this.#results.keys();
    if (this.#results.size >= MAX_REMEMBERED && oldest !== undefined) this.#results.delete(oldest);
    this.#results.set(key, result);
    return result;
  }

  #attempt(make: () => T): { readonly value: T } | { readonly reason: InvalidProof } {
    try {
      return { value: make() };
    } catch (error) {
      if (error instanceof InvalidProof) return { reason: error };
      throw error;
    }
  }
}
