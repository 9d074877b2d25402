/**
 * Calls and creations: what happens between an instruction that asks for a frame and that frame's result. Owns the
 * address rules of the ledger; `interpreter` owns instructions.
 */
import type { EntityId } from '../../ledger/entity-id.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { AddressHex, EntityRecord } from '../state/records.ts';
import { isLongZero, longZeroHex } from '../state/world.ts';
import type { SystemContract } from '../system-contracts/system-contract.ts';
import { isHollow, isSystemAccount, reservedNumber } from './accounts.ts';
import type {
  CallingMachine,
  CallMessage,
  CreateMessage,
  CreateResult,
  FrameResult,
  MachineRun,
  MachineTools,
} from './calling-machine.ts';
import { HaltError } from './halts.ts';
import { executeHostOperation } from './host-operations.ts';
import type { PreparedCode } from './interpreter/code.ts';
import type { LoopHost, RunWords } from './interpreter/exit.ts';
import { Frame, STACK_LIMIT } from './interpreter/frame.ts';
import { interpret } from './interpreter/loop.ts';
import { awaitsSlot } from './interpreter/rare.ts';
import type { Keccak } from './keccak.ts';
import { newContract } from './new-contract.ts';
import type { RunState } from './run-state.ts';
import type { Tracing } from './tracing.ts';
import { type TransferContext, transferValue } from './value-transfer.ts';
import type { VersionRules } from './versions.ts';

const MOST_CODE_BYTES = 24_576;
const CODE_BYTE_GAS = 200;
const RESERVED_FIRST_BYTE = 0xef;

const NOTHING = new Uint8Array();

const success = (output: Uint8Array, gasLeft: number): FrameResult => ({
  outcome: 'success',
  output,
  gasLeft,
  haltsCallers: 0,
});

export class Machine implements LoopHost, CallingMachine {
  readonly tools: MachineTools;
  readonly run: MachineRun;
  readonly state: RunState;
  readonly rules: VersionRules;
  readonly words: RunWords;
  readonly keccak: Keccak;
  readonly #transfers: TransferContext;
  readonly #active: EntityId[] = [];
  readonly #stacks: bigint[][] = [];

