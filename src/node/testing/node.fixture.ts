/** A simulated network that takes transactions, in a folder of its own, and transactions as clients make them. */

import { sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak256 } from '../../ledger/hash.ts';
import { SignaturePair } from '../../protobuf/generated/services/basic_types.ts';
import { Query } from '../../protobuf/generated/services/query.ts';
import { Response } from '../../protobuf/generated/services/response.ts';
import { Transaction, TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { SignedTransaction } from '../../protobuf/generated/services/transaction_contents.ts';
import { TransactionResponse } from '../../protobuf/generated/services/transaction_response.ts';
import { type AccountKey, ecdsaPrivateKey, ed25519PrivateKey, publicKeyOf } from '../../simulator/keys/account-key.ts';
import { publishedKeys } from '../../simulator/keys/published-keys.ts';
import { accountId, timestampOf } from '../../simulator/records/proto-ids.ts';
import { type RunningSimulator, runSimulator, type SubmissionEntrance } from '../../simulator/simulator.ts';
import { createSubmissionHandler } from '../handle-submission.ts';
import { type ConsensusNode, createConsensusNode } from '../node.ts';
import { nodeFiles } from '../node-files.ts';

export interface TestNetwork {
  readonly directory: string;
  readonly running: RunningSimulator;
  readonly entrance: SubmissionEntrance;
  readonly node: ConsensusNode;
  /** Tells the code of the answer. */
  submit(transaction: Uint8Array): { readonly code: number; readonly cost: bigint };
  ask(query: Parameters<typeof Query.fromPartial>[0]['query']): NonNullable<Response['response']>;
  /** The receipt's status, once the transaction is in a block. */
  statusOf(transaction: Uint8Array): Promise<number>;
  stop(): Promise<void>;
}

export const systemClock = (): bigint => BigInt(Date.now()) * 1_000_000n;

export const openTestNetwork = async (
  options: { readonly directory?: string; readonly tps?: number } = {},
): Promise<TestNetwork> => {
  const directory = options.directory ?? mkdtempSync(`${tmpdir()}/kagami-node-`);
  let node: ConsensusNode | undefined;
  const running = await runSimulator({
    directory,
    seed: 'node',
    tps: options.tps ?? 0,
    nodes: 2,
    users: 4,
    development: { handleSubmission: createSubmissionHandler(), files: nodeFiles },
    onBlock: ({ consensusEnd }) => node?.mirrored(consensusEnd),
  });
  const entrance = running.entrance as SubmissionEntrance;
  const opened = createConsensusNode({ entrance, clock: systemClock });
  node = opened;
  const ask: TestNetwork['ask'] = (query) => {
    const { response } = Response.decode(opened.ask(Query.encode(Query.fromPartial({ query })).finish()));
    if (response === undefined) throw new Error('There is nothing in the answer');
    return response;
  };
  return {
    directory,
    running,
    entrance,
    node: opened,
    ask,
    submit: (transaction) => {
      const { nodeTransactionPrecheckCode: code, cost } = TransactionResponse.decode(opened.submit(transaction));
      return { code, cost };
    },
    statusOf: async (transaction) => {
      const { transactionID } = bodyOf(transaction);
      for (;;) {
        const answer = ask({ $case: 'transactionGetReceipt', transactionGetReceipt: { transactionID } });
        if (answer.$case !== 'transactionGetReceipt') throw new Error('That is no receipt');
        const { header, receipt } = answer.transactionGetReceipt;
        if (header?.nodeTransactionPrecheckCode !== 0) throw new Error(`There is no receipt`);
        const UNKNOWN = 21;
        if (receipt !== undefined && receipt.status !== UNKNOWN) return receipt.status;
        await pause(20);
      }
    },
    stop: async () => {
      await running.stop();
      if (options.directory === undefined) rmSync(directory, { recursive: true });
    },
  };
};

export const bodyOf = (transaction: Uint8Array): TransactionBody =>
  TransactionBody.decode(SignedTransaction.decode(Transaction.decode(transaction).signedTransactionBytes).bodyBytes);

type BodyParts = Parameters<typeof TransactionBody.fromPartial>[0];

/** The n-th of the accounts with published keys. */
export const devAccount = (n: number): { readonly num: bigint; readonly key: AccountKey } => ({
  num: 1_002n + BigInt(n),
  key: publishedKeys.development[n] as AccountKey,
});

let lastStart = 0n;

/** A frame that every precheck lets through, for the first of those accounts; two never have one id. */
export const frame = (): BodyParts => {
  const start = systemClock() - 2_000_000_000n;
  lastStart = start > lastStart ? start : lastStart + 1n;
  return {
    transactionID: { accountID: accountId(devAccount(0).num), transactionValidStart: timestampOf(lastStart) },
    nodeAccountID: accountId(3n),
    transactionFee: 2_000_000_000n,
    transactionValidDuration: { seconds: 120n },
  };
};

export const transferData = (...amounts: readonly (readonly [bigint, bigint])[]): NonNullable<BodyParts['data']> => ({
  $case: 'cryptoTransfer',
  cryptoTransfer: {
    transfers: { accountAmounts: amounts.map(([num, amount]) => ({ accountID: accountId(num), amount })) },
  },
});

export const pairOf = (key: AccountKey, bodyBytes: Uint8Array, prefix = publicKeyOf(key)): SignaturePair =>
  SignaturePair.fromPartial({
    pubKeyPrefix: prefix,
    signature:
      key.kind === 'ed25519'
        ? { $case: 'ed25519', ed25519: sign(null, bodyBytes, ed25519PrivateKey('node', key.label)) }
        : {
            $case: 'ECDSASecp256k1',
            ECDSASecp256k1: secp256k1.sign(keccak256(bodyBytes), ecdsaPrivateKey('node', key.label), {
              prehash: false,
            }),
          },
  });

export const wrap = (bodyBytes: Uint8Array, sigPair: readonly SignaturePair[]): Uint8Array => {
  const signed = SignedTransaction.encode(
    SignedTransaction.fromPartial({ bodyBytes, sigMap: { sigPair: [...sigPair] } }),
  ).finish();
  return Transaction.encode(Transaction.fromPartial({ signedTransactionBytes: signed })).finish();
};

export const transactionOf = (parts: BodyParts, keys: readonly AccountKey[] = [devAccount(0).key]): Uint8Array => {
  const bodyBytes = TransactionBody.encode(TransactionBody.fromPartial(parts)).finish();
  return wrap(
    bodyBytes,
    keys.map((key) => pairOf(key, bodyBytes)),
  );
};
