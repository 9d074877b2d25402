import type { Account } from '../state/ledger-entities.ts';

/** The balance changes of one transaction, one entry per account; reused from transaction to transaction. */
export class TransferBook {
  readonly #accounts: Account[] = [];
  readonly #amounts: bigint[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  clear(): void {
    this.#length = 0;
  }

  accountAt(index: number): Account {
    return this.#accounts[index] as Account;
  }

  amountAt(index: number): bigint {
    return this.#amounts[index] as bigint;
  }

  add(account: Account, amount: bigint): void {
    for (let i = 0; i < this.#length; i++) {
      if (this.#accounts[i] === account) {
        this.#amounts[i] = (this.#amounts[i] as bigint) + amount;
        return;
      }
    }
    this.#accounts[this.#length] = account;
    this.#amounts[this.#length++] = amount;
  }

  /** Orders entries by account number, as records have them, and drops those that cancelled out. */
  sort(): void {
    const accounts = this.#accounts;
    const amounts = this.#amounts;
    let kept = 0;
    for (let i = 0; i < this.#length; i++) {
      const account = accounts[i] as Account;
      const amount = amounts[i] as bigint;
      if (amount === 0n) continue;
      let slot = kept++;
      for (; slot > 0 && (accounts[slot - 1] as Account).num > account.num; slot--) {
        accounts[slot] = accounts[slot - 1] as Account;
        amounts[slot] = amounts[slot - 1] as bigint;
      }
      accounts[slot] = account;
      amounts[slot] = amount;
    }
    this.#length = kept;
  }

  sum(): bigint {
    let sum = 0n;
    for (let i = 0; i < this.#length; i++) sum += this.#amounts[i] as bigint;
    return sum;
  }

  /** Changes the accounts' balances. A balance below zero is a fault of the simulator. */
  apply(): void {
    for (let i = 0; i < this.#length; i++) {
      const account = this.#accounts[i] as Account;
      account.balance += this.#amounts[i] as bigint;
      if (account.balance < 0n) throw new Error(`Simulated account 0.0.${account.num} is overdrawn`);
    }
  }
}
