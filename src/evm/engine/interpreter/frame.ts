/** One call or creation while it runs. */
import type { EntityId } from '../../../ledger/entity-id.ts';
import type { AddressHex } from '../../state/records.ts';
import type { ContractSlots } from '../contract-slots.ts';
import type { PreparedCode } from './code.ts';
import { Memory } from './memory.ts';

export const STACK_LIMIT = 1_024;

export interface FrameContext {
  readonly code: PreparedCode;
  /** Address and entity in whose name the code runs. */
  readonly address: AddressHex;
  readonly entityId: EntityId;
  readonly caller: AddressHex;
  /** Tinybars that the code sees as sent. */
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly gas: number;
  readonly isStatic: boolean;
  readonly depth: number;
  readonly slots: ContractSlots;
  /** 1,024 words that nobody else uses meanwhile. */
  readonly stack: bigint[];
}

const EMPTY = new Uint8Array();

export class Frame {
  readonly code: PreparedCode;
  readonly address: AddressHex;
  readonly entityId: EntityId;
  readonly caller: AddressHex;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly isStatic: boolean;
  readonly depth: number;
  readonly slots: ContractSlots;
  readonly stack: bigint[];
  readonly memory = new Memory();
  pc = 0;
  /** Words on the stack. */
  sp = 0;
  /** Gas left. */
  gas: number;
  /** What the last call of this frame returned. */
  returnData: Uint8Array = EMPTY;
  /** What this frame returns. */
  output: Uint8Array = EMPTY;

  constructor(context: FrameContext) {
    this.code = context.code;
    this.address = context.address;
    this.entityId = context.entityId;
    this.caller = context.caller;
    this.value = context.value;
    this.input = context.input;
    this.isStatic = context.isStatic;
    this.depth = context.depth;
    this.slots = context.slots;
    this.stack = context.stack;
    this.gas = context.gas;
  }
}
