/** Contracts: create, update, delete, and whom a call goes to. Results, logs and state are not made here. */

import { decodeEntityId, EMPTY_ENTITY_ID, type EntityId } from '../../../ledger/entity-id.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import { Key } from '../../../protobuf/generated/services/basic_types.ts';
import type { ContractCreateTransactionBody } from '../../../protobuf/generated/services/contract_create.ts';
import type { ContractDeleteTransactionBody } from '../../../protobuf/generated/services/contract_delete.ts';
import type { ContractUpdateTransactionBody } from '../../../protobuf/generated/services/contract_update.ts';
import { orNull } from '../../common/ids.ts';
import { contractRow } from '../../contracts/contract-code.ts';
import { changedStaking, newStaking } from '../accounts/staking.ts';
import { int64 } from '../column-values.ts';
import {
  changedAutoRenewAccount,
  commonColumns,
  createEntity,
  deleteEntity,
  type EntityChange,
  newAutoRenewAccount,
  updateEntity,
} from '../entity-versions.ts';
import { type Call, defineHandler, persists, receiptOf, touch } from '../handler.ts';
import { accountNumber, findContract, firstContract } from '../ids.ts';
import { type KeyColumns, keyColumns } from '../keys.ts';
import { createHooks, deleteHooks } from './hooks.ts';

/** A contract without an admin key is governed by itself. */
const ownKey = (id: EntityId): Key => {
  const { shard, realm, num } = decodeEntityId(id);
  return Key.fromPartial({
    key: {
      $case: 'contractID',
      contractID: { shardNum: shard, realmNum: realm, contract: { $case: 'contractNum', contractNum: num } },
    },
  });
};

const keyOfNewContract = ({ body, entityId }: Call<ContractCreateTransactionBody>): KeyColumns =>
  keyColumns(body.adminKey ?? ownKey(entityId));

const createdEvmAddress = ({ item }: Call): Uint8Array | undefined => {
  const { body } = item.record;
  const address = body?.$case === 'contractCreateResult' ? body.contractCreateResult.evmAddress : undefined;
  return address !== undefined && address.length > 0 ? address : undefined;
};

const createContract = (call: Call<ContractCreateTransactionBody>): void => {
  const { body, entityId, timestamp } = call;
  if (entityId === EMPTY_ENTITY_ID || !persists(call, 'contracts')) return;
  const columns: EntityChange = {
    ...commonColumns(body),
    ...keyOfNewContract(call),
    ...newStaking(call, body.stakedId, body.declineReward),
    auto_renew_account_id: newAutoRenewAccount(call, body.autoRenewAccountId),
    balance: 0n,
    balance_timestamp: timestamp,
    evm_address: createdEvmAddress(call),
    max_automatic_token_associations: body.maxAutomaticTokenAssociations,
    proxy_account_id: body.proxyAccountID && orNull(accountNumber(call, body.proxyAccountID)),
  };
  createEntity(call, 'CONTRACT', columns);
  const contract = contractRow(call, entityId, body);
  call.context.batch.insert('contract', contract);
  touch(call, columns.proxy_account_id, contract.file_id);
  createHooks(call, body.hookCreationDetails);
};

export const contractCreate = defineHandler(TransactionType.CONTRACTCREATEINSTANCE, 'contractCreateInstance', {
  entityId: (source) => firstContract(source, receiptOf(source)?.contractID),
  success: createContract,
  always({ body }, transaction) {
    transaction.initial_balance = int64(body.initialBalance);
  },
});

/** The plain memo of old cannot be emptied: its empty text is indistinguishable from its absence. */
const changedMemo = ({ memoField }: ContractUpdateTransactionBody): string | undefined => {
  if (memoField?.$case === 'memoWrapper') return memoField.memoWrapper;
  return memoField?.memo === '' ? undefined : memoField?.memo;
};

const updateContract = (call: Call<ContractUpdateTransactionBody>): void => {
  const { body } = call;
  const { autoRenewPeriod, expirationTime } = body;
  const columns: EntityChange = {
    ...commonColumns({ autoRenewPeriod, expirationTime, memo: changedMemo(body) }),
    ...keyColumns(body.adminKey),
    ...changedStaking(call, body.stakedId, body.declineReward),
    auto_renew_account_id: changedAutoRenewAccount(call, body.autoRenewAccountId),
    max_automatic_token_associations: body.maxAutomaticTokenAssociations,
    proxy_account_id: body.proxyAccountID && orNull(accountNumber(call, body.proxyAccountID)),
  };
  updateEntity(call, 'CONTRACT', columns);
  touch(call, columns.proxy_account_id);
  deleteHooks(call, body.hookIdsToDelete);
  createHooks(call, body.hookCreationDetails);
};

export const contractUpdate = defineHandler(TransactionType.CONTRACTUPDATEINSTANCE, 'contractUpdateInstance', {
  entityId: (source) => firstContract(source, receiptOf(source)?.contractID, source.body.contractID),
  success: updateContract,
});

const obtainerOf = (call: Call<ContractDeleteTransactionBody>): EntityId | null | undefined => {
  const { obtainers } = call.body;
  switch (obtainers?.$case) {
    case 'transferAccountID':
      return orNull(accountNumber(call, obtainers.transferAccountID));
    case 'transferContractID':
      return orNull(findContract(call, obtainers.transferContractID, 'obtainer') ?? EMPTY_ENTITY_ID);
    default:
      return undefined;
  }
};

export const contractDelete = defineHandler(TransactionType.CONTRACTDELETEINSTANCE, 'contractDeleteInstance', {
  entityId: (source) => firstContract(source, receiptOf(source)?.contractID, source.body.contractID),
  success(call) {
    const obtainer = obtainerOf(call);
    touch(call, obtainer);
    deleteEntity(call, 'CONTRACT', { obtainer_id: obtainer, permanent_removal: call.body.permanentRemoval });
  },
});

export const contractCall = defineHandler(TransactionType.CONTRACTCALL, 'contractCall', {
  entityId: (source) => firstContract(source, receiptOf(source)?.contractID, source.body.contractID),
});
