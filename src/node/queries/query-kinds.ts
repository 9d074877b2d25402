import { accountBalance } from './account-balance.ts';
import { accountInfo } from './account-info.ts';
import { fileContents } from './file-contents.ts';
import type { QueryKind } from './query-kind.ts';
import { topicInfo } from './topic-info.ts';
import { transactionReceipt, transactionRecord } from './transaction-results.ts';
import { versionInfo } from './version-info.ts';

export const queryKinds: ReadonlyMap<string, QueryKind> = new Map(
  [accountBalance, accountInfo, fileContents, topicInfo, transactionReceipt, transactionRecord, versionInfo].map(
    (kind) => [kind.name, kind],
  ),
);
