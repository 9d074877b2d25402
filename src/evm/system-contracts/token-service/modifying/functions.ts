/** Every modifying function of the token service, family by family. */
import type { SystemFunction } from '../../function-table.ts';
import { airdropFunctions } from './airdrops.ts';
import { allowanceFunctions } from './allowances.ts';
import { associationFunctions } from './associations.ts';
import { creationFunctions } from './creation.ts';
import { ercTransferFunctions } from './erc-transfers.ts';
import { relationFlagFunctions } from './relation-flags.ts';
import { supplyFunctions } from './supply.ts';
import { transferFunctions } from './transfers.ts';
import { updateFunctions } from './updates.ts';

export const modifyingFunctions: readonly SystemFunction[] = [
  ...airdropFunctions,
  ...allowanceFunctions,
  ...associationFunctions,
  ...creationFunctions,
  ...ercTransferFunctions,
  ...relationFlagFunctions,
  ...supplyFunctions,
  ...transferFunctions,
  ...updateFunctions,
];
