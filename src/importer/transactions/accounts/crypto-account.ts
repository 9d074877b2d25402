/** Accounts: create, update, delete. */

import { EMPTY_ENTITY_ID, type EntityId } from '../../../ledger/entity-id.ts';
import { EVM_ADDRESS_LENGTH } from '../../../ledger/evm-address.ts';
import { evmAddressOfAlias } from '../../../ledger/key.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import type { AccountID } from '../../../protobuf/generated/services/basic_types.ts';
import type { CryptoCreateTransactionBody } from '../../../protobuf/generated/services/crypto_create.ts';
import type { CryptoUpdateTransactionBody } from '../../../protobuf/generated/services/crypto_update.ts';
import { orNull } from '../../common/ids.ts';
import { int64 } from '../column-values.ts';
import { createHooks, deleteHooks } from '../contracts/hooks.ts';
import { commonColumns, createEntity, deleteEntity, type EntityChange, updateEntity } from '../entity-versions.ts';
import { type Call, defineHandler, persists, receiptOf, touch } from '../handler.ts';
import { accountNumber, requireAccount } from '../ids.ts';
import { type KeyColumns, keyColumns, serializedKeyColumns } from '../keys.ts';
import { changedStaking, newStaking } from './staking.ts';

const proxyAccount = (call: Call, id: AccountID | undefined): EntityId | null | undefined => {
  const proxy = id && orNull(accountNumber(call, id));
  touch(call, proxy);
  return proxy;
};

const ifNotEmpty = (bytes: Uint8Array): Uint8Array | undefined => (bytes.length === 0 ? undefined : bytes);

const aliasOf = ({ item, body }: Call<CryptoCreateTransactionBody>): Uint8Array | undefined =>
  ifNotEmpty(item.record.alias) ?? ifNotEmpty(body.alias);

/** An alias longer than an EVM address is itself a serialized key, and the key of an account that is given no other. */
const keyOfNewAccount = (body: CryptoCreateTransactionBody, alias: Uint8Array | undefined): KeyColumns => {
  const given = keyColumns(body.key);
  const hasGivenKey = given.key !== undefined && given.key.length > 0;
  if (hasGivenKey || alias === undefined || alias.length <= EVM_ADDRESS_LENGTH) return given;
  return serializedKeyColumns(alias);
};

const addressColumns = (call: Call<CryptoCreateTransactionBody>, alias: Uint8Array | undefined): EntityChange => ({
  alias,
  evm_address: ifNotEmpty(call.item.record.evmAddress) ?? (alias && evmAddressOfAlias(alias)),
  delegation_address: ifNotEmpty(call.body.delegationAddress),
});

/**
 * Blocks tell the nonce of an account that delegates its code ([EIP-7702](https://eips.ethereum.org/EIPS/eip-7702)).
 */
const stageNonce = (call: Call<{ readonly delegationAddress: Uint8Array }>): void => {
  const nonce = call.item.ofBlock?.ethereumNonce;
  if (nonce === undefined || call.entityId === EMPTY_ENTITY_ID || !persists(call, 'trackNonce')) return;
  call.context.batch.stage('entity', { id: call.entityId, ethereum_nonce: nonce });
};

const createAccount = (call: Call<CryptoCreateTransactionBody>): void => {
  const { body, timestamp } = call;
  const alias = aliasOf(call);
  createEntity(call, 'ACCOUNT', {
    ...commonColumns(body),
    ...keyOfNewAccount(body, alias),
    ...addressColumns(call, alias),
    ...newStaking(call, body.stakedId, body.declineReward),
    balance: 0n,
    balance_timestamp: timestamp,
    max_automatic_token_associations: body.maxAutomaticTokenAssociations,
    proxy_account_id: proxyAccount(call, body.proxyAccountID),
    receiver_sig_required: body.receiverSigRequired,
  });
  createHooks(call, body.hookCreationDetails);
  stageNonce(call);
};

export const cryptoCreate = defineHandler(TransactionType.CRYPTOCREATEACCOUNT, 'cryptoCreateAccount', {
  entityId: (source) => accountNumber(source, receiptOf(source)?.accountID),
  success: createAccount,
  always({ body }, transaction) {
    transaction.initial_balance = int64(body.initialBalance);
  },
});

/** The plain field of old can only switch the requirement on: its false is indistinguishable from its absence. */
const receiverSigRequired = ({ receiverSigRequiredField: field }: CryptoUpdateTransactionBody): boolean | undefined => {
  if (field?.$case === 'receiverSigRequiredWrapper') return field.receiverSigRequiredWrapper;
  return field?.receiverSigRequired === true ? true : undefined;
};

const updateAccount = (call: Call<CryptoUpdateTransactionBody>): void => {
  const { body } = call;
  updateEntity(call, 'ACCOUNT', {
    ...commonColumns(body),
    ...keyColumns(body.key),
    ...changedStaking(call, body.stakedId, body.declineReward),
    delegation_address: ifNotEmpty(body.delegationAddress),
    max_automatic_token_associations: body.maxAutomaticTokenAssociations,
    proxy_account_id: proxyAccount(call, body.proxyAccountID),
    receiver_sig_required: receiverSigRequired(body),
  });
  deleteHooks(call, body.hookIdsToDelete);
  createHooks(call, body.hookCreationDetails);
  stageNonce(call);
};

export const cryptoUpdate = defineHandler(TransactionType.CRYPTOUPDATEACCOUNT, 'cryptoUpdateAccount', {
  entityId: (source) => accountNumber(source, source.body.accountIDToUpdate),
  success: updateAccount,
});

export const cryptoDelete = defineHandler(TransactionType.CRYPTODELETE, 'cryptoDelete', {
  entityId: (source) => accountNumber(source, source.body.deleteAccountID),
  success(call) {
    const obtainer = requireAccount(call, call.body.transferAccountID, 'obtainer');
    touch(call, obtainer);
    deleteEntity(call, 'ACCOUNT', { obtainer_id: obtainer });
  },
});
