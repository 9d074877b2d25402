import { isSuccessful } from '../ledger/response-code.ts';
import { ResponseCodeEnum } from '../protobuf/generated/services/response_code.ts';
import type { TransactionBody } from '../protobuf/generated/services/transaction.ts';
import type { TransactionReceipt } from '../protobuf/generated/services/transaction_receipt.ts';
import type { TransactionRecord } from '../protobuf/generated/services/transaction_record.ts';
import type { TransactionSidecarRecord } from '../protobuf/generated/streams/sidecar_file.ts';
import type { AccountKey } from './account-key.ts';
import { exchangeRatesOf } from './exchange-rates.ts';
import { shareFee } from './fee-schedule.ts';
import { ItemEncoder } from './item-encoder.ts';
import type { Account, LedgerState } from './ledger-state.ts';
import { timestampOf } from './proto-ids.ts';
import { Random } from './random.ts';
import type { Signer } from './signer.ts';
import { currentStakingPeriod, rewardOf } from './staking.ts';
import { FEE_ACCOUNT, NODE_REWARD, STAKING_REWARD } from './system-accounts.ts';
import { TransferBook } from './transfer-book.ts';
import type { WireWriter } from './wire-writer.ts';

type PartialOf<T extends { fromPartial(value: never): unknown }> = Parameters<T['fromPartial']>[0];
export type BodyData = NonNullable<PartialOf<typeof TransactionBody>['data']>;
export type RecordParts = PartialOf<typeof TransactionRecord>;
export type ReceiptParts = PartialOf<typeof TransactionReceipt>;

export interface HbarChange {
  readonly account: Account;
  /** Tinybars, negative for the sender. */
  readonly amount: bigint;
}

/** What a transaction says and does; the builder adds id, fee, hash, receipt, transfer list and bytes. */
export interface Draft {
  readonly payer: Account;
  /** The body's data, or a function that writes its field onto the wire. */
  readonly data: BodyData | ((writer: WireWriter) => void);
  /** Tinybars charged to the payer. */
  readonly fee: bigint;
  /** Receipt status; SUCCESS if left out. */
  readonly status?: number;
  /** Balance changes besides the fee; sum to zero. */
  readonly hbar?: readonly HbarChange[];
  readonly receipt?: ReceiptParts;
  readonly record?: RecordParts;
  readonly memo?: string;
  /** Keys that sign beside the payer's. */
  readonly signers?: readonly (AccountKey | undefined)[];
  /** The node pays instead: the payer could not, and the node should have known. */
  readonly chargeNode?: boolean;
  /** Fee that the record states, when it isn't what is charged here. */
  readonly statedFee?: bigint;
  /** Children just before this transaction (account creations by alias). */
  readonly preceding?: readonly Draft[];
  /** Children just after it. */
  readonly following?: readonly Draft[];
  /** Set for the transaction that a schedule executes: valid start of its id. */
  readonly scheduledSince?: bigint;
  readonly sidecars?: readonly SidecarContent[];
  /** Genesis alone makes hbar out of nothing. */
  readonly createsHbar?: boolean;
  /** System transactions of the network itself have no node and no signatures. */
  readonly synthetic?: boolean;
}

export type SidecarContent = NonNullable<TransactionSidecarRecord['sidecarRecords']>;

export interface BlockItem {
  readonly transaction: Uint8Array;
  readonly record: Uint8Array;
}

/** A block before it becomes files. */
export interface ProducedBlock {
  readonly number: bigint;
  readonly firstConsensus: bigint;
  readonly lastConsensus: bigint;
  readonly items: readonly BlockItem[];
  /** Running hash at the end of the block before. */
  readonly startHash: Uint8Array;
  readonly sidecars: readonly TransactionSidecarRecord[];
}

/** What stays the same over all blocks of one run. */
export interface BuilderSettings {
  readonly seed: string;
  readonly signer: Signer;
  readonly nodeCount: number;
  readonly stakingPeriodNanos: bigint;
  /** Whether fees also go to 0.0.800 and 0.0.801. */
  readonly feesToRewardAccounts: boolean;
}

const FIRST_NODE_ACCOUNT = 3n;
/** Children and the stake update take the nanoseconds around their slot, so slots are farther apart than this. */
export const MIN_SLOT_NANOS = 1_000n;

