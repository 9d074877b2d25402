import { type AccountKey, accountKeyFromSeed, protobufKey } from '../keys/account-key.ts';
import { publishedKeys } from '../keys/published-keys.ts';
import type { LedgerPlan } from '../ledger-plan.ts';
import {
  gossipEndpoints,
  proxyEndpoint,
  type SimulatedNetwork,
  type SimulatedNode,
  serviceEndpoints,
} from '../network/simulated-network.ts';
import { updateStakes } from '../network/staking.ts';
import {
  FEE_ACCOUNT,
  FEE_COLLECTION,
  NODE_REWARD,
  STAKING_REWARD,
  SYSTEM_UPDATER,
  TREASURY,
} from '../network/system-accounts.ts';
import { systemFileContents } from '../network/system-files.ts';
import type { BlockBuilder } from '../records/block-builder.ts';
import { accountId, fileId, timestampOf } from '../records/proto-ids.ts';
import { addAccount } from '../state/account-book.ts';
import type { Account } from '../state/ledger-entities.ts';
import { writeDevelopmentAccounts } from './development-accounts.ts';

const AUTO_RENEW_SECONDS = 7_776_000n;
/** File contents travel in pieces of at most this size, as HAPI limits transactions to 6 KiB. */
const CHUNK_BYTES = 4_096;
const SLOT_NANOS = 1_000_000n;
const FILE_EXPIRY = timestampOf(4_102_444_800_000_000_000n);

/**
 * Writes block 0: the system accounts, the whole supply on the treasury (its creation is the one record that does not
 * sum to zero), the nodes, the system files and the first node stake update.
 */
export const writeGenesis = (
  builder: BlockBuilder,
  { network, supply, files }: LedgerPlan,
  startNanos: bigint,
): void => {
  const { state, settings } = builder;
  const key = network.development ? publishedKeys.genesis : accountKeyFromSeed(settings.seed, 'ed25519', 'system');
  builder.consensusTime = startNanos;
  const next = (): void => {
    builder.consensusTime += SLOT_NANOS;
  };

  const treasury = addSystemAccount(builder, TREASURY, key);
  submitCreation(builder, treasury, treasury, supply);
  const nums = [
    ...network.nodes.map((node) => node.accountNum),
    SYSTEM_UPDATER,
    FEE_ACCOUNT,
    STAKING_REWARD,
    NODE_REWARD,
    FEE_COLLECTION,
  ];
  for (const num of nums) {
    next();
    submitCreation(builder, treasury, addSystemAccount(builder, num, key), 0n);
  }
  for (const node of network.nodes) {
    next();
    builder.submit({
      payer: treasury,
      fee: 0n,
      synthetic: true,
      data: {
        $case: 'nodeCreate',
        nodeCreate: {
          accountId: accountId(node.accountNum),
          description: node.description,
          gossipEndpoint: gossipEndpoints(node),
          serviceEndpoint: serviceEndpoints(node),
          gossipCaCertificate: Buffer.from(node.publicKeyHex, 'hex'),
          grpcCertificateHash: node.certHash,
          grpcProxyEndpoint: proxyEndpoint(node),
          declineReward: declinesReward(node, network),
          ...(treasury.key === undefined ? {} : { adminKey: protobufKey(treasury.key) }),
        },
      },
      receipt: { nodeId: BigInt(node.nodeId) },
    });
    state.nodes.push({
      nodeId: BigInt(node.nodeId),
      account: node.accountNum,
      declineReward: declinesReward(node, network),
      registered: [],
      deleted: false,
    });
  }
  publishLedger(builder);
  const updater = state.accounts.get(SYSTEM_UPDATER) as Account;
  for (const { num, contents } of [...systemFileContents(network, state, settings.chain), ...files]) {
    for (let offset = 0; offset < contents.length; offset += CHUNK_BYTES) {
      next();
      submitFilePart(builder, updater, num, contents.subarray(offset, offset + CHUNK_BYTES), offset === 0);
    }
  }
  next();
  state.stakingPeriod = builder.consensusTime / settings.stakingPeriodNanos - 1n;
  updateStakes(builder);
  if (network.development) writeDevelopmentAccounts(builder);
};

/** The last of several nodes does without rewards. */
const declinesReward = ({ nodeId }: SimulatedNode, { nodes }: SimulatedNetwork): boolean =>
  nodeId > 0 && nodeId === nodes.length - 1;

/** Between two slots and without a say in later choices: what comes after is the same with and without it. */
const publishLedger = (builder: BlockBuilder): void => {
  const { state, settings } = builder;
  const { publication } = settings;
  if (publication === undefined) return;
  const words = state.random.slice();
  const slot = builder.consensusTime;
  builder.consensusTime = slot + SLOT_NANOS / 2n;
  builder.submit({
    payer: state.accounts.get(TREASURY) as Account,
    fee: 0n,
    synthetic: true,
    data: { $case: 'ledgerIdPublication', ledgerIdPublication: publication },
  });
  builder.consensusTime = slot;
  state.random.set(words);
  state.ledgerId = publication.ledgerId;
};

const addSystemAccount = (builder: BlockBuilder, num: bigint, key: AccountKey): Account =>
  addAccount(builder.state, {
    num,
    key,
    declineReward: true,
    pinned: true,
  });

const submitCreation = (builder: BlockBuilder, payer: Account, account: Account, balance: bigint): void =>
  builder.submit({
    payer,
    fee: 0n,
    synthetic: true,
    data: {
      $case: 'cryptoCreateAccount',
      cryptoCreateAccount: {
        ...(account.key === undefined ? {} : { key: protobufKey(account.key) }),
        initialBalance: balance,
        autoRenewPeriod: { seconds: AUTO_RENEW_SECONDS },
        declineReward: true,
        memo: '',
      },
    },
    receipt: { accountID: accountId(account.num) },
    hbar: balance === 0n ? [] : [{ account, amount: balance }],
    createsHbar: true,
  });

const submitFilePart = (
  builder: BlockBuilder,
  payer: Account,
  num: bigint,
  contents: Uint8Array,
  first: boolean,
): void => {
  const file = fileId(num);
  const keys = payer.key === undefined ? undefined : { keys: [protobufKey(payer.key)] };
  builder.submit({
    payer,
    fee: 0n,
    synthetic: true,
    data: first
      ? {
          $case: 'fileUpdate',
          fileUpdate: { fileID: file, contents, expirationTime: FILE_EXPIRY, ...(keys && { keys }) },
        }
      : { $case: 'fileAppend', fileAppend: { fileID: file, contents } },
  });
};
