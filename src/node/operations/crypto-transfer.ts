/**
 * CryptoTransfer of hbars, with accounts that come about by being paid ([HIP-32](https://hips.hedera.com/hip/hip-32),
 * [HIP-583](https://hips.hedera.com/hip/hip-583)).
 */
import { toHex } from '../../ledger/bytes.ts';
import { EVM_ADDRESS_LENGTH, numOfLongZeroAddress } from '../../ledger/evm-address.ts';
import { evmAddressOfAlias } from '../../ledger/key.ts';
import { type AccountAmount, type AccountID, Key } from '../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { FEE_COLLECTION } from '../../simulator/network/system-accounts.ts';
import type { Draft, HbarChange } from '../../simulator/records/draft.ts';
import { accountId } from '../../simulator/records/proto-ids.ts';
import { addAccount } from '../../simulator/state/account-book.ts';
import type { Account } from '../../simulator/state/ledger-entities.ts';
import { withEntry, withoutEntry } from '../../simulator/state/sparse.ts';
import { HOLLOW_KEY } from '../transactions/account-directory.ts';
import { chargesOf } from '../transactions/charges.ts';
import { demand } from '../transactions/refusal.ts';
import { authorize, hasSigned } from './authorization.ts';
import { isUsableKey } from './new-keys.ts';
import { type LedgerView, type MessageOf, operation, type Performance } from './operation.ts';

type CryptoTransfer = MessageOf<'cryptoTransfer'>;

const MOST_ENTRIES = 10;
const AUTO_RENEW_SECONDS = 7_776_000n;

const amountsOf = ({ transfers }: CryptoTransfer): readonly AccountAmount[] => transfers?.accountAmounts ?? [];

const nameOf = ({ shardNum, realmNum, account }: AccountID): string => {
  const name = account?.$case === 'alias' ? toHex(account.alias) : account?.accountNum;
  return `${shardNum}.${realmNum}.${name}`;
};

const check = (message: CryptoTransfer): void => {
  const amounts = amountsOf(message);
  demand(message.tokenTransfers.length === 0, ResponseCodeEnum.NOT_SUPPORTED);
  demand(!amounts.some(({ hookCall }) => hookCall !== undefined), ResponseCodeEnum.NOT_SUPPORTED);
  const names = amounts.map(({ accountID }) => {
    demand(accountID?.account !== undefined, ResponseCodeEnum.INVALID_ACCOUNT_ID);
    return nameOf(accountID as AccountID);
  });
  const sum = amounts.reduce((total, { amount }) => total + amount, 0n);
  demand(sum === 0n, ResponseCodeEnum.INVALID_ACCOUNT_AMOUNTS);
  demand(new Set(names).size === names.length, ResponseCodeEnum.ACCOUNT_REPEATED_IN_ACCOUNT_AMOUNTS);
};

/** An alias that nobody has, and that an account can come from. */
interface NewAlias {
  readonly alias: Uint8Array;
  /** Undefined: an EVM address, whose account has no key yet. */
  readonly key: Key | undefined;
}

const aliasKey = (alias: Uint8Array): Key | undefined => {
  try {
    const key = Key.decode(alias);
    const isPlain = key.key?.$case === 'ed25519' || key.key?.$case === 'ECDSASecp256k1';
    return isPlain && isUsableKey(key) ? key : undefined;
  } catch {
    return undefined;
  }
};

/** @throws Refusal INVALID_ACCOUNT_ID, INVALID_ALIAS_KEY */
const newAliasOf = ({ accountID, amount }: AccountAmount): NewAlias => {
  const account = accountID?.account;
  demand(account?.$case === 'alias' && amount > 0n, ResponseCodeEnum.INVALID_ACCOUNT_ID);
  const { alias } = account as Extract<typeof account, { $case: 'alias' }>;
  demand(numOfLongZeroAddress(alias) === undefined, ResponseCodeEnum.INVALID_ACCOUNT_ID);
  if (alias.length === EVM_ADDRESS_LENGTH) return { alias, key: undefined };
  const key = aliasKey(alias);
  demand(key !== undefined, ResponseCodeEnum.INVALID_ALIAS_KEY);
  return { alias, key };
};

interface Entry {
  readonly given: AccountAmount;
  readonly party: Account | NewAlias;
}

const isNew = (party: Account | NewAlias): party is NewAlias => !('num' in party);

const entriesOf = (message: CryptoTransfer, { directory }: LedgerView): readonly Entry[] =>
  amountsOf(message).map((given) => ({ given, party: directory.find(given.accountID) ?? newAliasOf(given) }));

const effects = (message: CryptoTransfer, { directory }: LedgerView) => {
  const created = amountsOf(message).filter(
    ({ accountID, amount }) =>
      amount > 0n && accountID?.account?.$case === 'alias' && directory.find(accountID) === undefined,
  );
  const hollow = created.filter(
    ({ accountID }) => accountID?.account?.$case === 'alias' && accountID.account.alias.length === EVM_ADDRESS_LENGTH,
  );
  return { keyedAccounts: created.length - hollow.length, hollowAccounts: hollow.length, associations: 0 };
};

