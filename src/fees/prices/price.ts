/**
 * How the price of one kind of transaction is found: under which function the schedule has it, and how many units of
 * which extras it takes. The tables of this folder, one per family, hold one `price` per kind.
 */
import type { HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import type { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import type { LedgerState } from '../ledger-state.ts';
import type { ExtraName } from '../schedule/fee-schedule.ts';

type Data = NonNullable<TransactionBody['data']>;
export type TransactionKind = Data['$case'];
type DataOf<K extends TransactionKind> = Extract<Data, { readonly $case: K }>;
/** The message that a transaction of that kind carries. */
export type MessageOf<K extends TransactionKind> = DataOf<K>[K & keyof DataOf<K>];

/** What the network does in the course of a transaction; schedules have no such extras. */
type EffectName = 'CREATED_ACCOUNTS' | 'COMPLETED_ACCOUNTS' | 'CREATED_AUTO_ASSOCIATIONS';

export interface CountedExtra {
  readonly name: ExtraName | EffectName;
  readonly count: bigint;
  /** One unit costs what a transaction of this function does in all, without extras. Left out: the extra's own price. */
  readonly pricedAs?: HederaFunctionality;
}

/** `free`: the transaction costs nothing at all, whatever the schedule says. */
export type Charges = readonly CountedExtra[] | 'free';

/** What counting may look at beside the message itself. */
export interface PricingContext {
  readonly body: TransactionBody;
  /** Undefined in intrinsic mode. */
  readonly state: LedgerState | undefined;
}

export interface Price {
  readonly kind: TransactionKind;
  readonly functionality: HederaFunctionality;
  /** Whose base and included counts apply, when these are not its own. */
  readonly pricedAs: HederaFunctionality;
  readonly charges: (context: PricingContext) => Charges;
}

export const extra = (name: ExtraName, count: bigint | number): CountedExtra => ({ name, count: BigInt(count) });

/** For extras that a schedule need not have while there is nothing to count. */
export const extraIfAny = (name: ExtraName, count: number): CountedExtra[] => (count > 0 ? [extra(name, count)] : []);

/** What so many transactions of a function would cost. */
export const effect = (name: EffectName, count: number, pricedAs: HederaFunctionality): CountedExtra[] =>
  count > 0 ? [{ name, count: BigInt(count), pricedAs }] : [];

/** The price of one kind; without `count`, its base alone. */
export const price = <K extends TransactionKind>(
  kind: K,
  functionality: HederaFunctionality,
  count: (message: MessageOf<K>, context: PricingContext) => Charges = () => [],
  pricedAs: HederaFunctionality = functionality,
): Price => ({
  kind,
  functionality,
  pricedAs,
  charges: (context) => {
    const { data } = context.body;
    const message = (data as Readonly<Record<string, unknown>> | undefined)?.[kind];
    return count(message as MessageOf<K>, context);
  },
});
