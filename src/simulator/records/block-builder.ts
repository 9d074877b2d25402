import type { Chain } from '../../config/chain.ts';
import { isSuccessful } from '../../ledger/response-code.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import type { LedgerIdPublicationTransactionBody } from '../../protobuf/generated/services/auxiliary/tss/ledger_id_publication.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { TransactionSidecarRecord } from '../../protobuf/generated/streams/sidecar_file.ts';
import { countEvm } from '../activity/contracts/evm-counts.ts';
import type { Signer } from '../keys/signer.ts';
import { exchangeRatesOf } from '../network/exchange-rates.ts';
import { nodeFeeOf } from '../network/fee-schedule.ts';
import { currentStakingPeriod, rewardOf } from '../network/staking-rewards.ts';
import { FEE_ACCOUNT, FEE_COLLECTION, STAKING_REWARD } from '../network/system-accounts.ts';
import { Random } from '../random.ts';
import type { Account } from '../state/ledger-entities.ts';
import { type LedgerState, RESULTS } from '../state/ledger-state.ts';
import type {
  BlockItem,
  BodyData,
  Captured,
  Draft,
  HbarChange,
  PreparedSubmission,
  PreparedTransaction,
  ProducedBlock,
  RecordContext,
} from './draft.ts';
import { ItemEncoder } from './item-encoder.ts';
import { timestampOf } from './proto-ids.ts';
import type { RecordObserver } from './recorded-item.ts';
import { TransferBook } from './transfer-book.ts';

/** What stays the same over all blocks of one run. */
export interface BuilderSettings {
  readonly seed: string;
  readonly signer: Signer;
  readonly nodeCount: number;
  readonly stakingPeriodNanos: bigint;
  readonly chain: Chain;
  /** Whether fees are collected ([HIP-1259](https://hips.hedera.com/hip/hip-1259)) or paid out at once. */
  readonly collectsFees: boolean;
  readonly observer?: RecordObserver | undefined;
  /** What the network publishes of its keys, if it has threshold signatures. */
  readonly publication?: LedgerIdPublicationTransactionBody | undefined;
}

const FIRST_NODE_ACCOUNT = 3n;
/** Transactions inside a batch name no node. */
const NO_NODE = 0n;
/** Children and the stake update take the nanoseconds around their slot, so slots are farther apart than this. */
export const MIN_SLOT_NANOS = 1_000n;

/** Turns drafts into the records of one block and keeps the ledger state in step. */
export class BlockBuilder {
  readonly state: LedgerState;
  readonly random: Random;
  readonly settings: BuilderSettings;
  /** Consensus time of the transaction that is submitted next. */
  consensusTime = 0n;
  /** Exchange rates that the block's receipts state. */
  readonly rates: ReturnType<typeof exchangeRatesOf>;
  readonly #items: BlockItem[] = [];
  readonly #sidecars: TransactionSidecarRecord[] = [];
  readonly #startHash: Uint8Array;
  readonly #encoder: ItemEncoder;
  readonly #transfers = new TransferBook();
  readonly #nodes: readonly Account[];
  readonly #feeAccount: Account | undefined;
  readonly #feeCollection: Account | undefined;
  readonly #stakingReward: Account | undefined;
  #firstConsensus = 0n;
  #capturing = false;
  #captured: Captured | undefined;

  constructor(state: LedgerState, settings: BuilderSettings) {
    this.state = state;
    this.settings = settings;
    this.random = new Random(state.random);
    this.#startHash = state.runningHash;
    this.rates = exchangeRatesOf(state);
    this.#encoder = new ItemEncoder(settings.signer, this.rates);
    const nodes: Account[] = [];
    for (let i = 0n; i < BigInt(settings.nodeCount); i++) {
      const node = state.accounts.get(FIRST_NODE_ACCOUNT + i);
      if (node !== undefined) nodes.push(node);
    }
    this.#nodes = nodes;
    this.#feeAccount = state.accounts.get(FEE_ACCOUNT);
    this.#feeCollection = state.accounts.get(FEE_COLLECTION);
    this.#stakingReward = state.accounts.get(STAKING_REWARD);
  }

  /** Whether transactions are made up for a batch now: effects of those before are not settled yet. */
  get capturing(): boolean {
    return this.#capturing;
  }