/** Turns drafts into the records of one block and keeps the ledger state in step. */
export class BlockBuilder {
  readonly state: LedgerState;
  readonly random: Random;
  readonly settings: BuilderSettings;
  /** Consensus time of the transaction that is submitted next. */
  consensusTime = 0n;
  readonly #items: BlockItem[] = [];
  readonly #sidecars: TransactionSidecarRecord[] = [];
  readonly #startHash: Uint8Array;
  readonly #encoder: ItemEncoder;
  readonly #transfers = new TransferBook();
  readonly #nodes: readonly Account[];
  readonly #feeAccount: Account | undefined;
  readonly #stakingReward: Account | undefined;
  readonly #nodeReward: Account | undefined;
  #firstConsensus = 0n;

  constructor(state: LedgerState, settings: BuilderSettings) {
    this.state = state;
    this.settings = settings;
    this.random = new Random(state.random);
    this.#startHash = state.runningHash;
    this.#encoder = new ItemEncoder(settings.signer, exchangeRatesOf(state));
    const nodes: Account[] = [];
    for (let i = 0n; i < BigInt(settings.nodeCount); i++) {
      const node = state.accounts.get(FIRST_NODE_ACCOUNT + i);
      if (node !== undefined) nodes.push(node);
    }
    this.#nodes = nodes;
    this.#feeAccount = state.accounts.get(FEE_ACCOUNT);
    this.#stakingReward = state.accounts.get(STAKING_REWARD);
    this.#nodeReward = state.accounts.get(NODE_REWARD);
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

  /** Records a top-level transaction with its children at `consensusTime`. */
  submit(draft: Draft): void {
    const node = this.#nodes.length === 0 ? undefined : this.random.pick(this.#nodes);
    const at = this.consensusTime;
    const validStart = this.validStartOf(draft.payer);
    const preceding = draft.preceding ?? [];
    let nonce = 0;
    for (const child of preceding) {
      nonce++;
      const time = at - BigInt(preceding.length - nonce + 1);
      this.#record({ draft: child, payer: draft.payer, at: time, validStart, nonce, node, parentAt: undefined });
    }
    const payer = draft.payer;
    this.#record({ draft, payer, at, validStart, nonce: 0, node, parentAt: undefined });
    let time = at;
    for (const child of draft.following ?? []) {
      time++;
      if (child.scheduledSince !== undefined) {
        const start = child.scheduledSince;
        this.#record({
          draft: child,
          payer: child.payer,
          at: time,
          validStart: start,
          nonce: 0,
          node,
          parentAt: undefined,
        });
      } else {
        nonce++;
        this.#record({ draft: child, payer, at: time, validStart, nonce, node, parentAt: at });
      }
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

  #record(context: {
    readonly draft: Draft;
    readonly payer: Account;
    readonly at: bigint;
    readonly validStart: bigint;
    readonly nonce: number;
    readonly node: Account | undefined;
    readonly parentAt: bigint | undefined;
  }): void {
    const { draft, at } = context;
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
      node: draft.synthetic === true ? undefined : context.node,
      sign: draft.synthetic !== true && context.nonce === 0 && draft.scheduledSince === undefined,
    });
    if (this.#items.length === 0) this.#firstConsensus = at;
    this.#items.push(item);
    state.lastConsensus = at;
    state.hbarTransfers += this.#transfers.length;
    const type = this.#encoder.type;
    state.countsByType.set(type, (state.countsByType.get(type) ?? 0) + 1);
    state.countsByResult.set(status, (state.countsByResult.get(status) ?? 0) + 1);
    for (const sidecarRecords of draft.sidecars ?? []) {
      this.#sidecars.push({ consensusTimestamp: timestampOf(at), migration: false, sidecarRecords });
    }
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
    const shares = shareFee(draft.fee, this.settings.feesToRewardAccounts);
    if (draft.chargeNode === true) {
      transfers.add(node, -draft.fee);
      transfers.add(this.#feeAccount as Account, draft.fee);
      return;
    }
    transfers.add(draft.payer, -draft.fee);
    transfers.add(node, shares.node);
    transfers.add(this.#feeAccount as Account, shares.network);
    if (shares.stakingReward > 0n) {
      transfers.add(this.#stakingReward as Account, shares.stakingReward);
      transfers.add(this.#nodeReward as Account, shares.nodeReward);
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
