import { toHex } from '../../ledger/bytes.ts';
import { longZeroAddress } from '../../ledger/evm-address.ts';
import { trimmedWord, word } from '../solidity/counter-contract.ts';
import { codeOf } from '../solidity/helper-contracts.ts';
import type { Account } from '../state/ledger-entities.ts';
import type { LedgerState } from '../state/ledger-state.ts';

export interface ExpectedContract {
  readonly deleted: boolean;
  readonly runtime: Uint8Array;
  /** That of its number for a contract that has no other. */
  readonly evmAddress: Uint8Array;
  /** Values without leading zeros by slot (32 bytes), both hex. */
  readonly storage: ReadonlyMap<string, string>;
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

const addressOf = ({ alias, num }: Account): Uint8Array => (alias.length > 0 ? alias : longZeroAddress(num));

const COUNT_SLOT = toHex(word(0n));

export const expectedContracts = (state: LedgerState): Map<bigint, ExpectedContract> =>
  new Map([
    ...[...state.contracts, ...state.deletedContracts].map(
      ({ num, account, kind, count, nonce, created, logs }): [bigint, ExpectedContract] => [
        num,
        {
          deleted: account.deleted,
          runtime: codeOf(kind).runtime,
          evmAddress: addressOf(account),
          storage: count === 0n ? new Map() : new Map([[COUNT_SLOT, toHex(trimmedWord(count))]]),
          nonce,
          created: [...created],
          logs,
        },
      ],
    ),
    ...state.published.map(({ num, account, runtime, storage, nonce, created, logs }): [bigint, ExpectedContract] => [
      num,
      {
        deleted: false,
        runtime,
        evmAddress: addressOf(account),
        storage: new Map(storage),
        nonce,
        created: [...created],
        logs,
      },
    ]),
  ]);

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