  /** Number of records so far. */
  get count(): number {
    return this.#items.length;
  }

  /** A new entity number. */
  takeNum(): bigint {
    return this.state.nextNum++;
  }

  /** Valid start of a transaction of this payer now: unique, since consensus times are and the distance is the payer's. */
  validStartOf(payer: Account): bigint {
    return this.consensusTime - 1_000_000_000n - (payer.num % 997n) * 1_000_000n;
  }

  /**
   * What an activity would submit at that many nanoseconds after `consensusTime`; it changes the state as if that were
   * done. Undefined when it finds nothing to do.
   */
  capture(offset: bigint, activity: () => boolean): Captured | undefined {
    const time = this.consensusTime;
    this.consensusTime = time + offset;
    this.#capturing = true;
    try {
      return activity() ? this.#captured : undefined;
    } finally {
      this.#capturing = false;
      this.#captured = undefined;
      this.consensusTime = time;
    }
  }

  /** Records a top-level transaction with its children at `consensusTime`. */
  submit(draft: Draft): void {
    const at = this.consensusTime;
    const validStart = this.validStartOf(draft.payer);
    if (this.#capturing) {
      this.#captured = { draft, at, validStart };
      return;
    }
    const node = this.#nodes.length === 0 ? undefined : this.random.pick(this.#nodes);
    if (draft.inner === undefined) this.#family(draft, at, validStart, node);
    else this.#batch(draft, draft.inner, validStart, node);
  }

  /** Records a transaction of a client with its children at `consensusTime`; gives their records, in order. */
  submitSent(draft: Draft, { prepared, validStart, node }: PreparedSubmission): readonly Uint8Array[] {
    const first = this.#items.length;
    this.#family(draft, this.consensusTime, validStart, node, { at: undefined, prepared });
    return this.#items.slice(first).map(({ record }) => record);
  }

