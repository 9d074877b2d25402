/** The account service at 0x16a (HIP-632, HIP-906). */
import { tableContract } from '../dispatch.ts';
import type { SystemFunction } from '../function-table.ts';
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

export const createAccountService = (): SystemContract =>
  tableContract({
    number: 0x16an,
    functions: accountServiceFunctions,
    redirect: {
      selector: REDIRECT_SELECTOR,
      hasFacade: async (address, world) => (await world.entityAt(address))?.type === 'ACCOUNT',
    },
  });
