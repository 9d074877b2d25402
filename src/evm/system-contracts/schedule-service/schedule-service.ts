/** The schedule service at 0x16b: every function by direct call or through a schedule's facade. */
import { tableContract } from '../dispatch.ts';
import type { IsFunctionOff, SystemFunction } from '../function-table.ts';
import type { SystemContract } from '../system-contract.ts';
import { scheduleNative } from './schedule-native.ts';
import { scheduledCallFunctions } from './scheduled-calls.ts';
import { scheduledTokenInfoFunctions } from './scheduled-token-info.ts';
import { signingFunctions } from './signing.ts';

/** `redirectForScheduleTxn(address,bytes)` */
const REDIRECT_SELECTOR = 0x5c3889ca;

export const scheduleServiceFunctions: readonly SystemFunction[] = [
  scheduleNative,
  ...scheduledCallFunctions,
  ...scheduledTokenInfoFunctions,
  ...signingFunctions,
];

const NUMBER = 0x16bn;

export const createScheduleService = (isOff: IsFunctionOff = () => false): SystemContract =>
  tableContract({
    number: NUMBER,
    functions: scheduleServiceFunctions.filter((entry) => !isOff(NUMBER, entry)),
    redirect: {
      selector: REDIRECT_SELECTOR,
      hasFacade: async (address, world) => {
        const id = await world.idAt(address);
        return id !== undefined && (await world.schedule(id)) !== undefined;
      },
    },
  });
