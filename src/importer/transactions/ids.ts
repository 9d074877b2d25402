import { EMPTY_ENTITY_ID, type EntityId, encodeEntityId } from '../../ledger/entity-id.ts';
import type {
  AccountID,
  ContractID,
  FileID,
  HookEntityId,
  ScheduleID,
  TokenID,
  TopicID,
} from '../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { problem, type Source } from './handler.ts';

/** Results that say themselves that an id is invalid, so that an odd id comes as no surprise. */
const INVALID_ID_RESULTS: ReadonlySet<number> = new Set([
  ResponseCodeEnum.INVALID_ACCOUNT_ID,
  ResponseCodeEnum.INVALID_ALIAS_KEY,
  ResponseCodeEnum.INVALID_CONTRACT_ID,
  ResponseCodeEnum.INVALID_FILE_ID,
  ResponseCodeEnum.INVALID_NODE_ACCOUNT,
  ResponseCodeEnum.INVALID_NODE_ACCOUNT_ID,
  ResponseCodeEnum.INVALID_SCHEDULE_ID,
  ResponseCodeEnum.INVALID_TOKEN_ID,
  ResponseCodeEnum.INVALID_TOPIC_ID,
]);

interface Scope {
  readonly shardNum: bigint;
  readonly realmNum: bigint;
}

const idOf = (source: Source, { shardNum, realmNum }: Scope, num: bigint): EntityId => {
  if (num === 0n) return EMPTY_ENTITY_ID;
  try {
    return encodeEntityId(shardNum, realmNum, num);
  } catch {
    if (!INVALID_ID_RESULTS.has(source.item.status)) {
      problem(source, `Invalid entity id ${shardNum}.${realmNum}.${num}`);
    }
    return EMPTY_ENTITY_ID;
  }
};

/** The number in an account id as it stands; 0n when it is unset, an alias, or invalid. */
export const accountNumber = (source: Source, id: AccountID | undefined): EntityId =>
  id?.account?.$case === 'accountNum' ? idOf(source, id, id.account.accountNum) : EMPTY_ENTITY_ID;

export const fileNumber = (source: Source, id: FileID | undefined): EntityId =>
  id === undefined ? EMPTY_ENTITY_ID : idOf(source, id, id.fileNum);

export const tokenNumber = (source: Source, id: TokenID | undefined): EntityId =>
  id === undefined ? EMPTY_ENTITY_ID : idOf(source, id, id.tokenNum);

export const topicNumber = (source: Source, id: TopicID | undefined): EntityId =>
  id === undefined ? EMPTY_ENTITY_ID : idOf(source, id, id.topicNum);

export const scheduleNumber = (source: Source, id: ScheduleID | undefined): EntityId =>
  id === undefined ? EMPTY_ENTITY_ID : idOf(source, id, id.scheduleNum);

const known = (source: Source, id: EntityId | undefined, what: string): EntityId | undefined => {
  if (id === undefined && source.item.successful) problem(source, `Unknown alias or EVM address of the ${what}`);
  return id;
};

/** The account behind a number, alias or EVM address; 0n for an id that is unset, undefined for an unknown one. */
export const findAccount = (source: Source, id: AccountID | undefined, what: string): EntityId | undefined =>
  known(source, source.context.lookup.account(id), what);

/** The same for a contract. */
export const findContract = (source: Source, id: ContractID | undefined, what: string): EntityId | undefined =>
  known(source, source.context.lookup.contract(id), what);

/** The first contract among `ids` that is set and known; 0n when there is none. */
export const firstContract = (source: Source, ...ids: readonly (ContractID | undefined)[]): EntityId => {
  for (const id of ids) {
    if (id === undefined) continue;
    const found = findContract(source, id, 'contract');
    if (found !== undefined && found !== EMPTY_ENTITY_ID) return found;
  }
  return EMPTY_ENTITY_ID;
};

/** An account that must be there: undefined, with a problem noted, when it is unset or unknown. */
export const requireAccount = (source: Source, id: AccountID | undefined, what: string): EntityId | undefined => {
  const found = findAccount(source, id, what);
  if (found === EMPTY_ENTITY_ID) problem(source, `No ${what}`);
  return found === EMPTY_ENTITY_ID ? undefined : found;
};

/** Owner of a hook: an account or a contract; 0n when it is unset or unknown. */
export const hookOwner = (source: Source, id: HookEntityId | undefined): EntityId => {
  switch (id?.entityId?.$case) {
    case 'accountId':
      return findAccount(source, id.entityId.accountId, 'hook owner') ?? EMPTY_ENTITY_ID;
    case 'contractId':
      return findContract(source, id.entityId.contractId, 'hook owner') ?? EMPTY_ENTITY_ID;
    default:
      return EMPTY_ENTITY_ID;
  }
};
