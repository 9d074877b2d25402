import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import type {
  AccountID,
  ContractID,
  FileID,
  ScheduleID,
  TokenID,
  TopicID,
} from '../../protobuf/generated/services/basic_types.ts';
import type { Timestamp } from '../../protobuf/generated/services/timestamp.ts';

/** Protobuf ids of entities in shard 0, realm 0, where the whole simulated network lives. */
const place = { shardNum: 0n, realmNum: 0n };

export const accountId = (num: bigint): AccountID => ({ ...place, account: { $case: 'accountNum', accountNum: num } });
export const accountAlias = (alias: Uint8Array): AccountID => ({ ...place, account: { $case: 'alias', alias } });
export const contractId = (num: bigint): ContractID => ({
  ...place,
  contract: { $case: 'contractNum', contractNum: num },
});
export const fileId = (num: bigint): FileID => ({ ...place, fileNum: num });
export const scheduleId = (num: bigint): ScheduleID => ({ ...place, scheduleNum: num });
export const tokenId = (num: bigint): TokenID => ({ ...place, tokenNum: num });
export const topicId = (num: bigint): TopicID => ({ ...place, topicNum: num });

export const timestampOf = (nanos: bigint): Timestamp => ({
  seconds: nanos / NANOS_PER_SECOND,
  nanos: Number(nanos % NANOS_PER_SECOND),
});
