/** State of accounts and contracts as blocks have it (message Account). */
import { isSuccessful } from '../../ledger/response-code.ts';
import { StateIdentifier } from '../../protobuf/generated/block/stream/output/state_changes.ts';
import { AccountID, Key } from '../../protobuf/generated/services/basic_types.ts';
import type { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { contractId } from '../records/proto-ids.ts';
import type { RecordedItem } from '../records/recorded-item.ts';
import { WireWriter } from '../records/wire-writer.ts';
import type { FamilyChanges } from './state-change.ts';
import { contractNum, contractResultOf } from './transaction-outputs.ts';

/** What an account is after a transaction. */
export interface AccountState {
  readonly num: bigint;
  readonly alias: Uint8Array;
  /** The serialized Key. */
  readonly keyBytes: Uint8Array;
  readonly balance: bigint;
  readonly memo: string;
  readonly deleted: boolean;
  readonly stakedNodeId: number | undefined;
  readonly stakedAccount: bigint | undefined;
  readonly declineReward: boolean;
  readonly receiverSignatureRequired: boolean;
  readonly autoAssociations: number;
  readonly ethereumNonce: bigint;
  readonly delegation: Uint8Array | undefined;
}

const UINT64 = 1n << 64n;
const LONGEST_FIXED_PARTS = 192;

const writeTag = (writer: WireWriter, field: number, wireType: number): void => writer.varint(field * 8 + wireType);

const writeNumber = (writer: WireWriter, field: number, value: bigint): void => {
  if (value === 0n) return;
  writeTag(writer, field, 0);
  writer.bigVarint(value < 0n ? value + UINT64 : value);
};

const writeFlag = (writer: WireWriter, field: number, value: boolean): void => {
  if (!value) return;
  writeTag(writer, field, 0);
  writer.byte(1);
};

const writeBytes = (writer: WireWriter, field: number, value: Uint8Array): void => {
  if (value.length === 0) return;
  writeTag(writer, field, 2);
  writer.varint(value.length);
  writer.raw(value);
};

/** The Account message, written by hand: blocks have several of them for every transfer. */
const writeAccount = (writer: WireWriter, account: AccountState, isContract: boolean): void => {
  writer.account(0x0a, account.num);
  writeBytes(writer, 2, account.alias);
  writeBytes(writer, 3, account.keyBytes);
  writeNumber(writer, 5, account.balance);
  if (account.memo !== '') writeBytes(writer, 6, Buffer.from(account.memo));
  writeFlag(writer, 7, account.deleted);
  if (account.stakedAccount !== undefined) {
    writer.account(0x52, account.stakedAccount);
  } else if (account.stakedNodeId !== undefined) {
    writeTag(writer, 11, 0);
    writer.varint(account.stakedNodeId);
  }
  writeFlag(writer, 12, account.declineReward);
  writeFlag(writer, 13, account.receiverSignatureRequired);
  writeNumber(writer, 18, BigInt(account.autoAssociations));
  writeFlag(writer, 21, isContract);
  writeNumber(writer, 23, account.ethereumNonce);
  if (account.delegation !== undefined) writeBytes(writer, 39, account.delegation);
};

/** StateChange { 1: state, 5: MapUpdateChange { 1: key { 1: id }, 2: value { 1: Account } } }. */
const accountChange = (account: AccountState, isContract: boolean): Uint8Array => {
  const { num, alias, keyBytes, memo } = account;
  const writer = new WireWriter(LONGEST_FIXED_PARTS + alias.length + keyBytes.length + 4 * memo.length);
  writer.byte(0x08);
  writer.byte(StateIdentifier.STATE_ID_ACCOUNTS);
  writer.byte(0x2a);
  const update = writer.open(2);
  writer.byte(0x0a);
  const key = writer.open(1);
  writer.account(0x0a, num);
  writer.close(key, 1);
  writer.byte(0x12);
  const value = writer.open(2);
  writer.byte(0x0a);
  const message = writer.open(2);
  writeAccount(writer, account, isContract);
  writer.close(message, 2);
  writer.close(value, 2);
  writer.close(update, 2);
  return writer.bytes.subarray(0, writer.position);
};

const numOf = (id: AccountID | undefined): bigint | undefined =>
  id?.account?.$case === 'accountNum' ? id.account.accountNum : undefined;

interface Overlay {
  readonly num: bigint;
  readonly changes: Partial<AccountState>;
}

type Update = Extract<TransactionBody['data'], { $case: 'cryptoUpdateAccount' }>['cryptoUpdateAccount'];

const stakeOf = ({ stakedId }: Update): Partial<AccountState> => {
  if (stakedId?.$case === 'stakedAccountId') {
    return { stakedNodeId: undefined, stakedAccount: numOf(stakedId.stakedAccountId) };
  }
  if (stakedId?.$case !== 'stakedNodeId') return {};
  const node = Number(stakedId.stakedNodeId);
  return { stakedNodeId: node < 0 ? undefined : node, stakedAccount: undefined };
};

/** What a body says of an account; activities change the ledger's own copy only after the record is made. */
const overlayOf = (data: TransactionBody['data']): Overlay | undefined => {
  if (data?.$case === 'cryptoDelete') {
    const num = numOf(data.cryptoDelete.deleteAccountID);
    return num === undefined ? undefined : { num, changes: { deleted: true } };
  }
  if (data?.$case !== 'cryptoUpdateAccount') return undefined;
  const update = data.cryptoUpdateAccount;
  const num = numOf(update.accountIDToUpdate);
  if (num === undefined) return undefined;
  const { key, memo, maxAutomaticTokenAssociations, declineReward, delegationAddress } = update;
  return {
    num,
    changes: {
      ...stakeOf(update),
      ...(key && { keyBytes: Key.encode(key).finish() }),
      ...(memo !== undefined && { memo }),
      ...(maxAutomaticTokenAssociations !== undefined && { autoAssociations: maxAutomaticTokenAssociations }),
      ...(declineReward !== undefined && { declineReward }),
      ...(delegationAddress.length > 0 && { delegation: delegationAddress }),
    },
  };
};

const NO_BYTES = new Uint8Array();

/** A contract that the ledger learns of after its record. */
const newContract = (num: bigint, alias: Uint8Array): AccountState => ({
  num,
  alias,
  keyBytes: Key.encode(Key.fromPartial({ key: { $case: 'contractID', contractID: contractId(num) } })).finish(),
  balance: 0n,
  memo: '',
  deleted: false,
  stakedNodeId: undefined,
  stakedAccount: undefined,
  declineReward: false,
  receiverSignatureRequired: false,
  autoAssociations: 0,
  ethereumNonce: 1n,
  delegation: undefined,
});

export interface AccountContext {
  /** Numbers of contracts; grows by those that come. */
  readonly contracts: Set<bigint>;
  readonly body: TransactionBody['data'];
}

/** Puts every account whose balance changed, and the one that the transaction is about. */
export const putAccounts = (item: RecordedItem, changes: FamilyChanges, { contracts, body }: AccountContext): void => {
  const { transfers, state, draft, status } = item;
  const put = (account: AccountState): void =>
    changes.putBytes(`a${account.num}`, accountChange(account, contracts.has(account.num)));
  for (let i = 0; i < transfers.length; i++) put(transfers.accountAt(i));
  if (!isSuccessful(status)) return;
  const overlay = overlayOf(body);
  const account = overlay && state.accounts.get(overlay.num);
  if (overlay !== undefined && account !== undefined) put({ ...account, ...overlay.changes });
  const { accountID } = draft.receipt ?? {};
  const created = body?.$case === 'cryptoCreateAccount' && accountID !== undefined;
  const createdNum = created ? numOf(AccountID.fromPartial(accountID)) : undefined;
  if (createdNum !== undefined) {
    const createdAccount = state.accounts.get(createdNum);
    if (createdAccount !== undefined) put(createdAccount);
  }
  const recorded = contractResultOf(item);
  if (recorded === undefined) return;
  const { contractID, senderId, evmAddress, signerNonce } = recorded.result;
  const num = contractNum(contractID);
  if (recorded.creation && num !== undefined) {
    contracts.add(num);
    put(state.accounts.get(num) ?? newContract(num, evmAddress ?? NO_BYTES));
  }
  const sender = signerNonce === undefined ? undefined : state.accounts.get(numOf(senderId) ?? -1n);
  if (sender !== undefined) put(sender);
};
