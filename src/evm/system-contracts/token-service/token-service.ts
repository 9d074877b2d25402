/** The token service at 0x167: every function by direct call or through a token's facade. */
import { tableContract } from '../dispatch.ts';
import type { IsFunctionOff, SystemFunction } from '../function-table.ts';
import type { SystemContract } from '../system-contract.ts';
import { infoViews } from './info-views.ts';
import { tokenAt } from './lookups.ts';
import { modifyingFunctions } from './modifying/functions.ts';
import { relationViews } from './relation-views.ts';
import { tokenViews } from './token-views.ts';

/** `redirectForToken(address,bytes)` */
const REDIRECT_SELECTOR = 0x618dc65e;

export const tokenServiceFunctions: readonly SystemFunction[] = [
  ...infoViews,
  ...relationViews,
  ...tokenViews,
  ...modifyingFunctions,
];

const NUMBER = 0x167n;

export const createTokenService = (isOff: IsFunctionOff = () => false): SystemContract =>
  tableContract({
    number: NUMBER,
    functions: tokenServiceFunctions.filter((entry) => !isOff(NUMBER, entry)),
    redirect: {
      selector: REDIRECT_SELECTOR,
      hasFacade: async (address, world) => (await tokenAt(world, address)) !== undefined,
    },
  });
