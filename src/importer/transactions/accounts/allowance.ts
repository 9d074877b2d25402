/** Allowances: what an owner lets a spender move ([HIP-336](https://hips.hedera.com/hip/hip-336)). */

import { EMPTY_ENTITY_ID, type EntityId } from '../../../ledger/entity-id.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import type { AccountID } from '../../../protobuf/generated/services/basic_types.ts';
import type {
  CryptoAllowance,
  NftAllowance,
  TokenAllowance,
} from '../../../protobuf/generated/services/crypto_approve_allowance.ts';
import { orNull } from '../../common/ids.ts';
import { type Grant, logApprovals } from '../../contracts/synthetic-approvals.ts';
import { syntheticLogsOf } from '../../contracts/synthetic-logs.ts';
import { int64 } from '../column-values.ts';
import { type Call, defineHandler, rangeFrom, type Source, touch } from '../handler.ts';
import { accountNumber, findAccount, tokenNumber } from '../ids.ts';

/** The owner that an allowance names, else the payer; undefined for one that is unknown. */
const ownerOf = (source: Source, owner: AccountID | undefined): EntityId | undefined => {
  const found = findAccount(source, owner, 'allowance owner');
  return found === EMPTY_ENTITY_ID ? source.item.payer : found;
};

/** The last of several entries with one key counts. */
const lastOfEach = <Entry>(entries: Iterable<readonly [string, Entry]>): Iterable<Entry> => new Map(entries).values();

/** The allowances of one list with their ids, without those whose owner is unknown. */
const grantsOf = <Allowance extends CryptoAllowance | NftAllowance | TokenAllowance>(
  call: Call,
  allowances: readonly Allowance[],
): Grant<Allowance>[] =>
  allowances.flatMap((allowance) => {
    const owner = ownerOf(call, allowance.owner);
    if (owner === undefined) return [];
    const tokenId = 'tokenId' in allowance ? tokenNumber(call, allowance.tokenId) : EMPTY_ENTITY_ID;
    const spender = accountNumber(call, allowance.spender);
    touch(call, owner, spender, tokenId);
    return [{ allowance, owner, spender, tokenId }];
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

const approveTokens = (call: Call, grants: readonly Grant<TokenAllowance>[]): void => {
  for (const grant of lastGrants(grants)) {
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
    const delegatingSpender = accountNumber(call, grant.allowance.delegatingSpender);
    touch(call, delegatingSpender);
    call.context.batch.stage('nft', {
      token_id: grant.tokenId,
      serial_number: serial,
      account_id: grant.owner,
      delegating_spender: orNull(delegatingSpender),
      // 0 would mean "as it was".
      spender: orNull(grant.spender),
      timestamp_range: rangeFrom(call),
    });
  }
};

const approveNfts = (call: Call, grants: readonly Grant<NftAllowance>[]): void => {
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
    const { cryptoAllowances, nftAllowances, tokenAllowances } = call.body;
    approveTinybars(call, cryptoAllowances);
    if (nftAllowances.length === 0 && tokenAllowances.length === 0) return;
    const tokenGrants = grantsOf(call, tokenAllowances);
    const nftGrants = grantsOf(call, nftAllowances);
    approveTokens(call, tokenGrants);
    approveNfts(call, nftGrants);
    logApprovals(call, nftGrants, tokenGrants);
  },
});

export const deleteAllowance = defineHandler(TransactionType.CRYPTODELETEALLOWANCE, 'cryptoDeleteAllowance', {
  success(call) {
    const logs = syntheticLogsOf(call.item, call.context);
    for (const { owner, tokenId, serialNumbers } of call.body.nftAllowances) {
      const token = tokenNumber(call, tokenId);
      const ownerId = call.context.lookup.account(owner) || call.item.payer;
      touch(call, ownerId, token);
      for (const serial of serialNumbers) {
        call.context.batch.stage('nft', {
          token_id: token,
          serial_number: serial,
          delegating_spender: null,
          spender: null,
          timestamp_range: rangeFrom(call),
        });
        logs?.nftApproval(token, ownerId, EMPTY_ENTITY_ID, serial);
      }
    }
  },
});
