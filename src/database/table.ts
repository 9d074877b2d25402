/**
 * All tables of the ledger schema by name, and the row types that writers fill. The descriptions follow the catalogue
 * column by column; a test holds them against a migrated database.
 */
import type { RowOfTable, Table } from './column.ts';
import { addressBook, addressBookEntry, addressBookServiceEndpoint } from './tables/address-book.ts';
import {
  cryptoAllowance,
  cryptoAllowanceHistory,
  nftAllowance,
  nftAllowanceHistory,
  tokenAllowance,
  tokenAllowanceHistory,
} from './tables/allowance.ts';
import { accountBalance, accountBalanceFile, reconciliationJob, tokenBalance } from './tables/balance.ts';
import {
  contract,
  contractAction,
  contractLog,
  contractResult,
  contractState,
  contractStateChange,
  contractTransaction,
  contractTransactionHash,
  ethereumTransaction,
} from './tables/contract.ts';
import { entity, entityHistory, entityStake, entityStakeHistory } from './tables/entity.ts';
import { fileData } from './tables/file.ts';
import { hook, hookHistory, hookStorage, hookStorageChange } from './tables/hook.ts';
import { nft, nftHistory } from './tables/nft.ts';
import { networkStake, node, nodeHistory, nodeStake, registeredNode, registeredNodeHistory } from './tables/node.ts';
import { ledger, recordFile, sidecarFile } from './tables/record-file.ts';
import { schedule } from './tables/schedule.ts';
import {
  customFee,
  customFeeHistory,
  token,
  tokenAccount,
  tokenAccountHistory,
  tokenAirdrop,
  tokenAirdropHistory,
  tokenHistory,
} from './tables/token.ts';
import { topic, topicHistory, topicMessage, topicMessageLookup } from './tables/topic.ts';
import {
  entityTransaction,
  liveHash,
  networkFreeze,
  prng,
  transaction,
  transactionHash,
  transactionSignature,
} from './tables/transaction.ts';
import {
  assessedCustomFee,
  cryptoTransfer,
  nonFeeTransfer,
  stakingRewardTransfer,
  tokenTransfer,
} from './tables/transfer.ts';

export const tables = {
  account_balance: accountBalance,
  account_balance_file: accountBalanceFile,
  address_book: addressBook,
  address_book_entry: addressBookEntry,
  address_book_service_endpoint: addressBookServiceEndpoint,
  assessed_custom_fee: assessedCustomFee,
  contract: contract,
  contract_action: contractAction,
  contract_log: contractLog,
  contract_result: contractResult,
  contract_state: contractState,
  contract_state_change: contractStateChange,
  contract_transaction: contractTransaction,
  contract_transaction_hash: contractTransactionHash,
  crypto_allowance: cryptoAllowance,
  crypto_allowance_history: cryptoAllowanceHistory,
  crypto_transfer: cryptoTransfer,
  custom_fee: customFee,
  custom_fee_history: customFeeHistory,
  entity: entity,
  entity_history: entityHistory,
  entity_stake: entityStake,
  entity_stake_history: entityStakeHistory,
  entity_transaction: entityTransaction,
  ethereum_transaction: ethereumTransaction,
  file_data: fileData,
  hook: hook,
  hook_history: hookHistory,
  hook_storage: hookStorage,
  hook_storage_change: hookStorageChange,
  ledger: ledger,
  live_hash: liveHash,
  network_freeze: networkFreeze,
  network_stake: networkStake,
  nft: nft,
  nft_allowance: nftAllowance,
  nft_allowance_history: nftAllowanceHistory,
  nft_history: nftHistory,
  node: node,
  node_history: nodeHistory,
  node_stake: nodeStake,
  non_fee_transfer: nonFeeTransfer,
  prng: prng,
  reconciliation_job: reconciliationJob,
  record_file: recordFile,
  registered_node: registeredNode,
  registered_node_history: registeredNodeHistory,
  schedule: schedule,
  sidecar_file: sidecarFile,
  staking_reward_transfer: stakingRewardTransfer,
  token: token,
  token_account: tokenAccount,
  token_account_history: tokenAccountHistory,
  token_airdrop: tokenAirdrop,
  token_airdrop_history: tokenAirdropHistory,
  token_allowance: tokenAllowance,
  token_allowance_history: tokenAllowanceHistory,
  token_balance: tokenBalance,
  token_history: tokenHistory,
  token_transfer: tokenTransfer,
  topic: topic,
  topic_history: topicHistory,
  topic_message: topicMessage,
  topic_message_lookup: topicMessageLookup,
  transaction: transaction,
  transaction_hash: transactionHash,
  transaction_signature: transactionSignature,
} as const;

type Tables = typeof tables;
export type TableName = keyof Tables;

/** The row that a writer fills for the table named `Name`: snake_case keys, every column present. */
export type RowOf<Name extends TableName> = RowOfTable<Tables[Name]>;

/** The same, where a number may stand for a 64-bit integer that it holds exactly. */
export type NumericRowOf<Name extends TableName> = {
  [K in keyof RowOf<Name>]: bigint extends RowOf<Name>[K] ? RowOf<Name>[K] | number : RowOf<Name>[K];
};

export const tableNames = Object.keys(tables) as TableName[];

/** The description as a general table, for code that walks columns of any table. */
export const tableNamed = (name: TableName): Table => tables[name] as unknown as Table;
