/** Finding accounts of the simulated ledger by what clients call them. */
import { toHex } from '../../ledger/bytes.ts';
import { EVM_ADDRESS_LENGTH, numOfLongZeroAddress } from '../../ledger/evm-address.ts';
import { evmAddressOfAlias } from '../../ledger/key.ts';
import { type AccountID, Key } from '../../protobuf/generated/services/basic_types.ts';
import type { Account } from '../../simulator/state/ledger-entities.ts';
import type { LedgerState } from '../../simulator/state/ledger-state.ts';

const FIRST_NUM = 1n;

/** Key of an account that nobody has signed for yet: a Key of an empty KeyList. */
export const HOLLOW_KEY = Uint8Array.of(0x32, 0x00);

/** Whether the account waits for the key of its EVM address ([HIP-583](https://hips.hedera.com/hip/hip-583)). */
export const isHollow = ({ alias, keyBytes }: Account): boolean =>
  alias.length === EVM_ADDRESS_LENGTH && Buffer.compare(keyBytes, HOLLOW_KEY) === 0;

/** The key that has to sign for an account; undefined where none can. */
export const keyOfAccount = ({ keyBytes }: Account): Key | undefined =>
  keyBytes.length === 0 ? undefined : Key.decode(keyBytes);

export const isContract = ({ contracts, published }: LedgerState, num: bigint): boolean =>
  contracts.some((contract) => contract.num === num) || published.some((contract) => contract.num === num);

/** Accounts by number and alias. It follows the state, whose accounts only grow in number, as it is asked. */
export class AccountDirectory {
  readonly #state: LedgerState;
  readonly #numsByAlias = new Map<string, bigint>();
  #next = FIRST_NUM;

  constructor(state: LedgerState) {
    this.#state = state;
  }

  /** Undefined: nobody has this name. Deleted accounts are found as long as the ledger remembers them. */
  find(id: AccountID | undefined): Account | undefined {
    if (id === undefined || id.shardNum !== 0n || id.realmNum !== 0n) return undefined;
    if (id.account?.$case === 'accountNum') return this.withNum(id.account.accountNum);
    return id.account?.$case === 'alias' ? this.withAlias(id.account.alias) : undefined;
  }

  withNum(num: bigint): Account | undefined {
    return this.#state.accounts.get(num) ?? this.#state.deletedAccounts.find((account) => account.num === num);
  }

  /** By EVM address or serialized key; an EVM address of zeros and a number names the account with that number. */
  withAlias(alias: Uint8Array): Account | undefined {
    const longZero = numOfLongZeroAddress(alias);
    if (longZero !== undefined) return this.withNum(longZero);
    this.#follow();
    const num = this.#numsByAlias.get(toHex(alias)) ?? this.#numsByAlias.get(toHex(evmAddressOfAlias(alias) ?? alias));
    const account = num === undefined ? undefined : this.withNum(num);
    return account?.deleted === true ? undefined : account;
  }

  #follow(): void {
    for (; this.#next < this.#state.nextNum; this.#next++) {
      const account = this.#state.accounts.get(this.#next);
      if (account === undefined || account.alias.length === 0) continue;
      this.#numsByAlias.set(toHex(account.alias), account.num);
      const address = evmAddressOfAlias(account.alias);
      if (address !== undefined) this.#numsByAlias.set(toHex(address), account.num);
    }
  }
}
