/**
 * Generations of the threshold signature scheme. Their layouts are the same, what they hash is not, and nothing in a
 * signature names its generation: the WRAPS verification key of the ledger tells, or trying does, since a signature of one
 * never verifies as another. Z: library 3.7.2 to 3.7.7; A: 3.7.8 to 3.15.0 (HAPI 0.73 to 0.78); B: 3.15.1.
 */
export interface Generation {
  readonly name: 'Z' | 'A' | 'B';
  /** Domain of the hinTS challenge. */
  readonly challengeDomain: string;
  /** Whether the challenge covers h1, the aggregate key and its weight. */
  readonly challengeCoversAggregate: boolean;
  /** Domain of the scalar that joins the openings; null where the challenge itself is that scalar. */
  readonly openingDomain: string | null;
  /** Domain of the hash of a hinTS key; null where that is a Poseidon hash. */
  readonly keyHashDomain: string | null;
  /** Domain of the proofs of possession in a roster. */
  readonly possessionDomain: string;
}

const HINTS_DOMAIN = 'HINTS_SIG_BLS12381:FIAT_SHAMIR';

const GENERATION_Z: Generation = {
  name: 'Z',
  challengeDomain: '',
  challengeCoversAggregate: false,
  openingDomain: null,
  keyHashDomain: null,
  possessionDomain: '',
};

export const GENERATION_A: Generation = {
  ...GENERATION_Z,
  name: 'A',
  challengeDomain: HINTS_DOMAIN,
  challengeCoversAggregate: true,
};

const GENERATION_B: Generation = {
  name: 'B',
  challengeDomain: `${HINTS_DOMAIN}_HINTS`,
  challengeCoversAggregate: true,
  openingDomain: `${HINTS_DOMAIN}_KZG_BATCH`,
  keyHashDomain: 'HieroTSSWrapsHintsVkHash',
  possessionDomain: 'HieroTSSWrapsSchnorrKeyPoK',
};

/** SHA-256 of the WRAPS verification keys that the libraries of these generations come with. */
export const WRAPS_KEY_HASHES = {
  beforeSentinelKeys: '00bd6cc621cbd09d95cbf1a265f181efdde09d1234213e1713f35e76317ab809',
  generationA: '5a6d78fb8d0d1ef989db3ca9c6aff7e2bd336665af8f5ec904892522ec8f2b3d',
  generationB: 'f5bff1efb6c300a49cea32e122b1795ee42c08197d902f7e2020b6647843a88f',
} as const;

const ALL: readonly Generation[] = [GENERATION_A, GENERATION_B, GENERATION_Z];

const BY_WRAPS_KEY: Readonly<Record<string, readonly Generation[]>> = {
  [WRAPS_KEY_HASHES.beforeSentinelKeys]: [GENERATION_A, GENERATION_Z],
  [WRAPS_KEY_HASHES.generationA]: [GENERATION_A],
  [WRAPS_KEY_HASHES.generationB]: [GENERATION_B],
};

/** The generations that a ledger with this WRAPS key (SHA-256 in hex; null while it isn't known) may use. */
export const generationsOf = (wrapsKeyHash: string | null): readonly Generation[] =>
  BY_WRAPS_KEY[wrapsKeyHash ?? ''] ?? ALL;
