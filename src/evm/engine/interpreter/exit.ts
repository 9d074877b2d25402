/** What the loop and those who run it say to each other. */
import type { Halt } from '../halts.ts';
import type { Keccak } from '../keccak.ts';
import type { RunState } from '../run-state.ts';
import type { VersionRules } from '../versions.ts';
import type { Frame } from './frame.ts';

/** Why the loop was left. */
export type Exit =
  | 'returned'
  | 'reverted'
  /** The instruction at `pc` needs the host; nothing of it is charged or done yet. */
  | 'host'
  /** Time to look at the clock. */
  | 'paused'
  /** One instruction is done, as was asked for. */
  | 'stepped'
  | Halt;

/** Words that stay the same during a run. */
export interface RunWords {
  readonly origin: bigint;
  readonly gasPrice: bigint;
  readonly coinbase: bigint;
  readonly timestamp: bigint;
  readonly number: bigint;
  readonly prevRandao: bigint;
  readonly gasLimit: bigint;
  readonly chainId: bigint;
}

export interface LoopHost {
  readonly state: RunState;
  readonly rules: VersionRules;
  readonly words: RunWords;
  readonly keccak: Keccak;
}

/** An instruction that needs no waiting and is not written out in the loop; its static gas is paid. */
export type Handler = (frame: Frame, host: LoopHost) => Halt | undefined;
