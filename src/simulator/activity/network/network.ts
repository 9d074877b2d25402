/** What the network and its operators do: publications, votes, freezes, and transactions of types to come. */

import { bytesFromSeed } from '../../keys/seed.ts';
import { fees } from '../../network/fee-schedule.ts';
import type { BodyData, Draft } from '../../records/draft.ts';
import { accountId, fileId, timestampOf } from '../../records/proto-ids.ts';
import type { WireWriter } from '../../records/wire-writer.ts';
import { type Activity, treasury } from '../choose.ts';

const LEDGER_ID_BYTES = 32;
const KEY_BYTES = 96;
const NANOS_PER_HOUR = 3_600_000_000_000n;
/** The file with which networks are upgraded. */
const UPDATE_FILE = 150n;

/** The nodes publish the identity by which the ledger's blocks are proven; filler where nothing is proven by it. */
export const publishLedgerId: Activity = (builder) => {
  const { random, state, settings } = builder;
  const ledgerId = bytesFromSeed(settings.seed, 'ledger id', LEDGER_ID_BYTES);
  const nodes = Array.from({ length: settings.nodeCount }, (_, nodeId) => ({
    nodeId: BigInt(nodeId),
    weight: BigInt(random.between(1, 1_000)),
    historyProofKey: random.bytes(KEY_BYTES),
  }));
  const filler = { ledgerId, historyProofVerificationKey: random.bytes(KEY_BYTES), nodeContributions: nodes };
  const ledgerIdPublication = settings.publication ?? filler;
  builder.submit({
    payer: treasury(builder),
    fee: 0n,
    synthetic: true,
    data: { $case: 'ledgerIdPublication', ledgerIdPublication },
  });
  state.ledgerId = ledgerIdPublication.ledgerId;
  return true;
};

/** A transaction of a type that no version knows yet: field 99 with bytes. */
const unknownType =
  (content: Uint8Array) =>
  (writer: WireWriter): void => {
    writer.byte(0x9a);
    writer.byte(0x06);
    const start = writer.open(1);
    writer.raw(content);
    writer.close(start, 1);
  };

/** Bodies that nodes submit on their own account, by kind. */
const nodeBodies: readonly ((bytes: Uint8Array, constructionId: bigint) => Draft['data'])[] = [
  (signature, round) => ({
    $case: 'stateSignatureTransaction',
    stateSignatureTransaction: { round, signature, hash: signature },
  }),
  (key, constructionId) => ({
    $case: 'hintsPreprocessingVote',
    hintsPreprocessingVote: {
      constructionId,
      vote: { vote: { $case: 'preprocessedKeys', preprocessedKeys: { aggregationKey: key, verificationKey: key } } },
    },
  }),
  (hintsKey) => ({ $case: 'hintsKeyPublication', hintsKeyPublication: { partyId: 1, numParties: 4, hintsKey } }),
  (message, constructionId) => ({
    $case: 'hintsPartialSignature',
    hintsPartialSignature: { constructionId, message, partialSignature: message },
  }),
  (signature, constructionId) => ({
    $case: 'historyProofSignature',
    historyProofSignature: { constructionId, signature: { signature } },
  }),
  (proofKey) => ({
    $case: 'historyProofKeyPublication',
    historyProofKeyPublication: { data: { $case: 'proofKey', proofKey } },
  }),
  (_bytes, constructionId) => ({
    $case: 'historyProofVote',
    historyProofVote: { constructionId, vote: { vote: { $case: 'congruentNodeId', congruentNodeId: 1n } } },
  }),
  (newCrs) => ({ $case: 'crsPublication', crsPublication: { newCrs, proof: newCrs } }),
  (hash) => ({
    $case: 'migrationRootHashVote',
    migrationRootHashVote: { previousWrappedRecordBlockRootHash: hash, wrappedIntermediateBlockRootsLeafCount: 7n },
  }),
  (bytes) => unknownType(bytes),
];

/** A node takes part in the network's own business, each time in another way. */
export const submitNodeBusiness: Activity = (builder) => {
  const { random, state, settings } = builder;
  const node = state.accounts.get(3n + BigInt(random.below(settings.nodeCount)));
  const body = nodeBodies[state.turns.network % nodeBodies.length];
  if (node === undefined || body === undefined) return false;
  state.turns.network++;
  builder.submit({
    payer: node,
    fee: 0n,
    synthetic: true,
    data: body(random.bytes(48), BigInt(random.between(1, 100))),
  });
  return true;
};

/** Operators announce a freeze, or call it off. */
export const freezeNetwork: Activity = (builder) => {
  const { random, consensusTime } = builder;
  const startTime = timestampOf(consensusTime + NANOS_PER_HOUR);
  const file = { updateFile: fileId(UPDATE_FILE), fileHash: random.bytes(48) };
  const freezes: readonly NonNullable<Extract<BodyData, { $case: 'freeze' }>['freeze']>[] = [
    { freezeType: 1, startTime },
    { freezeType: 2, ...file },
    { freezeType: 3, startTime, ...file },
    { freezeType: 4 },
    { freezeType: 5, startTime, ...file },
    { startHour: 23, startMin: 30, endHour: 1, endMin: 15 },
  ];
  builder.submit({
    payer: treasury(builder),
    fee: 0n,
    data: { $case: 'freeze', freeze: random.pick(freezes) ?? {} },
  });
  return true;
};

/** An operator submits bytes unchecked, which only test networks allow. */
export const submitUnchecked: Activity = (builder) => {
  builder.submit({
    payer: treasury(builder),
    fee: 0n,
    data: { $case: 'uncheckedSubmit', uncheckedSubmit: { transactionBytes: builder.random.bytes(64) } },
  });
  return true;
};

/** Attaches a hash to an account, or takes one away, as early networks allowed. */
export const changeLiveHash: Activity = (builder) => {
  const { random, state } = builder;
  const account = random.pick(state.users);
  if (account === undefined || account.balance < 100_000_000n) return false;
  const hash = random.bytes(48);
  const id = accountId(account.num);
  builder.submit({
    payer: account,
    fee: fees.liveHash,
    data: random.chance(0.5)
      ? {
          $case: 'cryptoAddLiveHash',
          cryptoAddLiveHash: { liveHash: { accountId: id, hash, duration: { seconds: 86_400n } } },
        }
      : {
          $case: 'cryptoDeleteLiveHash',
          cryptoDeleteLiveHash: { accountOfLiveHash: id, liveHashToDelete: hash },
        },
  });
  return true;
};
