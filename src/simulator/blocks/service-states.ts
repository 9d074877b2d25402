/** State of topics, files, schedules and nodes, and of hooks as accounts get and lose them. */
import { isSuccessful } from '../../ledger/response-code.ts';
import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { StateIdentifier } from '../../protobuf/generated/block/stream/output/state_changes.ts';
import type { FileID, HookId } from '../../protobuf/generated/services/basic_types.ts';
import type { HookCreationDetails } from '../../protobuf/generated/services/hook_types.ts';
import type { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { accountId, scheduleId, topicId } from '../records/proto-ids.ts';
import type { RecordedItem } from '../records/recorded-item.ts';
import { putHookUpdates } from './contract-states.ts';
import type { FamilyChanges } from './state-change.ts';

type Body = TransactionBody['data'];
type BodyOf<Case extends string> = Extract<Body, { $case: Case }>;

const RUNNING_HASH_BYTES = 48;

/** `topic`: of a message, whose body is written without codec. */
const putTopic = ({ draft }: RecordedItem, body: Body, topic: bigint | undefined, changes: FamilyChanges): void => {
  const put = (
    num: bigint,
    value: { sequenceNumber: bigint; runningHash: Uint8Array; memo?: string; deleted?: boolean },
  ) =>
    changes.put(
      `o${num}`,
      StateIdentifier.STATE_ID_TOPICS,
      { $case: 'topicIdKey', topicIdKey: topicId(num) },
      { $case: 'topicValue', topicValue: { topicId: topicId(num), ...value } },
    );
  const { topicID, topicSequenceNumber, topicRunningHash } = draft.receipt ?? {};
  if (body?.$case === 'consensusCreateTopic' && topicID?.topicNum !== undefined) {
    const { memo } = body.consensusCreateTopic;
    put(BigInt(topicID.topicNum), { sequenceNumber: 0n, runningHash: new Uint8Array(RUNNING_HASH_BYTES), memo });
  }
  if (topic !== undefined && topicRunningHash !== undefined) {
    put(topic, { sequenceNumber: BigInt(topicSequenceNumber ?? 0n), runningHash: topicRunningHash });
  }
};

/** Files that a body gives whole; an appended file is left out, since the simulator doesn't keep contents. */
const putFile = ({ draft }: RecordedItem, body: Body, changes: FamilyChanges): void => {
  const put = (
    id: FileID,
    value: Partial<BodyOf<'fileCreate'>['fileCreate']> & { readonly deleted?: boolean },
  ): void => {
    const { contents, memo, keys, expirationTime, deleted = false } = value;
    changes.put(
      `f${id.fileNum}`,
      StateIdentifier.STATE_ID_FILES,
      { $case: 'fileIdKey', fileIdKey: id },
      {
        $case: 'fileValue',
        fileValue: {
          fileId: id,
          deleted,
          ...(contents && { contents }),
          ...(memo && { memo }),
          ...(keys && { keys }),
          ...(expirationTime && { expirationSecond: expirationTime.seconds }),
        },
      },
    );
  };
  const { fileID } = draft.receipt ?? {};
  if (body?.$case === 'fileCreate' && fileID?.fileNum !== undefined) {
    put({ shardNum: 0n, realmNum: 0n, fileNum: BigInt(fileID.fileNum) }, body.fileCreate);
  }
  if (body?.$case === 'fileUpdate' && body.fileUpdate.fileID !== undefined && body.fileUpdate.contents.length > 0) {
    const { fileID: id, contents, memo } = body.fileUpdate;
    put(id, { contents, ...(memo !== undefined && { memo }) });
  }
  if (body?.$case === 'fileDelete' && body.fileDelete.fileID !== undefined) {
    put(body.fileDelete.fileID, { deleted: true });
  }
};

const putSchedule = ({ draft, payer, at }: RecordedItem, body: Body, changes: FamilyChanges): void => {
  const put = (num: bigint, value: object): void =>
    changes.put(
      `s${num}`,
      StateIdentifier.STATE_ID_SCHEDULES_BY_ID,
      { $case: 'scheduleIdKey', scheduleIdKey: scheduleId(num) },
      { $case: 'scheduleValue', scheduleValue: { scheduleId: scheduleId(num), ...value } },
    );
  const { scheduleID } = draft.receipt ?? {};
  const resolutionTime = { seconds: at / NANOS_PER_SECOND, nanos: Number(at % NANOS_PER_SECOND) };
  if (body?.$case === 'scheduleCreate' && scheduleID?.scheduleNum !== undefined) {
    const { memo, adminKey, payerAccountID, scheduledTransactionBody, waitForExpiry, expirationTime } =
      body.scheduleCreate;
    put(BigInt(scheduleID.scheduleNum), {
      memo,
      waitForExpiry,
      adminKey,
      schedulerAccountId: accountId(payer.num),
      payerAccountId: payerAccountID ?? accountId(payer.num),
      scheduledTransaction: scheduledTransactionBody,
      ...(expirationTime && { providedExpirationSecond: expirationTime.seconds }),
    });
  }
  if (body?.$case === 'scheduleDelete' && body.scheduleDelete.scheduleID !== undefined) {
    put(body.scheduleDelete.scheduleID.scheduleNum, { deleted: true, resolutionTime });
  }
  const executed = draft.record?.scheduleRef?.scheduleNum;
  if (executed !== undefined) put(BigInt(executed), { executed: true, resolutionTime });
};

const putNode = ({ draft }: RecordedItem, body: Body, changes: FamilyChanges): void => {
  const { nodeId, registeredNodeId } = draft.receipt ?? {};
  if (body?.$case === 'nodeCreate' && nodeId !== undefined) {
    changes.put(
      `d${nodeId}`,
      StateIdentifier.STATE_ID_NODES,
      { $case: 'entityNumberKey', entityNumberKey: BigInt(nodeId) },
      { $case: 'nodeValue', nodeValue: { ...body.nodeCreate, nodeId: BigInt(nodeId) } },
    );
  }
  if (body?.$case === 'registeredNodeCreate' && registeredNodeId !== undefined) {
    changes.put(
      `g${registeredNodeId}`,
      StateIdentifier.STATE_ID_REGISTERED_NODES,
      { $case: 'entityNumberKey', entityNumberKey: BigInt(registeredNodeId) },
      {
        $case: 'registeredNodeValue',
        registeredNodeValue: { ...body.registeredNodeCreate, registeredNodeId: BigInt(registeredNodeId) },
      },
    );
  }
};

const hookOf = (account: bigint, hookId: bigint): HookId => ({
  entityId: { entityId: { $case: 'accountId', accountId: accountId(account) } },
  hookId,
});

const putHooks = ({ draft }: RecordedItem, body: Body, changes: FamilyChanges): void => {
  const stateId = StateIdentifier.STATE_ID_EVM_HOOK_STATES;
  const create = (account: bigint, details: readonly HookCreationDetails[]): void => {
    for (const { hookId, extensionPoint, hook } of details) {
      const source = hook?.evmHook.spec?.bytecodeSource;
      const id = hookOf(account, hookId);
      changes.put(
        `k${account}/${hookId}`,
        stateId,
        { $case: 'hookIdKey', hookIdKey: id },
        {
          $case: 'evmHookStateValue',
          evmHookStateValue: {
            hookId: id,
            extensionPoint,
            ...(source?.$case === 'contractId' && { hookContractId: source.contractId }),
            numStorageSlots: hook?.evmHook.storageUpdates.length ?? 0,
          },
        },
      );
      putHookUpdates(changes, id, hook?.evmHook.storageUpdates ?? []);
    }
  };
  if (body?.$case === 'cryptoCreateAccount') {
    const account = draft.receipt?.accountID?.account;
    if (account?.$case === 'accountNum' && account.accountNum !== undefined) {
      create(BigInt(account.accountNum), body.cryptoCreateAccount.hookCreationDetails);
    }
  }
  if (body?.$case === 'cryptoUpdateAccount') {
    const account = body.cryptoUpdateAccount.accountIDToUpdate?.account;
    if (account?.$case !== 'accountNum') return;
    create(account.accountNum, body.cryptoUpdateAccount.hookCreationDetails);
    for (const hookId of body.cryptoUpdateAccount.hookIdsToDelete) {
      const hookIdKey = hookOf(account.accountNum, hookId);
      changes.remove(`k${account.accountNum}/${hookId}`, stateId, { $case: 'hookIdKey', hookIdKey });
    }
  }
  if (body?.$case === 'hookStore' && body.hookStore.hookId !== undefined) {
    putHookUpdates(changes, body.hookStore.hookId, body.hookStore.storageUpdates);
  }
};

/** Puts what the transaction did to topics, files, schedules, nodes and hooks. */
export const putServices = (
  item: RecordedItem,
  changes: FamilyChanges,
  body: Body,
  topic: bigint | undefined,
): void => {
  if (!isSuccessful(item.status) && item.draft.record?.scheduleRef === undefined) return;
  putTopic(item, body, topic, changes);
  putFile(item, body, changes);
  putSchedule(item, body, changes);
  putNode(item, body, changes);
  putHooks(item, body, changes);
};
