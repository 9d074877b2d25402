/** Metadata of a contract that stands on a chain, from contracts that were verified before: no gateway is asked. */
import { AuxdataStyle, decode } from '@ethereum-sourcify/bytecode-utils';
import { bestOf, type DeployedContract, type UploadedFile } from '../model.ts';
import type { Verifier } from '../verifier.ts';
import { deployedCode } from './deployed-code.ts';
import { problem } from './problem.ts';

/** IPFS identifier in the code's tail; undefined without one. */
const metadataIdOf = (code: string): string | undefined => {
  try {
    return decode(code, AuxdataStyle.SOLIDITY).ipfs;
  } catch {
    throw problem(400, 'Auxdata is not in the bytecode');
  }
};

const names = (code: string, id: string): boolean => {
  try {
    return metadataIdOf(code) === id;
  } catch {
    return false;
  }
};

/**
 * `metadata.json` and the sources.
 * @throws VerificationProblem when the code names no metadata, or one that no verified contract has
 */
export const knownMetadataFiles = async (
  verifier: Verifier,
  contract: DeployedContract,
): Promise<readonly UploadedFile[]> => {
  const code = await deployedCode(verifier, contract);
  const id = metadataIdOf(code);
  if (id === undefined) throw problem(400, "The contract doesn't have a metadata IPFS CID");
  const found = (await verifier.repository.similar(code)).find(
    (stored) => bestOf(stored) === 'perfect' && names(stored.details.recompiledRuntimeBytecode, id),
  );
  if (found?.details.metadata === undefined) throw problem(404, `Could not retrieve metadata from ${id}`);
  const { metadata, target } = found.details;
  const sources = Object.entries(target.input.sources).map(([path, { content }]) => ({
    path,
    content: Buffer.from(content),
  }));
  return [{ path: 'metadata.json', content: Buffer.from(JSON.stringify(metadata)) }, ...sources];
};
