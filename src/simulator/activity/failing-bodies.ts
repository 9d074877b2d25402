/**
 * One way to fail for every type of transaction. Bodies are well-formed, but speak of what isn't there, or of what the
 * payer has no right to.
 */
import { ResponseCodeEnum as Code } from '../../protobuf/generated/services/response_code.ts';
import type { BodyData } from '../records/draft.ts';
import { accountId, contractId, fileId, scheduleId, tokenId, topicId } from '../records/proto-ids.ts';
import { codeOf } from '../solidity/helper-contracts.ts';
import type { Account } from '../state/ledger-entities.ts';

/** Number of an entity that never existed. */
export const NOBODY = 999_999_999n;

interface FailingBody {
  readonly data: BodyData;
  readonly status: number;
}

type Failing = (payer: Account) => FailingBody;

const nobody = accountId(NOBODY);
const noToken = tokenId(NOBODY);
const noContract = contractId(NOBODY);
const noFile = fileId(NOBODY);
const noTopic = topicId(NOBODY);
const noSchedule = scheduleId(NOBODY);
const noHook = { entityId: { entityId: { $case: 'accountId' as const, accountId: nobody } }, hookId: 1n };
const noAirdrop = {
  senderId: nobody,
  receiverId: nobody,
  tokenReference: { $case: 'fungibleTokenType' as const, fungibleTokenType: noToken },
};
const own = (payer: Account) => accountId(payer.num);

const accountBodies: readonly Failing[] = [
  () => ({
    status: Code.KEY_REQUIRED,
    data: { $case: 'cryptoCreateAccount', cryptoCreateAccount: { initialBalance: 1_000n, memo: 'keyless' } },
  }),
  () => ({
    status: Code.INVALID_ACCOUNT_ID,
    data: { $case: 'cryptoUpdateAccount', cryptoUpdateAccount: { accountIDToUpdate: nobody, memo: 'nobody' } },
  }),
  (payer) => ({
    status: Code.TRANSFER_ACCOUNT_SAME_AS_DELETE_ACCOUNT,
    data: {
      $case: 'cryptoDelete',
      cryptoDelete: { deleteAccountID: own(payer), transferAccountID: own(payer) },
    },
  }),
  (payer) => ({
    status: Code.INVALID_ALLOWANCE_SPENDER_ID,
    data: {
      $case: 'cryptoApproveAllowance',
      cryptoApproveAllowance: { cryptoAllowances: [{ owner: own(payer), spender: nobody, amount: 5n }] },
    },
  }),
  (payer) => ({
    status: Code.INVALID_TOKEN_NFT_SERIAL_NUMBER,
    data: {
      $case: 'cryptoDeleteAllowance',
      cryptoDeleteAllowance: { nftAllowances: [{ owner: own(payer), tokenId: noToken, serialNumbers: [0n] }] },
    },
  }),
  (payer) => ({
    status: Code.NOT_SUPPORTED,
    data: {
      $case: 'cryptoAddLiveHash',
      cryptoAddLiveHash: { liveHash: { accountId: own(payer), hash: new Uint8Array(48) } },
    },
  }),
  (payer) => ({
    status: Code.NOT_SUPPORTED,
    data: { $case: 'cryptoDeleteLiveHash', cryptoDeleteLiveHash: { accountOfLiveHash: own(payer) } },
  }),
  (payer) => ({
    status: Code.REJECTED_BY_ACCOUNT_ALLOWANCE_HOOK,
    data: {
      $case: 'cryptoTransfer',
      cryptoTransfer: {
        transfers: {
          accountAmounts: [
            {
              accountID: own(payer),
              amount: -1n,
              hookCall: {
                $case: 'preTxAllowanceHook',
                preTxAllowanceHook: {
                  id: { $case: 'hookId', hookId: 77n },
                  callSpec: { $case: 'evmHookCall', evmHookCall: { gasLimit: 25_000n } },
                },
              },
            },
            { accountID: accountId(2n), amount: 1n },
          ],
        },
      },
    },
  }),
  () => ({ status: Code.HOOK_NOT_FOUND, data: { $case: 'hookStore', hookStore: { hookId: noHook } } }),
  () => ({ status: Code.INVALID_PRNG_RANGE, data: { $case: 'utilPrng', utilPrng: { range: -5 } } }),
];

