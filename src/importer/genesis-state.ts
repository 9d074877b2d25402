/** The rows of what a ledger begins with, where block 0 tells it as state instead of as transactions. */
import type { GenesisState } from '../blocks/genesis-state.ts';
import type { EnumLabel } from '../database/column.ts';
import { type EntityId, encodeEntityId } from '../ledger/entity-id.ts';
import { evmAddressOfAlias } from '../ledger/key.ts';
import { NANOS_PER_SECOND } from '../ledger/timestamp.ts';
import { TransactionType } from '../ledger/transaction-type.ts';
import type { AccountID } from '../protobuf/generated/services/basic_types.ts';
import type { Account } from '../protobuf/generated/services/state/token/account.ts';
import { orNull } from './common/ids.ts';
import type { LedgerBatch } from './ledger-batch.ts';
import type { HandlerContext } from './transaction-handler.ts';
import { int64, storedText } from './transactions/column-values.ts';
import { keyColumns } from './transactions/keys.ts';

/**
 * Adds accounts, contracts and files. Nothing is known of when they were created, nor of the storage of contracts. To be
 * called before the transactions of the block.
 */
export const addGenesisState = (state: GenesisState, context: Pick<HandlerContext, 'batch' | 'network'>): void => {
  for (const account of state.accounts) stageAccount(context.batch, account, state.timestamp);
  const { shard, realm } = context.network;
  for (const [number, code] of state.bytecodes) {
    context.batch.insert('contract', {
      id: encodeEntityId(shard, realm, number),
      file_id: null,
      initcode: null,
      runtime_bytecode: code,
    });
  }
  for (const { fileId, contents } of state.files) {
    if (fileId === undefined) continue;
    context.batch.insert('file_data', {
      consensus_timestamp: state.timestamp,
      entity_id: encodeEntityId(fileId.shardNum, fileId.realmNum, fileId.fileNum),
      file_data: contents,
      transaction_type: TransactionType.FILEUPDATE,
    });
  }
};

const idOf = (id: AccountID | undefined): EntityId | undefined =>
  id?.account?.$case === 'accountNum' ? encodeEntityId(id.shardNum, id.realmNum, id.account.accountNum) : undefined;

const stageAccount = (batch: LedgerBatch, account: Account, timestamp: bigint): void => {
  const id = idOf(account.accountId);
  if (id === undefined) return;
  const type: EnumLabel<'entity_type'> = account.smartContract ? 'CONTRACT' : 'ACCOUNT';
  const { alias } = account;
  batch.stage('entity', {
    id,
    type,
    timestamp_range: { lower: timestamp, upper: null },
    ...keyColumns(account.key),
    ...(alias.length > 0 && { alias, evm_address: evmAddressOfAlias(alias) }),
    auto_renew_account_id: orNull(idOf(account.autoRenewAccountId) ?? 0n),
    auto_renew_period: int64(account.autoRenewSeconds),
    balance: account.tinybarBalance,
    balance_timestamp: timestamp,
    deleted: account.deleted,
    expiration_timestamp: int64(account.expirationSecond * NANOS_PER_SECOND),
    max_automatic_token_associations: account.maxAutoAssociations,
    memo: storedText(account.memo),
    receiver_sig_required: account.receiverSigRequired,
  });
};
