/** What contracts see of the ledger's entities. */

import { longZeroHexOf } from '../../ledger/evm-address.ts';
import { newEntity } from '../state/new-entity.ts';
import type { AddressHex, EntityRecord } from '../state/records.ts';
import { addressOf, isLongZero, longZeroHex, type World } from '../state/world.ts';
import { accountFacade, isAccountFacadeCall, scheduleFacade, tokenFacade } from './facades.ts';
import type { VersionRules } from './versions.ts';
import { hexToBytes } from './words.ts';

const LAST_SYSTEM_ACCOUNT = 750;
const LAST_RESERVED_NUMBER = 1_000;

/** Fee collection and reward accounts, whose balances no run may see. */
const ALWAYS_SYNTHETIC: ReadonlySet<number> = new Set([98, 800, 801, 802]);

const NO_CODE = new Uint8Array();
const DELEGATION_PREFIX = 'ef0100';

/** An empty key list. */
const isEmptyKey = (key: Uint8Array | undefined): boolean =>
  key === undefined || key.length === 0 || (key.length === 2 && key[0] === 0x32 && key[1] === 0);

/** Number in a long-zero address if it is one of the lowest ones; undefined for all others. */
export const reservedNumber = (address: AddressHex): number | undefined => reservedNumbers.get(address);

const reservedNumbers: ReadonlyMap<AddressHex, number> = new Map(
  Array.from({ length: LAST_RESERVED_NUMBER + 1 }, (_, num) => [longZeroHexOf(num), num]),
);

export const isSystemAccount = (address: AddressHex): boolean =>
  (reservedNumber(address) ?? Number.POSITIVE_INFINITY) <= LAST_SYSTEM_ACCOUNT;

/** An account that came to be by a transfer to its alias, and has no key yet. */
export const isHollow = (entity: EntityRecord): boolean =>
  entity.type === 'ACCOUNT' && entity.evmAddress !== undefined && entity.nonce === 0n && isEmptyKey(entity.key);

export class Accounts {
  readonly #world: World;
  readonly #rules: VersionRules;
  readonly #minimumBalance: bigint;

  constructor(world: World, rules: VersionRules, minimumBalance: bigint) {
    this.#world = world;
    this.#rules = rules;
    this.#minimumBalance = minimumBalance;
  }

  /** The entity that contracts reach by an address; one with an alias is not reached by its number. */
  async find(address: AddressHex): Promise<EntityRecord | undefined> {
    const num = reservedNumber(address);
    if (num !== undefined && ALWAYS_SYNTHETIC.has(num)) {
      return newEntity({ id: this.#world.idOf(BigInt(num)), type: 'ACCOUNT' });
    }
    const entity = await this.#world.entityAt(address);
    if (entity === undefined) return undefined;
    return entity.evmAddress !== undefined && isLongZero(address) && entity.evmAddress !== address ? undefined : entity;
  }

  /** Whether calls and reads of the address are allowed at all. */
  async isPresent(address: AddressHex): Promise<boolean> {
    const { allowsMissingTargets, hasSystemAccountRules } = this.#rules;
    if (allowsMissingTargets || (hasSystemAccountRules && isSystemAccount(address))) return true;
    return (await this.find(address)) !== undefined;
  }

  /** Whether BALANCE answers without looking: numbers up to 0.0.750, since 0.38. */
  hidesBalance(address: AddressHex): boolean {
    return this.#rules.hasSystemAccountRules && isSystemAccount(address);
  }

  /** Whether EXTCODE* answers without looking: numbers up to 0.0.1000, since 0.38. */
  hidesCode(address: AddressHex): boolean {
    return this.#rules.hasSystemAccountRules && reservedNumber(address) !== undefined;
  }

  /** Tinybars that the entity may spend; facades have none. */
  spendable(entity: EntityRecord | undefined): bigint {
    if (entity === undefined || entity.type === 'TOKEN' || entity.type === 'SCHEDULE') return 0n;
    if (entity.type === 'CONTRACT' || entity.balance >= this.#minimumBalance) return entity.balance;
    return this.#minimumBalance;
  }

  /** What BALANCE shows. */
  async visibleBalance(address: AddressHex): Promise<bigint> {
    if (this.hidesBalance(address)) return 0n;
    const entity = await this.#findReal(address);
    return entity === undefined || entity.type === 'TOKEN' || entity.type === 'SCHEDULE' ? 0n : entity.balance;
  }

  /** Code that a call of the entity with this input runs. */
  async executableCode(entity: EntityRecord, input: Uint8Array): Promise<Uint8Array> {
    if (entity.type === 'ACCOUNT') {
      if (isAccountFacadeCall(input)) return accountFacade(addressOf(entity));
      return entity.delegationAddress === undefined ? NO_CODE : this.#delegatedCode(entity.delegationAddress);
    }
    return this.#ownCode(entity);
  }

  /** Code that EXTCODE* shows; undefined where there is no entity to have one. */
  async visibleCode(address: AddressHex): Promise<Uint8Array | undefined> {
    if (this.hidesCode(address)) return undefined;
    const entity = await this.find(address);
    if (entity === undefined) return undefined;
    if (entity.type !== 'ACCOUNT') return this.#ownCode(entity);
    return entity.delegationAddress === undefined ? NO_CODE : hexToBytes(DELEGATION_PREFIX + entity.delegationAddress);
  }

  /**
   * Without code, nonce and balance ([EIP-161](https://eips.ethereum.org/EIPS/eip-161)): receiving value costs extra.
   * What counts is the real balance, as networks charged it, not the one that a poor account is shown with.
   */
  async isEmpty(address: AddressHex): Promise<boolean> {
    const entity = await this.#findReal(address);
    if (entity === undefined) return true;
    if (entity.balance !== 0n || (await this.#world.withNonce(entity)).nonce !== 0n) return false;
    return entity.type === 'ACCOUNT'
      ? entity.delegationAddress === undefined
      : (await this.#ownCode(entity)).length === 0;
  }

  /** Like `find`, with the real balances of the accounts whose balances no run may spend. */
  #findReal(address: AddressHex): Promise<EntityRecord | undefined> {
    const num = reservedNumber(address);
    return num !== undefined && ALWAYS_SYNTHETIC.has(num) ? this.#world.entityAt(address) : this.find(address);
  }

  async #ownCode(entity: EntityRecord): Promise<Uint8Array> {
    switch (entity.type) {
      case 'CONTRACT':
        return (await this.#world.code(entity.id)) ?? NO_CODE;
      case 'TOKEN':
        return tokenFacade(longZeroHex(entity.id));
      case 'SCHEDULE':
        return scheduleFacade(longZeroHex(entity.id));
      default:
        return NO_CODE;
    }
  }

  /** Delegation goes one step: to a contract. */
  async #delegatedCode(target: AddressHex): Promise<Uint8Array> {
    const entity = await this.find(target);
    return entity?.type === 'CONTRACT' ? this.#ownCode(entity) : NO_CODE;
  }
}
