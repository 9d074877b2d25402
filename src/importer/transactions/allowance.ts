/** Allowances: what an owner lets a spender move (HIP-336). */

import { EMPTY_ENTITY_ID, type EntityId } from '../../ledger/entity-id.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import type { AccountID } from '../../protobuf/generated/services/basic_types.ts';
import type {
  CryptoAllowance,
  NftAllowance,
  TokenAllowance,
} from '../../protobuf/generated/services/crypto_approve_allowance.ts';
import { orNull } from '../common/ids.ts';
import { int64 } from './column-values.ts';
import { type Call, defineHandler, rangeFrom, type Source } from './handler.ts';
import { accountNumber, findAccount, tokenNumber } from './ids.ts';

/** The owner that an allowance names, else the payer; undefined for one that is unknown. */
const ownerOf = (source: Source, owner: AccountID | undefined): EntityId | undefined => {
  const found = findAccount(source, owner, 'allowance owner');
  return found === EMPTY_ENTITY_ID ? source.item.payer : found;
};

/** The last of several entries with one key counts. */
const lastOfEach = <Entry>(entries: Iterable<readonly [string, Entry]>): Iterable<Entry> => new Map(entries).values();

interface Grant<Allowance> {
  readonly allowance: Allowance;
  readonly owner: EntityId;
  readonly spender: EntityId;
  readonly tokenId: EntityId;
}

/** The allowances of one list with their ids, without those whose owner is unknown. */
const grantsOf = <Allowance extends CryptoAllowance | NftAllowance | TokenAllowance>(
  call: Call,
  allowances: readonly Allowance[],
): Grant<Allowance>[] =>
  allowances.flatMap((allowance) => {
    const owner = ownerOf(call, allowance.owner);
    if (owner === undefined) return [];
    const tokenId = 'tokenId' in allowance ? tokenNumber(call, allowance.tokenId) : EMPTY_ENTITY_ID;
    return [{ allowance, owner, spender: accountNumber(call, allowance.spender), tokenId }];
  });

const lastGrants = <Allowance>(grants: readonly Grant<Allowance>[]): Iterable<Grant<Allowance>> =>
  lastOfEach(grants.map((grant) => [`${grant.owner} ${grant.spender} ${grant.tokenId}`, grant]));

/** Columns that versions of all three kinds of allowance share. */
const grantColumns = (call: Call, { owner, spender }: Grant<unknown>) => ({
  owner,
  spender,
  payer_account_id: call.item.payer,
  timestamp_range: rangeFrom(call),
});

const amountColumns = (amount: bigint) => ({ amount: int64(amount), amount_granted: int64(amount) });

const approveTinybars = (call: Call, allowances: readonly CryptoAllowance[]): void => {
  for (const grant of lastGrants(grantsOf(call, allowances))) {
    call.context.batch.stage('crypto_allowance', {
      ...grantColumns(call, grant),
      ...amountColumns(grant.allowance.amount),
    });
  }
};

const approveTokens = (call: Call, allowances: readonly TokenAllowance[]): void => {
  for (const grant of lastGrants(grantsOf(call, allowances))) {
    call.context.batch.stage('token_allowance', {
      ...grantColumns(call, grant),
      ...amountColumns(grant.allowance.amount),
      token_id: grant.tokenId,
    });
  }
};

const approveSerials = (call: Call, grants: readonly Grant<NftAllowance>[]): void => {
  const approvals = grants.flatMap((grant) =>
    grant.allowance.serialNumbers.map((serial) => [`${grant.tokenId} ${serial}`, { grant, serial }] as const),
  );
  for (const { grant, serial } of lastOfEach(approvals)) {
    call.context.batch.stage('nft', {
      token_id: grant.tokenId,
      serial_number: serial,
      account_id: grant.owner,
      delegating_spender: orNull(accountNumber(call, grant.allowance.delegatingSpender)),
      // 0 would mean "as it was".
      spender: orNull(grant.spender),
      timestamp_range: rangeFrom(call),
    });
  }
};

const approveNfts = (call: Call, allowances: readonly NftAllowance[]): void => {
  const grants = grantsOf(call, allowances);
  for (const grant of lastGrants(grants.filter(({ allowance }) => allowance.approvedForAll !== undefined))) {
    call.context.batch.stage('nft_allowance', {
      ...grantColumns(call, grant),
      approved_for_all: grant.allowance.approvedForAll === true,
      token_id: grant.tokenId,
    });
  }
  approveSerials(call, grants);
};

export const approveAllowance = defineHandler(TransactionType.CRYPTOAPPROVEALLOWANCE, 'cryptoApproveAllowance', {
  success(call) {
    approveTinybars(call, call.body.cryptoAllowances);
    approveTokens(call, call.body.tokenAllowances);
    approveNfts(call, call.body.nftAllowances);
  },
});

export const deleteAllowance = defineHandler(TransactionType.CRYPTODELETEALLOWANCE, 'cryptoDeleteAllowance', {
  success(call) {
    for (const { tokenId, serialNumbers } of call.body.nftAllowances) {
      const token = tokenNumber(call, tokenId);
      for (const serial of serialNumbers) {
        call.context.batch.stage('nft', {
          token_id: token,
          serial_number: serial,
          delegating_spender: null,
          spender: null,
          timestamp_range: rangeFrom(call),
        });
      }
    }
  },
});
