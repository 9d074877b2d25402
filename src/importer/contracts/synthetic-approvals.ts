/**
 * Approval logs. Like the entries that they come from, they are gone through from the last to the first, of which the
 * last of each key counts.
 */
import type { EntityId } from '../../ledger/entity-id.ts';
import type { NftAllowance, TokenAllowance } from '../../protobuf/generated/services/crypto_approve_allowance.ts';
import type { RecordItem } from '../record-item.ts';
import type { HandlerContext } from '../transaction-handler.ts';
import { type SyntheticLogs, syntheticLogsOf } from './synthetic-logs.ts';
import { addApprovalResult } from './synthetic-results.ts';

/** An allowance with its ids. */
export interface Grant<Allowance> {
  readonly allowance: Allowance;
  readonly owner: EntityId;
  readonly spender: EntityId;
  readonly tokenId: EntityId;
}

/** Whether the key is new to the set, which from then on has it. */
const isFirst = (seen: Set<string>, key: string): boolean => seen.size !== seen.add(key).size;

const logTokenApprovals = (logs: SyntheticLogs, grants: readonly Grant<TokenAllowance>[]): void => {
  const seen = new Set<string>();
  for (const { allowance, owner, spender, tokenId } of grants.toReversed()) {
    if (isFirst(seen, `${owner} ${spender} ${tokenId}`)) logs.approval(tokenId, owner, spender, allowance.amount);
  }
};

/** Serials that are listed beside an approval for all have no log of their own. */
const logNftApprovals = (logs: SyntheticLogs, grants: readonly Grant<NftAllowance>[]): void => {
  const seen = new Set<string>();
  const seenSerials = new Set<string>();
  for (const { allowance, owner, spender, tokenId } of grants.toReversed()) {
    const { approvedForAll, serialNumbers } = allowance;
    if (approvedForAll !== undefined && isFirst(seen, `${owner} ${spender} ${tokenId}`)) {
      logs.approvalForAll(tokenId, owner, spender, approvedForAll);
    }
    for (const serial of serialNumbers) {
      if (isFirst(seenSerials, `${tokenId} ${serial}`) && approvedForAll === undefined) {
        logs.nftApproval(tokenId, owner, spender, serial);
      }
    }
  }
};

/** Logs what a transaction granted, in the order that log indexes follow, and the call that it stands for. */
export const logApprovals = (
  { item, context }: { readonly item: RecordItem; readonly context: HandlerContext },
  nftGrants: readonly Grant<NftAllowance>[],
  tokenGrants: readonly Grant<TokenAllowance>[],
): void => {
  const logs = syntheticLogsOf(item, context);
  if (logs !== undefined) {
    logNftApprovals(logs, nftGrants);
    logTokenApprovals(logs, tokenGrants);
  }
  addApprovalResult(item, context);
};
