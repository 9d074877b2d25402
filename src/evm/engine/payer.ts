/** Who sends a transaction, and whether they can pay for it. */
import type { EntityId } from '../../ledger/entity-id.ts';
import { longZeroHexOf } from '../../ledger/evm-address.ts';
import type { AddressHex, EntityRecord } from '../state/records.ts';
import { addressOf, isLongZero, type World } from '../state/world.ts';
import type { Accounts } from './accounts.ts';
import type { RunEnvironment, RunTransaction } from './run.ts';

const TREASURY = longZeroHexOf(2);
const ZERO_ADDRESS = '0'.repeat(40);
const TREASURY_NUMBER = 2n;

export interface Sender {
  readonly entity: EntityRecord;
  /** What contracts see as sender and origin. */
  readonly address: AddressHex;
  /** The account that operations of system contracts charge: a contract pays for nothing. */
  readonly payerId: EntityId;
}

export const isZeroAddress = (address: AddressHex | undefined): boolean =>
  address === undefined || address === ZERO_ADDRESS;

/** Undefined for a sender that is not there. */
export const findSender = async (
  { from, value }: Pick<RunTransaction, 'from' | 'value'>,
  accounts: Accounts,
  world: World,
): Promise<Sender | undefined> => {
  const address = from === undefined || (from === ZERO_ADDRESS && value === 0n) ? TREASURY : from;
  // A number also names an account that contracts know by its alias only.
  const entity = (await world.entityAt(address)) ?? (isLongZero(address) ? await accounts.find(address) : undefined);
  if (entity === undefined) return undefined;
  const payerId = entity.type === 'CONTRACT' ? world.idOf(TREASURY_NUMBER) : entity.id;
  return { entity, address: addressOf(entity), payerId };
};

/** Tinybars per unit of gas, rounded down. */
export const gasPriceOf = ({
  gasPriceMilliTinycents,
  exchangeRate: { hbarEquiv, centEquiv },
}: Pick<RunEnvironment, 'exchangeRate' | 'gasPriceMilliTinycents'>): bigint =>
  (gasPriceMilliTinycents * hbarEquiv) / (1_000n * centEquiv);

export const canPay = (
  { entity }: Sender,
  { value }: RunTransaction,
  accounts: Accounts,
  { payment }: Pick<RunEnvironment, 'payment'>,
): boolean =>
  payment === undefined
    ? accounts.spendable(entity) >= value
    : entity.balance >= value + payment.gas * payment.gasPrice;
