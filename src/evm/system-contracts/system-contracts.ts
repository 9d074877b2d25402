/** Every system contract, by address. */
import type { AddressHex } from '../state/records.ts';
import { createAccountService } from './account-service/account-service.ts';
import { createExchangeRateContract } from './exchange-rate.ts';
import type { IsFunctionOff } from './function-table.ts';
import { createPseudorandomContract } from './pseudorandom.ts';
import { createScheduleService } from './schedule-service/schedule-service.ts';
import type { SystemContract } from './system-contract.ts';
import { createTokenService, tokenServiceFunctions } from './token-service/token-service.ts';

/** The second token service at 0x16c, which networks have not enabled. */
const disabledTokenService: SystemContract = {
  number: 0x16cn,
  call: () => Promise.resolve({ outcome: 'halt', reason: 'NOT_SUPPORTED' }),
};

const addressOfNumber = (number: bigint): AddressHex => number.toString(16).padStart(40, '0');

/**
 * The hooks contract 0x16d is not among them: without hooks it is one more system account.
 *
 * @param isOff tells the functions that answer like unknown ones: an empty success
 */
export const createSystemContracts = (isOff: IsFunctionOff = () => false): ReadonlyMap<AddressHex, SystemContract> =>
  new Map(
    [
      createTokenService(isOff),
      createExchangeRateContract(),
      createPseudorandomContract(),
      createAccountService(isOff),
      createScheduleService(isOff),
      disabledTokenService,
    ].map((contract) => [addressOfNumber(contract.number), contract]),
  );

/** Selectors of calls whose value the token service takes as the fee of a new token. */
export const feeSelectors: ReadonlySet<number> = new Set(
  tokenServiceFunctions.filter(({ payable }) => payable).map(({ selector }) => selector),
);
