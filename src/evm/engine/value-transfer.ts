/** Tinybars that go from one entity to another with a call, a creation or a self-destruction. */
import { type EntityId, encodeEntityId } from '../../ledger/entity-id.ts';
import { Key } from '../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { createHollowAccount } from '../hapi/lazy-creation.ts';
import type { AddressHex, EntityRecord, ExchangeRate } from '../state/records.ts';
import { isLongZero } from '../state/world.ts';
import type { Accounts } from './accounts.ts';
import { HaltError } from './halts.ts';
import type { RunState } from './run-state.ts';
import type { VersionRules } from './versions.ts';
import { bytesToHex } from './words.ts';

/** $0.05. */
const ACCOUNT_CREATION_TINYCENTS = 500_000_000n;

export interface TransferContext {
  readonly state: RunState;
  readonly accounts: Accounts;
  readonly rules: VersionRules;
  readonly now: bigint;
  readonly exchangeRate: ExchangeRate;
  readonly gasPriceMilliTinycents: bigint;
  /** Entities whose code is running, outermost first. */
  readonly active: readonly EntityId[];
}

/** Gas for an account that value brings into being: its price in tinybars at the price of gas. */
const hollowAccountGas = (context: Pick<TransferContext, 'exchangeRate' | 'gasPriceMilliTinycents'>): number => {
  const { hbarEquiv, centEquiv } = context.exchangeRate;
  const fee = (ACCOUNT_CREATION_TINYCENTS * hbarEquiv) / centEquiv;
  const price = (context.gasPriceMilliTinycents * hbarEquiv) / centEquiv;
  return price === 0n ? 0 : Number((fee * 1_000n) / price);
};

const pay = ({ state: { world } }: TransferContext, entity: EntityRecord, amount: bigint): void => {
  const balance = entity.balance + amount;
  // An account that is shown with more than it has may spend more than it has.
  world.putEntity({ ...entity, balance: balance < 0n ? 0n : balance });
};

/** A receiver that asks for its signature is satisfied unless its key is a contract that isn't running. */
const lacksSignature = async (context: TransferContext, receiver: EntityRecord): Promise<boolean> => {
  if (!receiver.receiverSigRequired || receiver.key === undefined) return false;
  const { key } = Key.decode(receiver.key);
  if (key?.$case !== 'contractID' && key?.$case !== 'delegatableContractId') return false;
  const { contract, shardNum, realmNum } = key.$case === 'contractID' ? key.contractID : key.delegatableContractId;
  if (contract === undefined) return true;
  const id =
    contract.$case === 'evmAddress'
      ? await context.state.world.idAt(bytesToHex(contract.evmAddress))
      : encodeEntityId(shardNum, realmNum, contract.contractNum);
  return id === undefined || !context.active.includes(id);
};

/**
 * Moves value that the sender has; a missing alias becomes an account.
 * @returns the gas that is left.
 * @throws HaltError when the receiver may not get it, or gas is too little for a new account.
 */
export const transferValue = async (
  context: TransferContext,
  from: AddressHex,
  to: AddressHex,
  value: bigint,
  gas: number,
): Promise<number> => {
  if (value === 0n || from === to) return gas;
  const { accounts, rules, state } = context;
  let left = gas;
  let receiver = await accounts.find(to);
  if (receiver === undefined) {
    if (isLongZero(to)) throw new HaltError('INVALID_ALIAS_KEY');
    if (!rules.createsHollowAccounts) throw new HaltError('INVALID_SOLIDITY_ADDRESS');
    left -= hollowAccountGas(context);
    if (left < 0) throw new HaltError('INSUFFICIENT_GAS');
    state.children.add({ status: ResponseCodeEnum.SUCCESS });
    receiver = await state.world.entity(await createHollowAccount({ world: state.world, now: context.now }, to));
  } else if (receiver.type === 'TOKEN' || receiver.type === 'SCHEDULE') {
    throw new HaltError('ILLEGAL_STATE_CHANGE');
  } else if (await lacksSignature(context, receiver)) {
    throw new HaltError('INVALID_SIGNATURE');
  }
  const sender = await accounts.find(from);
  if (sender !== undefined) pay(context, sender, -value);
  if (receiver !== undefined) pay(context, receiver, value);
  return left;
};