const tokenBodies: readonly Failing[] = [
  (payer) => ({
    status: Code.MISSING_TOKEN_SYMBOL,
    data: { $case: 'tokenCreation', tokenCreation: { name: 'No symbol', treasury: own(payer) } },
  }),
  () => ({
    status: Code.INVALID_TOKEN_ID,
    data: { $case: 'tokenUpdate', tokenUpdate: { token: noToken, name: 'Nothing' } },
  }),
  () => ({ status: Code.INVALID_TOKEN_ID, data: { $case: 'tokenDeletion', tokenDeletion: { token: noToken } } }),
  () => ({ status: Code.INVALID_TOKEN_ID, data: { $case: 'tokenMint', tokenMint: { token: noToken, amount: 1n } } }),
  () => ({ status: Code.INVALID_TOKEN_ID, data: { $case: 'tokenBurn', tokenBurn: { token: noToken, amount: 1n } } }),
  (payer) => ({
    status: Code.INVALID_TOKEN_ID,
    data: { $case: 'tokenWipe', tokenWipe: { token: noToken, account: own(payer), amount: 1n } },
  }),
  (payer) => ({
    status: Code.TOKEN_HAS_NO_FREEZE_KEY,
    data: { $case: 'tokenFreeze', tokenFreeze: { token: noToken, account: own(payer) } },
  }),
  (payer) => ({
    status: Code.TOKEN_NOT_ASSOCIATED_TO_ACCOUNT,
    data: { $case: 'tokenUnfreeze', tokenUnfreeze: { token: noToken, account: own(payer) } },
  }),
  (payer) => ({
    status: Code.TOKEN_HAS_NO_KYC_KEY,
    data: { $case: 'tokenGrantKyc', tokenGrantKyc: { token: noToken, account: own(payer) } },
  }),
  (payer) => ({
    status: Code.TOKEN_NOT_ASSOCIATED_TO_ACCOUNT,
    data: { $case: 'tokenRevokeKyc', tokenRevokeKyc: { token: noToken, account: own(payer) } },
  }),
  (payer) => ({
    status: Code.INVALID_TOKEN_ID,
    data: { $case: 'tokenAssociate', tokenAssociate: { account: own(payer), tokens: [noToken] } },
  }),
  (payer) => ({
    status: Code.TOKEN_NOT_ASSOCIATED_TO_ACCOUNT,
    data: { $case: 'tokenDissociate', tokenDissociate: { account: own(payer), tokens: [noToken] } },
  }),
  () => ({
    status: Code.CUSTOM_SCHEDULE_ALREADY_HAS_NO_FEES,
    data: { $case: 'tokenFeeScheduleUpdate', tokenFeeScheduleUpdate: { tokenId: noToken } },
  }),
  () => ({ status: Code.TOKEN_HAS_NO_PAUSE_KEY, data: { $case: 'tokenPause', tokenPause: { token: noToken } } }),
  () => ({ status: Code.TOKEN_HAS_NO_PAUSE_KEY, data: { $case: 'tokenUnpause', tokenUnpause: { token: noToken } } }),
  () => ({
    status: Code.INVALID_NFT_ID,
    data: { $case: 'tokenUpdateNfts', tokenUpdateNfts: { token: noToken, serialNumbers: [5n] } },
  }),
  (payer) => ({
    status: Code.INSUFFICIENT_TOKEN_BALANCE,
    data: {
      $case: 'tokenReject',
      tokenReject: {
        owner: own(payer),
        rejections: [{ tokenIdentifier: { $case: 'fungibleToken', fungibleToken: noToken } }],
      },
    },
  }),
  (payer) => ({
    status: Code.INVALID_TOKEN_ID,
    data: {
      $case: 'tokenAirdrop',
      tokenAirdrop: {
        tokenTransfers: [
          {
            token: noToken,
            transfers: [
              { accountID: own(payer), amount: -1n },
              { accountID: accountId(2n), amount: 1n },
            ],
          },
        ],
      },
    },
  }),
  () => ({
    status: Code.INVALID_PENDING_AIRDROP_ID,
    data: { $case: 'tokenCancelAirdrop', tokenCancelAirdrop: { pendingAirdrops: [noAirdrop] } },
  }),
  () => ({
    status: Code.INVALID_PENDING_AIRDROP_ID,
    data: { $case: 'tokenClaimAirdrop', tokenClaimAirdrop: { pendingAirdrops: [noAirdrop] } },
  }),
];

