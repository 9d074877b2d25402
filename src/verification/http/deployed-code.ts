/** Code that stands on a chain, for requests that begin with it. */
import { isKagamiError } from '../../errors/kagami-error.ts';
import type { DeployedContract } from '../model.ts';
import type { Verifier } from '../verifier.ts';
import { problem } from './problem.ts';

/**
 * 0x and hex digits; `0x` for none.
 * @throws VerificationProblem when no node of the chain gives it
 */
export const deployedCode = async (verifier: Verifier, contract: DeployedContract): Promise<string> => {
  try {
    return await verifier.runtimeCode(contract);
  } catch (fault) {
    if (!isKagamiError(fault, 'VERIFICATION_FAILED')) throw fault;
    const message = `Cannot fetch bytecode for chain #${contract.chainId} and address ${contract.address}.`;
    throw problem(502, message, 'failed_to_get_bytecode');
  }
};
