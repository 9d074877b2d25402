/**
 * Calls of system contracts as they happen, which take the gas that the network recorded for them: prices changed, and
 * would hide whatever else differs.
 */
import type { AddressHex } from '../../../evm/state/records.ts';
import type { SystemContract } from '../../../evm/system-contracts/system-contract.ts';
import { toHex } from '../../../ledger/bytes.ts';

/** A call of a system contract, as its child record shows it. */
export interface RecordedSystemCall {
  readonly number: bigint;
  /** Hex digits. */
  readonly input: string;
  /** That was there when it began; 0n where the record does not tell. */
  readonly gas: bigint;
  readonly gasUsed: bigint;
}

/** What the network recorded of a call, and what came out now. */
export interface SystemCallGas {
  readonly input: string;
  readonly recorded: { readonly gas: bigint; readonly gasUsed: bigint };
  readonly executed: { readonly gas: bigint; readonly gasUsed: bigint };
}

export class RecordedPrices {
  #expected: RecordedSystemCall[] = [];
  #seen: SystemCallGas[] = [];

  /** The calls that the next run should make, in their order. */
  expect(calls: readonly RecordedSystemCall[]): void {
    this.#expected = [...calls];
    this.#seen = [];
  }

  /** Those of them that the run has made. */
  get seen(): readonly SystemCallGas[] {
    return this.#seen;
  }

  /** Whether the run made all calls that it was to make. */
  get complete(): boolean {
    return this.#expected.length === 0;
  }

  observed(contracts: ReadonlyMap<AddressHex, SystemContract>): Map<AddressHex, SystemContract> {
    return new Map([...contracts].map(([address, contract]) => [address, this.#observe(contract)]));
  }

  #observe(contract: SystemContract): SystemContract {
    return {
      number: contract.number,
      call: async (call, run) => {
        const input = toHex(call.input);
        const index = this.#expected.findIndex((one) => one.number === contract.number && one.input === input);
        const [recorded] = index < 0 ? [] : this.#expected.splice(0, index + 1).slice(-1);
        const result = await contract.call(call, run);
        if (recorded === undefined) return result;
        const own = result.outcome === 'halt' ? call.gas : result.gasUsed;
        const { gas, gasUsed } = recorded;
        this.#seen.push({ input, recorded: { gas, gasUsed }, executed: { gas: call.gas, gasUsed: own } });
        return result.outcome === 'halt' ? result : { ...result, gasUsed };
      },
    };
  }
}
