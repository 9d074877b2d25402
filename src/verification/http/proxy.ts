/** Which contract stands behind a proxy, as far as its code and its storage tell. */
import { isKagamiError } from '../../errors/kagami-error.ts';
import { keccak256 } from '../../ledger/hash.ts';
import { checksumAddress } from '../chain/address.ts';
import type { StoredContract } from '../model.ts';
import type { Verifier } from '../verifier.ts';

export type ProxyResolution =
  | {
      readonly isProxy: boolean;
      readonly proxyType: string | null;
      readonly implementations: readonly { readonly address: string; readonly name?: string }[];
    }
  /** Why it isn't known. */
  | { readonly proxyResolutionError: string };

const notAProxy: ProxyResolution = { isProxy: false, proxyType: null, implementations: [] };

const minimalProxy = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/i;

/** PUSH20 of all bits, PUSH1 0, SLOAD, AND, PUSH32 of the selector of `masterCopy()`. */
const safeProxy = '73ffffffffffffffffffffffffffffffffffffffff600054167fa619486e';

const slotOf = (name: string, less: bigint): string => {
  const hash = BigInt(`0x${Buffer.from(keccak256(Buffer.from(name))).toString('hex')}`);
  return (hash - less).toString(16).padStart(64, '0');
};

/** Slots that hold the address of an implementation, and the standards that say so. */
const implementationSlots: readonly (readonly [string, string])[] = [
  [slotOf('eip1967.proxy.implementation', 1n), 'EIP1967Proxy'],
  [slotOf('org.zeppelinos.proxy.implementation', 0n), 'ZeppelinOSProxy'],
  [slotOf('PROXIABLE', 0n), 'PROXIABLEProxy'],
];

/**
 * Slots of standards whose implementations only a call tells: [EIP-1967](https://eips.ethereum.org/EIPS/eip-1967)'s
 * beacons and diamonds.
 */
const calledSlots: readonly string[] = [
  slotOf('eip1967.proxy.beacon', 1n),
  slotOf('diamond.standard.diamond.storage', 0n),
];

const FIRST_SLOT = '0'.repeat(64);
const [PUSH1, PUSH32, CREATE, DELEGATECALL, CREATE2] = [0x60, 0x7f, 0xf0, 0xf4, 0xf5] as const;

/** The code without the metadata at its end, whose length its last two bytes tell. */
const withoutMetadata = (code: Buffer): Buffer => {
  const length = code.length < 2 ? 0 : code.readUInt16BE(code.length - 2) + 2;
  return length < code.length ? code.subarray(0, code.length - length) : code;
};

interface Instructions {
  readonly codes: ReadonlySet<number>;
  /** Hex digits of what PUSH32 pushes. */
  readonly words: ReadonlySet<string>;
}

const instructionsOf = (code: Buffer): Instructions => {
  const codes = new Set<number>();
  const words = new Set<string>();
  for (let at = 0; at < code.length; at++) {
    const operation = code[at] ?? 0;
    codes.add(operation);
    if (operation === PUSH32) words.add(code.toString('hex', at + 1, at + 33));
    if (operation >= PUSH1 && operation <= PUSH32) at += operation - PUSH1 + 1;
  }
  return { codes, words };
};

/** Reads `contract_state` of mirrored contracts, or asks a node of another chain. */
export const resolveProxy = async (verifier: Verifier, stored: StoredContract): Promise<ProxyResolution> => {
  const { chainId, address, details } = stored;
  const text = details.onchainRuntimeBytecode ?? '0x';

  const found = async (proxyType: string, implementation: string): Promise<ProxyResolution> => {
    const verified = await verifier.repository.find({ chainId, address: implementation });
    const name = verified === undefined ? {} : { name: verified.details.target.name };
    return { isProxy: true, proxyType, implementations: [{ address: implementation, ...name }] };
  };

  const behind = async (slot: string, proxyType: string): Promise<ProxyResolution | undefined> => {
    const value = await verifier.storageAt({ chainId, address }, Buffer.from(slot, 'hex'));
    const implementation = Buffer.concat([Buffer.alloc(32), value]).subarray(-20);
    return implementation.some((byte) => byte !== 0) ? found(proxyType, checksumAddress(implementation)) : undefined;
  };

  const minimal = minimalProxy.exec(text)?.[1];
  if (minimal !== undefined) return found('EIP1167Proxy', checksumAddress(Buffer.from(minimal, 'hex')));
  const code = withoutMetadata(Buffer.from(text.slice(2), 'hex'));
  const { codes, words } = instructionsOf(code);
  // Factories of proxies have their code within their own.
  if (!codes.has(DELEGATECALL) || codes.has(CREATE) || codes.has(CREATE2)) return notAProxy;
  try {
    for (const [slot, proxyType] of implementationSlots) {
      const resolved = words.has(slot) ? await behind(slot, proxyType) : undefined;
      if (resolved !== undefined) return resolved;
    }
    if (code.toString('hex').includes(safeProxy)) return (await behind(FIRST_SLOT, 'GnosisSafeProxy')) ?? notAProxy;
  } catch (fault) {
    if (!isKagamiError(fault, 'VERIFICATION_FAILED')) throw fault;
    return { proxyResolutionError: `No node of chain ${chainId} tells the storage of ${address}` };
  }
  if (calledSlots.some((slot) => words.has(slot))) {
    return { proxyResolutionError: 'The implementations of beacon proxies and diamonds are told by calls only' };
  }
  return notAProxy;
};
