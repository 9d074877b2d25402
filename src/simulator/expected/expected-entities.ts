import { scheduleMemo } from '../activity/schedules.ts';
import type { Account } from '../state/ledger-entities.ts';
import type { LedgerState } from '../state/ledger-state.ts';

export interface ExpectedEntity {
  readonly type: 'ACCOUNT' | 'CONTRACT' | 'FILE' | 'SCHEDULE' | 'TOKEN' | 'TOPIC';
  readonly deleted: boolean;
  readonly memo: string;
  /** The serialized Key, of files KeyList; undefined for kinds of entities whose keys stand elsewhere. */
  readonly key: Uint8Array | undefined;
  /** Of accounts and contracts. */
  readonly account: ExpectedAccount | undefined;
}

export interface ExpectedAccount {
  readonly stakedNodeId: number | undefined;
  readonly stakedAccount: bigint | undefined;
  readonly declineReward: boolean;
  readonly ethereumNonce: bigint;
  readonly delegation: Uint8Array | undefined;
}

const accountOf = (account: Account): ExpectedAccount => ({
  stakedNodeId: account.stakedNodeId,
  stakedAccount: account.stakedAccount,
  declineReward: account.declineReward,
  ethereumNonce: account.ethereumNonce,
  delegation: account.delegation,
});

/** Everything that users made; the network's own accounts and files have no story. */
export const expectedEntities = (state: LedgerState): Map<bigint, ExpectedEntity> => {
  const contracts = new Map(
    [...state.contracts, ...state.deletedContracts, ...state.published].map((contract) => [contract.num, contract]),
  );
  const accounts = [...state.accounts.values(), ...state.deletedAccounts];
  const gone = state.deletedContracts.map(({ account }) => account);
  const entities = new Map<bigint, ExpectedEntity>();
  for (const account of [...accounts, ...gone]) {
    const contract = contracts.get(account.num);
    entities.set(account.num, {
      type: contract === undefined ? 'ACCOUNT' : 'CONTRACT',
      deleted: account.deleted,
      memo: account.memo,
      key: account.keyBytes,
      account: accountOf(contract === undefined ? account : { ...account, ethereumNonce: contract.nonce }),
    });
  }
  for (const file of [...state.files, ...state.deletedFiles, ...state.callDataFiles]) {
    const deleted = state.deletedFiles.includes(file);
    entities.set(file.num, { type: 'FILE', deleted, memo: file.memo, key: file.keyBytes, account: undefined });
  }
  for (const token of [...state.fungible, ...state.nfts, ...state.deletedTokens]) {
    const { deleted, memo, treasury } = token;
    entities.set(token.num, { type: 'TOKEN', deleted, memo, key: treasury.keyBytes, account: undefined });
  }
  for (const topic of [...state.topics, ...state.deletedTopics, ...state.submitted.topics.values()]) {
    const deleted = state.deletedTopics.includes(topic);
    entities.set(topic.num, { type: 'TOPIC', deleted, memo: topic.memo, key: undefined, account: undefined });
  }
  for (const schedule of [...state.schedules, ...state.closedSchedules]) {
    const { num, deleted, keyBytes } = schedule;
    entities.set(num, {
      type: 'SCHEDULE',
      deleted,
      memo: scheduleMemo(schedule),
      key: keyBytes,
      account: undefined,
    });
  }
  return entities;
};
