/** Input of facades: whom a call is for and what is asked, packed or as ABI arguments. */
import { toHex } from '../../ledger/bytes.ts';
import type { AddressHex } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { abiTypes } from './abi/abi-type.ts';
import { AbiError, decodeAbi } from './abi/decode.ts';

const SELECTOR_BYTES = 4;
const ADDRESS_BYTES = 20;

const redirectParameters = abiTypes('address,bytes');

export interface RedirectRoute {
  /** Selector of the wrapper: `redirectForToken(address,bytes)` and so on. */
  readonly selector: number;
  /** Whether an entity's address has this service's facade as its code, which may then delegate to the service. */
  hasFacade(address: AddressHex, world: World): Promise<boolean>;
}

export interface Redirect {
  readonly target: AddressHex;
  readonly input: Uint8Array;
}

/** Address, offset and length of the ABI form, whose offset fits 32 bits. */
const LEAST_ABI_BYTES = 96;
const OFFSET_START = 32;
const OFFSET_DIGITS = 60;

/** Tells most packed inputs without trying to decode them. */
const mayBeAbi = (data: Uint8Array): boolean => {
  if (data.length < LEAST_ABI_BYTES) return false;
  for (let i = OFFSET_START; i < OFFSET_DIGITS; i++) if (data[i] !== 0) return false;
  return true;
};

const parseAbiForm = (data: Uint8Array): Redirect | undefined => {
  try {
    const [target, input] = decodeAbi(redirectParameters, data) as [AddressHex, Uint8Array];
    return { target, input };
  } catch (error) {
    if (error instanceof AbiError) return undefined;
    throw error;
  }
};

/** Reads the input of a wrapper after its selector; undefined when it has neither form. */
export const parseRedirect = (data: Uint8Array): Redirect | undefined => {
  const abiForm = mayBeAbi(data) ? parseAbiForm(data) : undefined;
  if (abiForm !== undefined) return abiForm;
  return data.length < ADDRESS_BYTES + SELECTOR_BYTES
    ? undefined
    : { target: toHex(data.subarray(0, ADDRESS_BYTES)), input: data.subarray(ADDRESS_BYTES) };
};
