/**
 * Private keys that local networks of this kind have in common and that everybody knows: for development, never for
 * anything of value.
 */
const GENESIS = '91132178e72057a1d7528025956fe39b0b847f200ab59b2fdd367017f3087137';

/** Of accounts with an EVM address as alias, in the order in which local networks list them. */
const DEVELOPMENT = [
  '105d050185ccb907fba04dd92d8de9e32c18305e097ab41dadda21489a211524',
  '2e1d968b041d84dd120a5860cee60cd83f9374ef527ca86996317ada3d0d03e7',
  '45a5a7108a18dd5013cf2d5857a28144beadc9c70b3bdbd914e38df4e804b8d8',
  '6e9d61a325be3f6675cf8b7676c70e4a004d2308e3e182370a41f5653d52c6bd',
  '0b58b1bd44469ac9f813b5aeaf6213ddaea26720f0b2f133d08b6f234130a64f',
  '95eac372e0f0df3b43740fa780e62458b2d2cc32d6a440877f1cc2a9ad0c35cc',
  '6c6e6727b40c8d4b616ab0d26af357af09337299f09c66704146e14236972106',
  '5072e7aa1b03f531b4731a32a021f6a5d20d5ddc4e55acbb71ae202fc6f3a26d',
  '60fe891f13824a2c1da20fb6a14e28fa353421191069ba6b6d09dd6c29b90eff',
  'eae4e00ece872dd14fb6dc7a04f390563c7d69d16326f2a703ec8e0934060cc7',
] as const;

export const GENESIS_LABEL = 'published/genesis';

export const DEVELOPMENT_LABELS: readonly string[] = DEVELOPMENT.map((_, index) => `published/${index}`);

const secrets: ReadonlyMap<string, string> = new Map([
  [GENESIS_LABEL, GENESIS],
  ...DEVELOPMENT.map((secret, index) => [`published/${index}`, secret] as const),
]);

/** The 32 bytes behind a label, undefined for labels whose keys follow from the seed. */
export const publishedSecret = (label: string): Buffer | undefined => {
  const secret = secrets.get(label);
  return secret === undefined ? undefined : Buffer.from(secret, 'hex');
};
