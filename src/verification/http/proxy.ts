/** Minimal proxies (EIP-1167), the one kind that shows in code alone. */
import { checkSummedAddress } from './address.ts';

const minimalProxy = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/i;

/** Check-summed address of the implementation. */
export const minimalProxyTarget = (runtimeCode: string | undefined): string | undefined => {
  const digits = minimalProxy.exec(runtimeCode ?? '')?.[1];
  return digits === undefined ? undefined : checkSummedAddress(digits.toLowerCase());
};

export const proxyUnknown = 'Proxies other than minimal ones are not looked for';
