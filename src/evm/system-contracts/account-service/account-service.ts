/**
 * The account service at 0x16a ([HIP-632](https://hips.hedera.com/hip/hip-632),
 * [HIP-906](https://hips.hedera.com/hip/hip-906)).
 */
import { tableContract } from '../dispatch.ts';
import type { IsFunctionOff, SystemFunction } from '../function-table.ts';
import type { SystemContract } from '../system-contract.ts';
import { aliasViews } from './aliases.ts';
import { authorizationFunctions } from './authorization.ts';
import { setUnlimitedAutomaticAssociations } from './automatic-associations.ts';
import { hbarAllowanceFunctions } from './hbar-allowances.ts';

/** `redirectForAccount(address,bytes)` */
const REDIRECT_SELECTOR = 0xe4cbd3a7;

export const accountServiceFunctions: readonly SystemFunction[] = [
  ...aliasViews,
  ...hbarAllowanceFunctions,
  ...authorizationFunctions,
  setUnlimitedAutomaticAssociations,
];

const NUMBER = 0x16an;

export const createAccountService = (isOff: IsFunctionOff = () => false): SystemContract =>
  tableContract({
    number: NUMBER,
    functions: accountServiceFunctions.filter((entry) => !isOff(NUMBER, entry)),
    redirect: {
      selector: REDIRECT_SELECTOR,
      hasFacade: async (address, world) => (await world.entityAt(address))?.type === 'ACCOUNT',
    },
  });