  constructor(tools: MachineTools, run: MachineRun) {
    this.tools = tools;
    this.run = run;
    this.state = run.state;
    this.rules = run.rules;
    this.words = run.words;
    this.keccak = tools.keccak;
    this.#transfers = {
      state: run.state,
      accounts: run.accounts,
      rules: run.rules,
      now: run.environment.now,
      exchangeRate: run.environment.exchangeRate,
      gasPriceMilliTinycents: run.environment.gasPriceMilliTinycents,
      active: this.#active,
    };
  }

  /** Value that a contract gives away when it destroys itself. */
  moveAll(from: AddressHex, to: AddressHex, value: bigint): Promise<number> {
    return transferValue(this.#transfers, from, to, value, 0);
  }

  call(message: CallMessage): Promise<FrameResult> {
    return this.#guarded(() => this.#call(message));
  }

  async create(message: CreateMessage): Promise<CreateResult> {
    let created: { address: AddressHex; id: EntityId } = { address: message.address ?? '', id: 0n };
    const result = await this.#guarded(async () => {
      const id = await this.#newContract(message);
      created = { address: message.address ?? longZeroHex(id), id };
      // [EIP-2929](https://eips.ethereum.org/EIPS/eip-2929): what a transaction creates is accessed from the start.
      this.state.warm(created.address);
      return this.#deploy(message, created);
    });
    return { ...result, ...created };
  }

  /** What a frame did is kept only if it succeeds. */
  async #guarded(body: () => Promise<FrameResult>): Promise<FrameResult> {
    this.state.checkpoint();
    const depth = this.#active.length;
    let result: FrameResult;
    try {
      result = await body();
    } catch (error) {
      if (!(error instanceof HaltError)) throw error;
      result = { outcome: error.reason, output: NOTHING, gasLeft: 0, haltsCallers: error.callers };
    }
    this.#active.length = depth;
    if (result.outcome === 'success') {
      this.state.commit();
    } else {
      this.state.revert();
      this.run.tracing?.forgetStorage();
    }
    return result;
  }

  async #call(message: CallMessage): Promise<FrameResult> {
    const { target, input } = message;
    const sent = message.movesValue ? message.value : 0n;
    const systemContract = this.tools.systemContracts.get(target);
    if (sent > 0n) this.#refuseSystemReceiver(message, systemContract);
    if (systemContract !== undefined) return this.#callSystemContract(systemContract, message);
    if (this.tools.precompiles.isPrecompile(target) && (this.rules.isCancun || reservedNumber(target) !== 10)) {
      return this.#callPrecompile(message);
    }
    if (this.rules.hasSystemAccountRules && isSystemAccount(target)) return success(NOTHING, 0);

    const gas = await transferValue(this.#transfers, message.caller, message.recipient, sent, message.gas);
    const entity = await this.run.accounts.find(target);
    if (entity === undefined) return success(NOTHING, gas);
    const code = await this.run.accounts.executableCode(entity, input);
    if (code.length === 0) return success(NOTHING, gas);
    const prepared = entity.type === 'CONTRACT' ? this.tools.codes.get(code) : this.tools.codes.once(code);
    const recipientId = target === message.recipient ? entity.id : await this.state.world.idAt(message.recipient);
    return this.#execute(this.#frame(message, prepared, recipientId ?? entity.id, gas));
  }

  /** Below 0.0.751 nobody receives value, except the token service as a fee for creating a token. */
  #refuseSystemReceiver({ target, input }: CallMessage, systemContract: SystemContract | undefined): void {
    if (systemContract === undefined) {
      if (this.rules.hasSystemAccountRules && isSystemAccount(target)) throw new HaltError('INVALID_CONTRACT_ID');
      return;
    }
    const selector = input.length < 4 ? -1 : new DataView(input.buffer, input.byteOffset).getUint32(0);
    if (!this.tools.feeSelectors.has(selector)) throw new HaltError('INVALID_CONTRACT_ID');
  }

  async #callSystemContract(contract: SystemContract, message: CallMessage): Promise<FrameResult> {
    const result = await contract.call(
      {
        input: message.input,
        sender: message.caller,
        recipient: message.recipient,
        value: message.value,
        gas: BigInt(message.gas),
        isStatic: message.isStatic,
        isDelegate: message.recipient !== message.target,
      },
      this.run.context,
    );
    const gasUsed = result.outcome === 'halt' ? message.gas : Number(result.gasUsed);
    const gasLeft = message.gas - gasUsed;
    const revertData = result.outcome === 'revert' ? result.output : undefined;
    await this.run.tracing?.nativeCall(message.depth, Math.max(gasLeft, 0), gasUsed, revertData);
    if (result.outcome === 'halt') throw new HaltError(result.reason);
    if (gasLeft < 0) throw new HaltError('INSUFFICIENT_GAS');
    if (result.outcome === 'revert') return { outcome: 'revert', output: result.output, gasLeft, haltsCallers: 0 };
    for (const log of result.logs ?? []) this.state.addLog(log);
    return success(result.output, gasLeft);
  }

  async #callPrecompile({ target, input, gas, depth }: CallMessage): Promise<FrameResult> {
    const result = await this.tools.precompiles.run(target, input, gas, this.run.clock);
    const gasUsed = 'halt' in result ? gas : result.gasUsed;
    await this.run.tracing?.nativeCall(depth, gas - gasUsed, gasUsed, undefined);
    if ('halt' in result) throw new HaltError(result.halt);
    return success(result.output, gas - gasUsed);
  }

  /** Takes the address and a number for a contract. */
  async #newContract({ address, depth }: CreateMessage): Promise<EntityId> {
    const { world } = this.state;
    let hollow: EntityRecord | undefined;
    if (address !== undefined) {
      const found = await this.run.accounts.find(address);
      hollow = found && (await world.withNonce(found));
      if (hollow !== undefined && !isHollow(hollow)) throw new HaltError('ADDRESS_COLLISION');
    }
    if (depth > 0) this.state.children.add({ status: ResponseCodeEnum.SUCCESS });
    const isNumber = address !== undefined && isLongZero(address);
    const id = hollow?.id ?? (isNumber ? world.idOf(BigInt(`0x${address}`)) : await world.newEntityId());
    this.state.addCreated(id);
    world.putEntity(newContract(id, isNumber ? undefined : address, this.run.environment.now, hollow));
    return id;
  }

  async #deploy(message: CreateMessage, created: { address: AddressHex; id: EntityId }): Promise<FrameResult> {
    const { address, id } = created;
    const gas = await transferValue(this.#transfers, message.caller, address, message.value, message.gas);
    if (message.initCode.length === 0) return success(NOTHING, gas);
    const frame = this.#frame(
      { ...message, recipient: address, input: NOTHING, isStatic: false },
      this.tools.codes.once(message.initCode),
      id,
      gas,
    );
    const result = await this.#execute(frame);
    if (result.outcome !== 'success') return result;
    const code = result.output;
    const gasLeft = result.gasLeft - (this.run.rules.chargesForCode ? code.length * CODE_BYTE_GAS : 0);
    if (code.length > MOST_CODE_BYTES) throw new HaltError('CODE_TOO_LARGE');
    if (gasLeft < 0) throw new HaltError('INSUFFICIENT_GAS');
    if (code[0] === RESERVED_FIRST_BYTE) throw new HaltError('INVALID_CODE');
    if (code.length > 0) this.state.world.putCode(id, code);
    return success(code, gasLeft);
  }

  #frame(
    message: Pick<CallMessage, 'caller' | 'recipient' | 'value' | 'input' | 'isStatic' | 'depth'>,
    code: PreparedCode,
    entityId: EntityId,
    gas: number,
  ): Frame {
    const { caller, recipient, value, input, isStatic, depth } = message;
    let stack = this.#stacks[depth];
    if (stack === undefined) {
      stack = new Array<bigint>(STACK_LIMIT).fill(0n);
      this.#stacks[depth] = stack;
    }
    const slots = this.state.slotsOf(entityId);
    return new Frame({ code, address: recipient, entityId, caller, value, input, gas, isStatic, depth, slots, stack });
  }

  async #execute(frame: Frame): Promise<FrameResult> {
    this.#active.push(frame.entityId);
    const { tracing } = this.run;
    const outcome = tracing === undefined ? await this.#runFrame(frame) : await this.#traceFrame(frame, tracing);
    if (outcome === 'success') return success(frame.output, frame.gas);
    return { outcome: 'revert', output: frame.output, gasLeft: frame.gas, haltsCallers: 0 };
  }

  async #runFrame(frame: Frame): Promise<'success' | 'revert'> {
    for (;;) {
      const exit = interpret(frame, this, false);
      if (exit === 'returned') return 'success';
      if (exit === 'reverted') return 'revert';
      if (exit === 'host') {
        if (this.run.clock.tick()) await this.run.clock.look();
        const op = frame.code.bytes[frame.pc] as number;
        if (awaitsSlot(op)) await frame.slots.load(frame.stack[frame.sp - 1] as bigint);
        else if ((await executeHostOperation(this, frame, op)) === 'ended') return 'success';
      } else if (exit === 'paused') {
        await this.run.clock.look();
      } else if (exit !== 'stepped') {
        throw new HaltError(exit);
      }
    }
  }

  /** One instruction at a time, each shown to the tracer when it is done. */
  async #traceFrame(frame: Frame, tracing: Tracing): Promise<'success' | 'revert'> {
    for (;;) {
      if (this.run.clock.tick()) await this.run.clock.look();
      const { pc, gas } = frame;
      const op = frame.code.bytes[pc] as number;
      const halted = async (reason: HaltError): Promise<never> => {
        await tracing.step(frame, { op, pc, gas, gasCost: 0 });
        throw reason;
      };
      const exit = interpret(frame, this, true);
      if (exit === 'host') {
        if (awaitsSlot(op)) {
          await frame.slots.load(frame.stack[frame.sp - 1] as bigint);
          continue;
        }
        const { steps } = tracing;
        let ended = false;
        try {
          ended = (await executeHostOperation(this, frame, op)) === 'ended';
        } catch (error) {
          // A call that was shown when it began is not shown again when it takes its caller down.
          if (error instanceof HaltError && tracing.steps === steps) await halted(error);
          throw error;
        }
        if (tracing.steps === steps)
          await tracing.step(frame, { op, pc: frame.pc, gas: frame.gas, gasCost: gas - frame.gas });
        if (ended) return 'success';
        continue;
      }
      if (exit !== 'stepped' && exit !== 'paused' && exit !== 'returned' && exit !== 'reverted') {
        await halted(new HaltError(exit));
      }
      const revertData = exit === 'reverted' ? frame.output : undefined;
      await tracing.step(frame, { op, pc: frame.pc, gas: frame.gas, gasCost: gas - frame.gas, revertData });
      if (exit === 'returned') return 'success';
      if (exit === 'reverted') return 'revert';
    }
  }
}
