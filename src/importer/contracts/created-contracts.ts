/** Contracts that a transaction created besides its main one, and the nonces that creations raised. */
import { EMPTY_ENTITY_ID, type EntityId } from '../../ledger/entity-id.ts';
import type { ContractFunctionResult } from '../../protobuf/generated/services/contract_types.ts';
import { orNull } from '../common/ids.ts';
import { atLeastHapi, type RecordItem } from '../record-item.ts';
import { commonColumns, createEntity } from '../transactions/entity-versions.ts';
import type { Source } from '../transactions/handler.ts';
import { accountNumber, fileNumber, findContract } from '../transactions/ids.ts';
import { keyColumns } from '../transactions/keys.ts';
import { contractNumber } from './contract-ids.ts';

/** Since HAPI 0.23 every created contract has a record of its own. */
const isRecordedApart = (item: RecordItem): boolean => atLeastHapi(item, 0, 23);

/** A contract that is known only from the list of created ones; in a creation it shares what the body says. */
const createContract = (source: Source, entityId: EntityId): void => {
  const { item, context } = source;
  const { data } = item.body;
  const body = data?.$case === 'contractCreateInstance' ? data.contractCreateInstance : undefined;
  const timestamp = item.consensusTimestamp;
  createEntity({ ...source, body, entityId, timestamp }, 'CONTRACT', {
    balance: 0n,
    balance_timestamp: timestamp,
    max_automatic_token_associations: 0,
    ...(body !== undefined && {
      ...commonColumns({ autoRenewPeriod: body.autoRenewPeriod, memo: body.memo }),
      ...keyColumns(body.adminKey),
      proxy_account_id: body.proxyAccountID && orNull(accountNumber(source, body.proxyAccountID)),
    }),
  });
  context.touch(entityId);
  if (body === undefined) return;
  const code = body.initcodeSource;
  context.batch.insert('contract', {
    id: entityId,
    file_id: code?.$case === 'fileID' ? orNull(fileNumber(source, code.fileID)) : null,
    initcode: null,
    runtime_bytecode: null,
  });
};

/** Ids of the contracts that the result lists as created, in its order; makes those that have no record of their own. */
export const createdContracts = (
  source: Source,
  { createdContractIDs }: ContractFunctionResult,
  mainContract: EntityId,
): EntityId[] => {
  const { item } = source;
  const listsOnly = item.successful && !isRecordedApart(item);
  const created: EntityId[] = [];
  for (const id of createdContractIDs) {
    const found = findContract(source, id, 'created contract') ?? EMPTY_ENTITY_ID;
    if (found === EMPTY_ENTITY_ID) continue;
    if (listsOnly && found !== mainContract && !created.includes(found)) createContract(source, found);
    created.push(found);
  }
  return created;
};

/** Nonces that contracts have after the transaction, whether it succeeded or not. */
export const stageContractNonces = (source: Source, { contractNonces }: ContractFunctionResult): void => {
  const { persist, batch } = source.context;
  if (!persist.trackNonce) return;
  for (const { contractId, nonce } of contractNonces) {
    const id = contractNumber(source, contractId);
    if (id !== EMPTY_ENTITY_ID) batch.stage('entity', { id, ethereum_nonce: nonce });
  }
};
