import { codeOf } from './helper-contracts.ts';
import type { LedgerState } from './ledger-state.ts';

export interface ExpectedContract {
  readonly deleted: boolean;
  readonly runtime: Uint8Array;
  /** Empty for contracts that have no address but the one of their number. */
  readonly evmAddress: Uint8Array;
  /** Value of slot 0, 0n when it was never written. */
  readonly count: bigint;
  /** Transactions of its own that the EVM has seen, and one for its creation. */
  readonly nonce: bigint;
  /** Numbers of the contracts that it created. */
  readonly created: readonly bigint[];
  readonly logs: number;
}

/** Rows that contracts leave. */
export interface ExpectedEvm {
  readonly results: number;
  /** Of contracts, without synthetic ones. */
  readonly logs: number;
  readonly actions: number;
  readonly stateChanges: number;
  /** Ethereum transactions by their type. */
  readonly ethereumTypes: ReadonlyMap<number, number>;
}

export const expectedContracts = ({ contracts, deletedContracts }: LedgerState): Map<bigint, ExpectedContract> =>
  new Map(
    [...contracts, ...deletedContracts].map(({ num, account, kind, count, nonce, created, logs }) => [
      num,
      {
        deleted: account.deleted,
        runtime: codeOf(kind).runtime,
        evmAddress: account.alias,
        count,
        nonce,
        created: [...created],
        logs,
      },
    ]),
  );

export const expectedEvm = ({ evm, ethereumTypes }: LedgerState): ExpectedEvm => ({
  ...evm,
  ethereumTypes: new Map(ethereumTypes),
});

export const expectedHooks = ({ hookOwners }: LedgerState) => {
  const hooks = new Map<string, bigint | undefined>();
  const hookStorage = new Map<string, string>();
  for (const owner of hookOwners) {
    for (const [hookId, { contract, deleted, slots }] of owner.hooks) {
      hooks.set(`${owner.num}/${hookId}`, deleted ? undefined : contract);
      for (const [slot, value] of slots) hookStorage.set(`${owner.num}/${hookId}/${slot}`, value);
    }
  }
  return { hooks, hookStorage };
};