  /** A transaction with its children. */
  #family(
    draft: Draft,
    at: bigint,
    validStart: bigint,
    node: Account | undefined,
    known?: { readonly at: bigint | undefined; readonly prepared: PreparedTransaction },
  ): void {
    const { payer } = draft;
    const preceding = draft.preceding ?? [];
    let nonce = 0;
    for (const child of preceding) {
      nonce++;
      const time = at - BigInt(preceding.length - nonce + 1);
      this.#record({ draft: child, payer, at: time, validStart, nonce, node, parentAt: undefined });
    }
    const prepared = known && { prepared: known.prepared };
    this.#record({ draft, payer, at, validStart, nonce: 0, node, parentAt: known?.at, ...prepared });
    let time = at;
    for (const child of draft.following ?? []) {
      time++;
      const start = child.scheduledSince;
      if (start !== undefined) {
        this.#executeAt(child, time, start, node);
      } else {
        nonce++;
        this.#record({ draft: child, payer, at: time, validStart, nonce, node, parentAt: at });
      }
    }
  }

  /** Records the transaction of a schedule whose time has come, at `consensusTime`. */
  execute(draft: Draft): void {
    this.#executeAt(draft, this.consensusTime, draft.scheduledSince ?? 0n, this.random.pick(this.#nodes));
  }

  #executeAt(draft: Draft, at: bigint, validStart: bigint, node: Account | undefined): void {
    const payer = draft.scheduledBy ?? draft.payer;
    this.#record({ draft, payer, at, validStart, nonce: 0, node, parentAt: undefined });
  }

  #batch(draft: Draft, inner: readonly Captured[], validStart: bigint, node: Account | undefined): void {
    const prepared = inner.map((one) =>
      this.#encoder.prepare({
        ...one,
        payer: one.draft.payer,
        nonce: 0,
        nodeNum: NO_NODE,
        sign: true,
      }),
    );
    const at = this.consensusTime;
    const transactions = prepared.map(({ signed }) => signed);
    const data: BodyData = { $case: 'atomicBatch', atomicBatch: { transactions } };
    this.#family({ ...draft, data }, at, validStart, node);
    for (const [index, one] of inner.entries()) {
      this.#family(one.draft, one.at, one.validStart, node, {
        at,
        prepared: prepared[index] as PreparedTransaction,
      });
    }
  }

  /** Ends the block: the state takes over its number; its running hash is the file writer's to tell. */
  finish(): ProducedBlock {
    const { state } = this;
    state.blockNumber++;
    return {
      number: state.blockNumber,
      firstConsensus: this.#firstConsensus,
      lastConsensus: state.lastConsensus,
      items: this.#items,
      startHash: this.#startHash,
      sidecars: this.#sidecars,
    };
  }

  #record(context: RecordContext): void {
    const { draft, at, nonce } = context;
    const { state } = this;
    if (at <= state.lastConsensus)
      throw new Error(`Simulated consensus time ${at} is not after ${state.lastConsensus}`);
    const status = draft.status ?? ResponseCodeEnum.SUCCESS;
    const rewards = this.#settle(draft, context.node, status);
    const item = this.#encoder.encode({
      ...context,
      status,
      transfers: this.#transfers,
      rewards,
      nodeNum: draft.synthetic === true ? undefined : context.node?.num,
      sign: draft.synthetic !== true && nonce === 0 && draft.scheduledSince === undefined,
    });
    if (this.#items.length === 0) this.#firstConsensus = at;
    this.#items.push(item);
    state.lastConsensus = at;
    state.hbarTransfers += this.#transfers.length;
    const { type } = this.#encoder;
    const count = type * RESULTS + status;
    state.counts.set(count, (state.counts.get(count) ?? 0) + 1);
    if (type !== TransactionType.CRYPTOTRANSFER || draft.record !== undefined) {
      countEvm(state.evm, type, status, draft);
    }
    for (const sidecarRecords of draft.sidecars ?? []) {
      this.#sidecars.push({ consensusTimestamp: timestampOf(at), migration: false, sidecarRecords });
    }
    this.settings.observer?.recorded({ ...context, item, state, type, status, transfers: this.#transfers });
  }

  /** Fills the transfer book with fee, changes and staking rewards, applies it, and returns the rewards. */
  #settle(draft: Draft, node: Account | undefined, status: number): readonly HbarChange[] {
    const transfers = this.#transfers;
    transfers.clear();
    if (draft.fee > 0n && node !== undefined) this.#charge(draft, node);
    if (draft.hbar !== undefined && isSuccessful(status)) {
      for (const change of draft.hbar) transfers.add(change.account, change.amount);
    }
    const rewards = transfers.length === 0 ? NO_REWARDS : this.#payRewards();
    transfers.sort();
    if (draft.createsHbar !== true && transfers.sum() !== 0n) throw new Error('Simulated transfers do not sum to zero');
    transfers.apply();
    return rewards;
  }

  #charge(draft: Draft, node: Account): void {
    const transfers = this.#transfers;
    const { collectsFees } = this.settings;
    const isNodes = draft.chargeNode === true;
    const nodeFee = isNodes ? 0n : (draft.nodeFee ?? nodeFeeOf(draft.fee));
    transfers.add(isNodes ? node : draft.payer, -draft.fee);
    if (collectsFees) {
      const { nodeFees } = this.state;
      transfers.add(this.#feeCollection as Account, draft.fee);
      nodeFees.set(node.num, (nodeFees.get(node.num) ?? 0n) + nodeFee);
    } else {
      if (nodeFee > 0n) transfers.add(node, nodeFee);
      transfers.add(this.#feeAccount as Account, draft.fee - nodeFee);
    }
  }

  #payRewards(): readonly HbarChange[] {
    const fund = this.#stakingReward;
    if (fund === undefined) return NO_REWARDS;
    let rewards: HbarChange[] | undefined;
    const touched = this.#transfers.length;
    for (let i = 0; i < touched; i++) {
      const account = this.#transfers.accountAt(i);
      if (account.stakedNodeId === undefined || account.declineReward) continue;
      const amount = rewardOf(account, currentStakingPeriod(this.state));
      if (amount === 0n || amount > fund.balance) continue;
      account.unrewardedFrom = currentStakingPeriod(this.state);
      rewards ??= [];
      rewards.push({ account, amount });
    }
    if (rewards === undefined) return NO_REWARDS;
    for (const { account, amount } of rewards) {
      this.#transfers.add(account, amount);
      this.#transfers.add(fund, -amount);
    }
    return rewards;
  }
}

const NO_REWARDS: readonly HbarChange[] = [];
