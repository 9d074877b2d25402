/** Code that tokens, accounts and schedules show, which passes calls on to a system contract. */
import type { AddressHex } from '../state/records.ts';
import { hexToBytes } from './words.ts';

const codeOf = (systemContract: string, redirectSelector: string, address: AddressHex): Uint8Array =>
  hexToBytes(
    `6080604052348015600f57600080fd5b506000${systemContract}905077${redirectSelector}${address}` +
      '600052366000602037600080366018016008845af43d806000803e8160008114605857816000f35b816000fdfea2646970667358221220' +
      'd8378feed472ba49a0005514ef7087017f707b45fb9bf56bb81bb93ff19a238b64736f6c634300080b0033',
  );

export const tokenFacade = (address: AddressHex): Uint8Array => codeOf('610167', '618dc65e', address);

export const accountFacade = (address: AddressHex): Uint8Array => codeOf('61016a', 'e4cbd3a7', address);

export const scheduleFacade = (address: AddressHex): Uint8Array => codeOf('61016b', '5c3889ca', address);

/** hbarAllowance(address), hbarApprove(address,int256), setUnlimitedAutomaticAssociations(bool). */
const accountSelectors = new Set([0xbbee989e, 0x86aff07c, 0xf5677e99]);

/** Whether an account answers this call; otherwise it has no code. */
export const isAccountFacadeCall = (input: Uint8Array): boolean =>
  input.length >= 4 && accountSelectors.has(new DataView(input.buffer, input.byteOffset).getUint32(0));
