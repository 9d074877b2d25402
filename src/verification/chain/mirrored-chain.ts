/** The mirrored network as a chain: everything comes from our own database. */
import type { Queryable } from '../../database/connection.ts';
import { decodeEntityId, encodeEntityId, MAX_ENTITY_NUM } from '../../ledger/entity-id.ts';
import { longZeroAddress, numOfLongZeroAddress } from '../../ledger/evm-address.ts';
import { checksumAddress } from './address.ts';
import type { ContractChain, ContractIdentity } from './chain.ts';
import { type ContractCodeRow, creationCode } from './creation-code.ts';
import { type CreationTransaction, findCreationTransaction } from './creation-transaction.ts';

export interface MirroredNetwork {
  /** Decimal digits. */
  readonly chainId: string;
  readonly name: string;
  readonly shard: bigint;
  readonly realm: bigint;
}

interface IdentityRow {
  readonly id: string;
  readonly created_timestamp: string | null;
  readonly evm_address: Buffer | null;
}

interface CodeRow extends ContractCodeRow {
  readonly runtime_bytecode: Buffer | null;
  readonly deleted: boolean | null;
}

const identityColumns = 'select e.id, e.created_timestamp, e.evm_address from entity e';

// An address of CREATE2 may be used again when its contract is gone; the one that lives, else the last one counts.
const byEvmAddress = `${identityColumns} where e.evm_address = $1 and e.type = 'CONTRACT'
  order by coalesce(e.deleted, false), e.created_timestamp desc nulls last limit 1`;

const byId = `${identityColumns} where e.id = $1 and e.type = 'CONTRACT'`;

const codeOf = `select e.id, e.created_timestamp, e.deleted, c.file_id, c.initcode, c.runtime_bytecode
  from entity e left join contract c on c.id = e.id where e.id = $1`;

const storageOf = 'select value from contract_state where contract_id = $1 and slot = $2';

const isEmpty = (bytes: Buffer | null): boolean => bytes === null || bytes.length === 0;

export const openMirroredChain = (db: Queryable, network: MirroredNetwork): ContractChain => {
  const { chainId, name, shard, realm } = network;

  const addressOf = ({ id, evm_address: evmAddress }: Pick<IdentityRow, 'id' | 'evm_address'>): string =>
    checksumAddress(
      evmAddress !== null && evmAddress.length === 20 ? evmAddress : longZeroAddress(decodeEntityId(BigInt(id)).num),
    );

  const rowAt = async (address: Uint8Array): Promise<IdentityRow | undefined> => {
    const num = numOfLongZeroAddress(address);
    if (num !== undefined && num <= MAX_ENTITY_NUM) {
      const id = encodeEntityId(shard, realm, num);
      const [row] = await db.query<IdentityRow>(byId, [id], 'verification-contract-by-id');
      if (row !== undefined) return row;
    }
    return (await db.query<IdentityRow>(byEvmAddress, [Buffer.from(address)], 'verification-contract-by-address'))[0];
  };

  const codeRow = async ({ contractId }: ContractIdentity): Promise<CodeRow | undefined> =>
    contractId === null ? undefined : (await db.query<CodeRow>(codeOf, [contractId], 'verification-code'))[0];

  const deployerOf = async (id: string): Promise<string> => {
    const [row] = await db.query<{ evm_address: Buffer | null }>(
      'select evm_address from entity where id = $1',
      [id],
      'verification-deployer',
    );
    return addressOf({ id, evm_address: row?.evm_address ?? null });
  };

  /** Of 48-byte hashes the first 32 bytes, by which interfaces find the transaction as well. */
  const hashOf = ({ ethereum_hash: ethereum, transaction_hash: hash }: CreationTransaction): string | undefined => {
    const bytes = ethereum ?? hash?.subarray(0, 32);
    return bytes === undefined ? undefined : `0x${bytes.toString('hex')}`;
  };

  return {
    chainId,
    name,
    rpc: [],

    identify: async (address) => {
      const row = await rowAt(address);
      if (row === undefined) return { address: checksumAddress(address), contractId: null, createdTimestamp: null };
      return { address: addressOf(row), contractId: row.id, createdTimestamp: row.created_timestamp };
    },

    runtimeCode: async (identity) => {
      const row = await codeRow(identity);
      if (row === undefined || row.deleted === true || isEmpty(row.runtime_bytecode)) return '0x';
      return `0x${row.runtime_bytecode?.toString('hex')}`;
    },

    storage: async ({ contractId }, slot) => {
      if (contractId === null) return Buffer.alloc(0);
      const [row] = await db.query<{ value: Buffer | null }>(storageOf, [contractId, slot], 'verification-storage');
      return row?.value ?? Buffer.alloc(0);
    },

    creation: async (identity, named) => {
      const row = await codeRow(identity);
      if (row === undefined || row.created_timestamp === null) return undefined;
      const transaction = await findCreationTransaction(db, row.id, row.created_timestamp, named);
      if (transaction === undefined) {
        // Code outlives transactions, which old ledgers may have given away.
        const bytecode = named === undefined ? await creationCode(db, row, undefined) : undefined;
        return bytecode === undefined ? undefined : { bytecode };
      }
      const transactionHash = named ?? hashOf(transaction);
      const { block_number: block, transaction_index: index, deployer } = transaction;
      return {
        bytecode: await creationCode(db, row, transaction),
        ...(transactionHash === undefined ? {} : { transactionHash }),
        ...(block === null ? {} : { blockNumber: block }),
        ...(index === null ? {} : { transactionIndex: String(index) }),
        ...(deployer === null ? {} : { deployer: await deployerOf(deployer) }),
      };
    },
  };
};