const spends = (message: CryptoTransfer, payer: Account, { directory }: LedgerView): bigint =>
  amountsOf(message).reduce(
    (sum, { accountID, amount, isApproval }) =>
      amount < 0n && !isApproval && directory.find(accountID) === payer ? sum - amount : sum,
    0n,
  );

/** @throws Refusal of the first entry that can't be */
const demandEntries = (entries: readonly Entry[], performance: Performance): void => {
  const { payer, signatures, fee } = performance;
  demand(entries.length <= MOST_ENTRIES, ResponseCodeEnum.TRANSFER_LIST_SIZE_LIMIT_EXCEEDED);
  const parties = new Set(
    entries.map(({ party }) => (isNew(party) ? toHex(evmAddressOfAlias(party.alias) ?? party.alias) : party)),
  );
  demand(parties.size === entries.length, ResponseCodeEnum.ACCOUNT_REPEATED_IN_ACCOUNT_AMOUNTS);
  for (const { party, given } of entries) {
    if (isNew(party)) continue;
    const { amount, isApproval } = given;
    demand(!party.deleted, ResponseCodeEnum.ACCOUNT_DELETED);
    if (amount < 0n && !isApproval && party !== payer) authorize(party, performance);
    const mustAgree = amount > 0n && party.receiverSignatureRequired;
    demand(!mustAgree || hasSigned(party, signatures), ResponseCodeEnum.INVALID_SIGNATURE);
    demand(
      amount <= 0n || party.num !== FEE_COLLECTION,
      ResponseCodeEnum.TRANSFER_TO_FEE_COLLECTION_ACCOUNT_NOT_ALLOWED,
    );
  }
  for (const { party, given } of entries) {
    if (isNew(party)) continue;
    if (given.isApproval && given.amount < 0n) demandAllowance(party, payer, -given.amount);
    const available = party === payer ? party.balance - fee : party.balance;
    demand(available + given.amount >= 0n, ResponseCodeEnum.INSUFFICIENT_ACCOUNT_BALANCE);
  }
};

const demandAllowance = (owner: Account, spender: Account, amount: bigint): void => {
  const allowance = owner.hbarAllowances.get(spender.num);
  demand(allowance !== undefined, ResponseCodeEnum.SPENDER_DOES_NOT_HAVE_ALLOWANCE);
  demand(amount <= (allowance as bigint), ResponseCodeEnum.AMOUNT_EXCEEDS_ALLOWANCE);
};

const spendAllowance = (owner: Account, spender: Account, amount: bigint): void => {
  const left = (owner.hbarAllowances.get(spender.num) ?? 0n) - amount;
  owner.hbarAllowances =
    left === 0n ? withoutEntry(owner.hbarAllowances, spender.num) : withEntry(owner.hbarAllowances, spender.num, left);
};

/** The account, and the transaction by which the network creates it. */
const create = ({ alias, key }: NewAlias, { builder, payer, state }: Performance, cost: bigint): [Account, Draft] => {
  const num = builder.takeNum();
  const memo = key === undefined ? 'lazy-created account' : 'auto-created account';
  const keyBytes = key === undefined ? HOLLOW_KEY : alias;
  const account = addAccount(state, { num, alias, keyBytes, memo, autoAssociations: -1, pinned: true });
  const evmAddress = evmAddressOfAlias(alias);
  const creation: Draft = {
    payer,
    fee: 0n,
    statedFee: cost,
    data: {
      $case: 'cryptoCreateAccount',
      cryptoCreateAccount: {
        key: key ?? { key: { $case: 'keyList', keyList: { keys: [] } } },
        autoRenewPeriod: { seconds: AUTO_RENEW_SECONDS },
        maxAutomaticTokenAssociations: -1,
        memo,
        alias,
      },
    },
    receipt: { accountID: accountId(num) },
    record: { ...(key === undefined ? {} : { alias }), ...(evmAddress === undefined ? {} : { evmAddress }) },
  };
  return [account, creation];
};

/** Tinybars that one created account adds to what the payer is charged. */
const feeOfCreation = ({ sent, state, builder }: Performance): bigint => {
  const rate = builder.rates.currentRate;
  const created = { keyedAccounts: 1, hollowAccounts: 0, associations: 0 };
  return chargesOf(sent, state, rate, created).service - chargesOf(sent, state, rate).service;
};

export const cryptoTransfer = operation({
  kind: 'cryptoTransfer',
  type: 14,
  check,
  spends,
  effects,
  perform: (message, performance) => {
    const { payer, state, builder } = performance;
    const entries = entriesOf(message, performance);
    demandEntries(entries, performance);
    const creationFee = feeOfCreation(performance);
    const preceding: Draft[] = [];
    const hbar: HbarChange[] = [];
    for (const { given, party } of entries) {
      if (isNew(party)) {
        const [account, creation] = create(party, performance, creationFee);
        state.submitted.accounts.set(account.num, {
          created: builder.consensusTime,
          autoRenewPeriod: AUTO_RENEW_SECONDS,
        });
        preceding.push(creation);
        hbar.push({ account, amount: given.amount });
      } else {
        if (given.isApproval && given.amount < 0n) spendAllowance(party, payer, -given.amount);
        hbar.push({ account: party, amount: given.amount });
      }
    }
    return { hbar, preceding };
  },
});
