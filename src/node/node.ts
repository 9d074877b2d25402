/**
 * A consensus node of the simulated network as clients see it: takes transactions, answers queries.
 *
 * Owns the checks that nodes make and what the transactions of clients do. Signs no files and keeps no state of its own:
 * that is the simulator's.
 */

import { nanosOf } from '../ledger/timestamp.ts';
import { ResponseCodeEnum } from '../protobuf/generated/services/response_code.ts';
import type { Transaction } from '../protobuf/generated/services/transaction.ts';
import { TransactionResponse } from '../protobuf/generated/services/transaction_response.ts';
import { exchangeRatesOf } from '../simulator/network/exchange-rates.ts';
import { systemFileContents } from '../simulator/network/system-files.ts';
import type { SubmissionEntrance } from '../simulator/simulator.ts';
import { nodeFiles } from './node-files.ts';
import { checkPayment } from './payment.ts';
import { type CheckedTransaction, type PrecheckContext, precheck, UnpaidRefusal } from './precheck.ts';
import { answerQuery } from './queries/answer-query.ts';
import type { QueryContext } from './queries/query-kind.ts';
import { TransactionTracker } from './transaction-tracker.ts';
import { AccountDirectory } from './transactions/account-directory.ts';
import { paysNothing } from './transactions/charges.ts';
import { demand, Refusal } from './transactions/refusal.ts';

export interface NodeOptions {
  readonly entrance: SubmissionEntrance;
  /** Nanoseconds since the epoch. */
  readonly clock: () => bigint;
  /** Hears of every transaction with the code of its answer. */
  readonly onTransaction?: (code: number) => void;
}

export interface ConsensusNode {
  /** From a serialized Transaction to a serialized TransactionResponse. */
  submit(transaction: Uint8Array): Uint8Array;
  /** From a serialized Query to a serialized Response. @throws CallFailure INVALID_ARGUMENT */
  ask(query: Uint8Array): Uint8Array;
  /** Tells that the mirror has all records until this consensus time, nanoseconds. */
  mirrored(until: bigint): void;
}

/** Transactions that may wait for their block. */
const MOST_WAITING = 1_000;
/** Transactions whose ids and records are kept. */
const MOST_REMEMBERED = 50_000;

const hexBytes = (text: string): Uint8Array => Buffer.from(text.replace(/^0x/, ''), 'hex');

export const createConsensusNode = ({ entrance, clock, onTransaction }: NodeOptions): ConsensusNode => {
  const { state, network, chain } = entrance;
  const node = network.nodes[0]?.accountNum ?? 3n;
  const directory = new AccountDirectory(state);
  const tracker = new TransactionTracker({ submitted: state.submitted, clock });
  const rate = () => exchangeRatesOf(state).currentRate;
  const context = (): PrecheckContext => ({
    state,
    directory,
    node,
    now: clock(),
    rate: rate(),
    isKnown: (key) => tracker.isKnown(key),
    isBusy: entrance.waiting >= MOST_WAITING || tracker.size >= MOST_REMEMBERED,
  });
  const queryContext: QueryContext = {
    state,
    directory,
    tracker,
    ledgerId: hexBytes(chain.ledgerId),
    hapiVersion: () => entrance.hapiVersion,
    systemFiles: () => [...systemFileContents(network, state, chain), ...nodeFiles],
  };

  const take = ({ sent, key }: CheckedTransaction): void => {
    const start = sent.body.transactionID?.transactionValidStart;
    tracker.take(key, nanosOf(start ?? { seconds: 0n, nanos: 0 }));
    entrance.submit(sent.bytes, node);
  };
  const demandActive = (): void => demand(entrance.isOpen, ResponseCodeEnum.PLATFORM_NOT_ACTIVE);
  const collect = (payment: Transaction | undefined, cost: bigint): void => {
    const checked = checkPayment(payment, cost, context());
    if (!paysNothing(checked.payer.num)) take(checked);
  };
  const admit = (transaction: Uint8Array): { readonly code: number; readonly cost: bigint } => {
    try {
      demandActive();
      take(precheck(transaction, context()));
      return { code: ResponseCodeEnum.OK, cost: 0n };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { code: error.code, cost: error instanceof UnpaidRefusal ? error.cost : 0n };
    }
  };

  return {
    submit: (transaction) => {
      const { code, cost } = admit(transaction);
      onTransaction?.(code);
      return TransactionResponse.encode(
        TransactionResponse.fromPartial({ nodeTransactionPrecheckCode: code as never, cost }),
      ).finish();
    },
    ask: (query) => answerQuery(query, queryContext, { collect }, rate()),
    mirrored: (until) => tracker.mirrored(until),
  };
};