const otherBodies: readonly Failing[] = [
  () => ({
    status: Code.INVALID_CONTRACT_ID,
    data: { $case: 'contractCall', contractCall: { contractID: noContract, gas: 25_000n } },
  }),
  () => ({
    status: Code.CONTRACT_BYTECODE_EMPTY,
    data: { $case: 'contractCreateInstance', contractCreateInstance: { gas: 25_000n, memo: 'no code' } },
  }),
  () => ({
    status: Code.MODIFYING_IMMUTABLE_CONTRACT,
    data: { $case: 'contractUpdateInstance', contractUpdateInstance: { contractID: noContract } },
  }),
  () => ({
    status: Code.OBTAINER_REQUIRED,
    data: { $case: 'contractDeleteInstance', contractDeleteInstance: { contractID: noContract } },
  }),
  () => ({
    status: Code.INVALID_ETHEREUM_TRANSACTION,
    data: { $case: 'ethereumTransaction', ethereumTransaction: { ethereumData: codeOf('counter').init } },
  }),
  () => ({
    status: Code.NO_WACL_KEY,
    data: { $case: 'fileCreate', fileCreate: { contents: Buffer.from('nobody may change this') } },
  }),
  () => ({
    status: Code.INVALID_FILE_ID,
    data: { $case: 'fileAppend', fileAppend: { fileID: noFile, contents: Buffer.from('more') } },
  }),
  () => ({
    status: Code.INVALID_FILE_ID,
    data: { $case: 'fileUpdate', fileUpdate: { fileID: noFile, memo: 'nothing' } },
  }),
  () => ({ status: Code.FILE_DELETED, data: { $case: 'fileDelete', fileDelete: { fileID: noFile } } }),
  () => ({
    status: Code.AUTHORIZATION_FAILED,
    data: { $case: 'systemDelete', systemDelete: { id: { $case: 'contractID', contractID: noContract } } },
  }),
  () => ({
    status: Code.INVALID_FILE_ID,
    data: { $case: 'systemUndelete', systemUndelete: { id: { $case: 'fileID', fileID: noFile } } },
  }),
  () => ({
    status: Code.INVALID_FREEZE_TRANSACTION_BODY,
    data: { $case: 'freeze', freeze: { freezeType: 1 } },
  }),
  () => ({
    status: Code.INVALID_AUTORENEW_ACCOUNT,
    data: { $case: 'consensusCreateTopic', consensusCreateTopic: { memo: 'no account', autoRenewAccount: nobody } },
  }),
  () => ({
    status: Code.INVALID_TOPIC_ID,
    data: { $case: 'consensusUpdateTopic', consensusUpdateTopic: { topicID: noTopic, memo: 'nothing' } },
  }),
  () => ({
    status: Code.INVALID_TOPIC_ID,
    data: { $case: 'consensusDeleteTopic', consensusDeleteTopic: { topicID: noTopic } },
  }),
  () => ({
    status: Code.INVALID_TOPIC_ID,
    data: {
      $case: 'consensusSubmitMessage',
      consensusSubmitMessage: { topicID: noTopic, message: Buffer.from('is anybody there?') },
    },
  }),
  () => ({
    status: Code.NOT_SUPPORTED,
    data: { $case: 'uncheckedSubmit', uncheckedSubmit: { transactionBytes: Buffer.from('nothing') } },
  }),
  () => ({
    status: Code.IDENTICAL_SCHEDULE_ALREADY_CREATED,
    data: { $case: 'scheduleCreate', scheduleCreate: { memo: 'again' } },
  }),
  () => ({
    status: Code.INVALID_SCHEDULE_ID,
    data: { $case: 'scheduleDelete', scheduleDelete: { scheduleID: noSchedule } },
  }),
  () => ({
    status: Code.SCHEDULE_ALREADY_EXECUTED,
    data: { $case: 'scheduleSign', scheduleSign: { scheduleID: noSchedule } },
  }),
  () => ({ status: Code.BATCH_LIST_EMPTY, data: { $case: 'atomicBatch', atomicBatch: {} } }),
];

const nodeBodies: readonly Failing[] = [
  (payer) => ({
    status: Code.INVALID_GOSSIP_ENDPOINT,
    data: { $case: 'nodeCreate', nodeCreate: { accountId: own(payer), description: 'no endpoint' } },
  }),
  () => ({
    status: Code.INVALID_NODE_ID,
    data: { $case: 'nodeUpdate', nodeUpdate: { nodeId: NOBODY, description: 'nothing' } },
  }),
  () => ({ status: Code.NODE_DELETED, data: { $case: 'nodeDelete', nodeDelete: { nodeId: NOBODY } } }),
  () => ({
    status: Code.INVALID_REGISTERED_ENDPOINT,
    data: { $case: 'registeredNodeCreate', registeredNodeCreate: { description: 'no endpoint' } },
  }),
  () => ({
    status: Code.INVALID_REGISTERED_NODE_ID,
    data: { $case: 'registeredNodeUpdate', registeredNodeUpdate: { registeredNodeId: NOBODY } },
  }),
  () => ({
    status: Code.REGISTERED_NODE_STILL_ASSOCIATED,
    data: { $case: 'registeredNodeDelete', registeredNodeDelete: { registeredNodeId: NOBODY } },
  }),
];

export const failingBodies: readonly Failing[] = [...accountBodies, ...tokenBodies, ...otherBodies, ...nodeBodies];
