/** The repository of verified contracts: the database, and files beside it where a folder is configured. */
import type { Database } from '../../database/connection.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { addressBytes } from '../chain/address.ts';
import type { ContractChain } from '../chain/chain.ts';
import type { DeployedContract, StoredContract } from '../model.ts';
import type { Repository } from '../verifier.ts';
import { countContracts, findByMatchId, findContract, listContracts, similarContracts } from './contract-search.ts';
import { storeContract } from './contract-store.ts';
import type { FileRepository } from './file-repository.ts';

/** Contracts that are read at once when all files are written. */
const REBUILD_PAGE = 100;

export interface RepositoryOptions {
  readonly database: Database;
  /** By chain id. */
  readonly chains: ReadonlyMap<string, ContractChain>;
  readonly files?: FileRepository | undefined;
}

export const openRepository = ({ database, chains, files }: RepositoryOptions): Repository => {
  const identify = async ({ chainId, address }: DeployedContract) => {
    const bytes = addressBytes(address);
    return bytes === undefined ? undefined : chains.get(chainId)?.identify(bytes);
  };

  const find = async (contract: DeployedContract): Promise<StoredContract | undefined> => {
    const identity = await identify(contract);
    return identity && findContract(database, contract.chainId, identity);
  };

  return {
    find,

    findOnAllChains: async (address) => {
      const found = await Promise.all([...chains.keys()].map((chainId) => find({ chainId, address })));
      return found.filter((contract) => contract !== undefined);
    },

    store: async (result) => {
      const { details } = result;
      const identity = await identify(result);
      if (identity === undefined || details === undefined || (result.runtimeMatch ?? result.creationMatch) === null) {
        throw new KagamiError('VERIFICATION_INPUT_INVALID', 'Only a contract that matched can be stored');
      }
      const { matchId, stored } = await storeContract(database, identity, { ...result, details });
      const contract = await findByMatchId(database, matchId);
      if (contract === undefined) throw new KagamiError('VERIFICATION_FAILED', 'A contract that was stored is gone');
      if (!stored) return { stored, existing: contract };
      await files?.write(contract);
      return { stored, contract };
    },

    list: (query) => listContracts(database, query),
    count: (query) => countContracts(database, query),
    similar: (runtimeBytecode) => similarContracts(database, runtimeBytecode),
  };
};

/** Writes the files of all verified contracts of the chains anew; gives how many contracts. */
export const rebuildFiles = async (
  repository: Repository,
  chainIds: readonly string[],
  files: FileRepository,
): Promise<number> => {
  let written = 0;
  for (const chainId of chainIds) {
    let after: string | undefined;
    do {
      const page = await repository.list({
        chainId,
        match: 'any',
        order: 'asc',
        limit: REBUILD_PAGE,
        ...(after === undefined ? {} : { after }),
      });
      for (const contract of page) await files.write(contract);
      written += page.length;
      after = page.length < REBUILD_PAGE ? undefined : page.at(-1)?.matchId;
    } while (after !== undefined);
  }
  return written;
};
