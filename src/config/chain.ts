/**
 * What tells a network apart from others for contracts and wallets: its chain id
 * ([EIP-155](https://eips.ethereum.org/EIPS/eip-155)) and its ledger id
 * ([HIP-198](https://hips.hedera.com/hip/hip-198)).
 */
import { KagamiError } from '../errors/kagami-error.ts';
import type { RestSettings } from './settings/rest.ts';
import type { Web3Settings } from './settings/web3.ts';

export type ChainNetwork = Web3Settings['evm']['network'];

export interface Chain {
  readonly chainId: bigint;
  /** `0x` and hexadecimal digits. */
  readonly ledgerId: string;
}

export const chains: Readonly<Record<ChainNetwork, Chain>> = {
  MAINNET: { chainId: 295n, ledgerId: '0x00' },
  TESTNET: { chainId: 296n, ledgerId: '0x01' },
  PREVIEWNET: { chainId: 297n, ledgerId: '0x02' },
  OTHER: { chainId: 298n, ledgerId: '0x03' },
};

export const CHAIN_ID_SETTING = 'hiero.mirror.rest.chainId';

const MOST_CHAIN_ID = 2n ** 64n - 1n;

/** A chain id as a setting has it: decimal digits, or hexadecimal ones after `0x`; undefined where none is set. */
const configuredChainId = (setting: string): bigint | undefined => {
  const text = setting.trim().toLowerCase();
  if (text === '') return undefined;
  const chainId = /^(?:0x[0-9a-f]{1,16}|\d{1,20})$/.test(text) ? BigInt(text) : 0n;
  if (chainId > 0n && chainId <= MOST_CHAIN_ID) return chainId;
  throw new KagamiError('CONFIG_INVALID', `${CHAIN_ID_SETTING}: "${setting}" is no chain id`, {
    details: { setting: CHAIN_ID_SETTING, value: setting },
  });
};

/**
 * The chain of a network, with the chain id that is configured, if one is. Whatever shows, signs with or compares a chain
 * id has it from here.
 * @throws KagamiError CONFIG_INVALID when `hiero.mirror.rest.chainId` is no number from 1 to 2^64 - 1
 */
export const chainOf = (network: ChainNetwork, { chainId }: Pick<RestSettings, 'chainId'>): Chain => ({
  ...chains[network],
  chainId: configuredChainId(chainId) ?? chains[network].chainId,
});

/** As answers and JSON-RPC write it: `0x127`. */
export const chainIdHex = ({ chainId }: Pick<Chain, 'chainId'>): string => `0x${chainId.toString(16)}`;
