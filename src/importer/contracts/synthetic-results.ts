/** Contract results of token transactions that no contract made, as if the token's ERC-20 function had been called. */
import { EMPTY_ENTITY_ID, type EntityId } from '../../ledger/entity-id.ts';
import { orNull } from '../common/ids.ts';
import { contractResultOf, type RecordItem } from '../record-item.ts';
import type { HandlerContext } from '../transaction-handler.ts';
import { evmHashOf } from './ethereum-of.ts';

/** Selectors of `transfer(address,uint256)` and `approve(address,uint256)`. */
const TRANSFER: Uint8Array = Uint8Array.of(0xa9, 0x05, 0x9c, 0xbb);
const APPROVE: Uint8Array = Uint8Array.of(0x09, 0x5e, 0xa7, 0xb3);

const addResult = (
  item: RecordItem,
  contractId: EntityId,
  functionParameters: Uint8Array,
  context: HandlerContext,
): void => {
  const { persist, evm, batch } = context;
  if (!persist.syntheticContractResults || contractResultOf(item) !== undefined) return;
  const { consensusTimestamp, payer, status, body } = item;
  const hash = evmHashOf(item, context);
  evm.addResult({
    amount: null,
    bloom: null,
    call_result: Uint8Array.of(item.successful ? 1 : 0),
    consensus_timestamp: consensusTimestamp,
    contract_id: contractId,
    created_contract_ids: null,
    error_message: null,
    failed_initcode: null,
    function_parameters: functionParameters,
    function_result: null,
    gas_consumed: null,
    gas_limit: 0n,
    gas_used: null,
    payer_account_id: payer,
    sender_id: orNull(payer),
    transaction_hash: hash,
    transaction_index: evm.transactionIndexOf(item) ?? null,
    transaction_nonce: body.transactionID?.nonce ?? 0,
    transaction_result: status,
  });
  if (!persist.contractTransactionHash) return;
  batch.insert('contract_transaction_hash', {
    consensus_timestamp: consensusTimestamp,
    entity_id: contractId,
    hash,
    payer_account_id: payer,
    transaction_result: status,
  });
};

/** For a transaction that moved tokens, of which the record lists `tokenId` first. */
export const addTransferResult = (item: RecordItem, tokenId: EntityId, context: HandlerContext): void =>
  addResult(item, tokenId, TRANSFER, context);

/** For a transaction that granted allowances of tokens. */
export const addApprovalResult = (item: RecordItem, context: HandlerContext): void =>
  addResult(item, EMPTY_ENTITY_ID, APPROVE, context);
