/**
 * The state that a ledger begins with, where no transaction made it: state changes of block 0 that belong to none. The
 * wrapped genesis block of mainnet carries the accounts, contracts and files of the time before its first record file so.
 */
import { StateChanges } from '../protobuf/generated/block/stream/output/state_changes.ts';
import type { File } from '../protobuf/generated/services/state/file/file.ts';
import type { Account } from '../protobuf/generated/services/state/token/account.ts';
import { type Block, BlockItemField } from '../streams/block/block.ts';
import { streamError } from '../streams/stream-error.ts';
import { transactionsOf } from './block-transactions.ts';
import { accountNumOf } from './state-index.ts';

export interface GenesisState {
  /** As of this consensus time: nanoseconds. */
  readonly timestamp: bigint;
  /** Accounts and contracts, each once, in ascending order of their numbers. */
  readonly accounts: readonly Account[];
  /** Code by number of the contract. */
  readonly bytecodes: ReadonlyMap<bigint, Uint8Array>;
  readonly files: readonly File[];
}

const GENESIS_BLOCK = 0n;

/**
 * Undefined for later blocks, and where all state was made by transactions. `timestamp` is the consensus time of the first
 * transaction of the block.
 * @throws KagamiError STREAM_MALFORMED when a state change cannot be decoded
 */
export const genesisStateOf = (block: Block, timestamp: bigint): GenesisState | undefined => {
  if (block.number !== GENESIS_BLOCK) return undefined;
  // Each item gives a new view of its payload whenever it is asked: these are told apart by their identity.
  const items = block.items.map(({ field, bytes, payload }) => ({ field, bytes, payload }));
  const ofTransactions = new Set(transactionsOf({ ...block, items }).flatMap(({ stateChanges }) => stateChanges));
  const accounts = new Map<bigint, Account>();
  const files = new Map<bigint, File>();
  const bytecodes = new Map<bigint, Uint8Array>();
  items.forEach(({ field, payload }, index) => {
    if (field !== BlockItemField.stateChanges || ofTransactions.has(payload)) return;
    for (const { changeOperation } of decode(block, index, payload).stateChanges) {
      if (changeOperation?.$case !== 'mapUpdate') continue;
      const { key, value } = changeOperation.mapUpdate;
      const kept = value?.valueChoice;
      if (kept?.$case === 'accountValue') {
        const number = accountNumOf(kept.accountValue.accountId);
        if (number !== undefined) accounts.set(number, kept.accountValue);
      } else if (kept?.$case === 'fileValue' && kept.fileValue.fileId !== undefined) {
        files.set(kept.fileValue.fileId.fileNum, kept.fileValue);
      } else if (kept?.$case === 'bytecodeValue' && key?.keyChoice?.$case === 'contractIdKey') {
        const { contract } = key.keyChoice.contractIdKey;
        if (contract?.$case === 'contractNum') bytecodes.set(contract.contractNum, kept.bytecodeValue.code);
      }
    }
  });
  if (accounts.size + files.size + bytecodes.size === 0) return undefined;
  return { timestamp, accounts: ascending(accounts), files: ascending(files), bytecodes };
};

const decode = (block: Block, index: number, payload: Uint8Array): StateChanges => {
  try {
    return StateChanges.decode(payload);
  } catch (cause) {
    const rule = `block ${block.number}, item ${index}: the state changes cannot be decoded`;
    throw streamError('STREAM_MALFORMED', { file: block.name, block: block.number, item: index, rule }, cause);
  }
};

const ascending = <T>(values: ReadonlyMap<bigint, T>): T[] =>
  [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
