import { fees } from '../../network/fee-schedule.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import type { HbarChange, RecordParts } from '../../records/draft.ts';
import { accountId, tokenId } from '../../records/proto-ids.ts';
import { addToHolding, associate, moveSerial } from '../../state/account-book.ts';
import type { Account, Token, TokenFee } from '../../state/ledger-entities.ts';
import {
  type Activity,
  canMove,
  canPayIn,
  chooseAutomatic,
  chooseReceiver,
  chooseSender,
  chooseSerial,
  chooseToken,
} from '../choose.ts';
import {
  automaticAssociations,
  bodyTransfers,
  nftTransfers,
  recordTransfers,
  type TokenChange,
} from './token-record.ts';

const HBAR = 100_000_000n;
const NO_CHANGES: readonly never[] = [];

interface Assessment {
  /** Tokens that arrive after fractional fees, by account. */
  readonly tokens: readonly TokenChange[];
  readonly hbar: readonly HbarChange[];
  readonly assessed: NonNullable<RecordParts['assessedCustomFees']>;
}

const NOTHING_ARRIVES: Assessment = { tokens: [], hbar: NO_CHANGES, assessed: [] };

/** In units of the token, or tinybars without one. */
const assessedFee = (
  amount: bigint,
  collector: Account,
  payer: Account,
  token?: Token,
): NonNullable<RecordParts['assessedCustomFees']>[number] => ({
  amount,
  ...(token && { tokenId: tokenId(token.num) }),
  feeCollectorAccountId: accountId(collector.num),
  effectivePayerAccountId: [accountId(payer.num)],
});

/** What the token's custom fees make of a transfer. Treasury and collector are exempt. */
const assess = (
  builder: BlockBuilder,
  token: Token,
  sender: Account,
  receiver: Account,
  amount: bigint,
): Assessment => {
  const plain = [
    { account: sender, amount: -amount },
    { account: receiver, amount },
  ];
  const [fee] = token.fees;
  const collector = fee === undefined ? undefined : builder.state.accounts.get(fee.collector);
  if (fee === undefined || collector === undefined || [sender, receiver].includes(collector)) {
    return { tokens: plain, hbar: NO_CHANGES, assessed: [] };
  }
  if (fee.kind === 'fixed' && fee.inOwnToken === true) {
    if ((sender.holdings.get(token.num)?.balance ?? 0n) < amount + fee.amount) return NOTHING_ARRIVES;
    return {
      tokens: [
        { account: sender, amount: -amount - fee.amount },
        { account: receiver, amount },
        { account: collector, amount: fee.amount },
      ],
      hbar: NO_CHANGES,
      assessed: [assessedFee(fee.amount, collector, sender, token)],
    };
  }
  if (fee.kind === 'fixed') {
    return {
      tokens: plain,
      hbar: [
        { account: sender, amount: -fee.amount },
        { account: collector, amount: fee.amount },
      ],
      assessed: [assessedFee(fee.amount, collector, sender)],
    };
  }
  if (fee.kind === 'royalty') return { tokens: plain, hbar: NO_CHANGES, assessed: [] };
  let share = (amount * fee.numerator) / fee.denominator;
  if (share < fee.minimum) share = fee.minimum;
  if (share > fee.maximum) share = fee.maximum;
  const isNet = fee.netOfTransfers === true;
  const arriving = isNet ? amount : amount - share;
  const leaving = isNet ? amount + share : amount;
  if (arriving <= 0n || (sender.holdings.get(token.num)?.balance ?? 0n) < leaving) return NOTHING_ARRIVES;
  return {
    tokens: [
      { account: sender, amount: -leaving },
      { account: receiver, amount: arriving },
      { account: collector, amount: share },
    ],
    hbar: NO_CHANGES,
    assessed: [assessedFee(share, collector, isNet ? sender : receiver, token)],
  };
};

export interface FungibleMove {
  readonly token: Token;
  readonly sender: Account;
  readonly receiver: Account;
  readonly amount: bigint;
  /** Set when the payer spends the sender's allowance. */
  readonly spender?: Account;
}

/** Submits a fungible transfer with what the token's fees add; false when they would eat it up. */
export const moveFungible = (builder: BlockBuilder, move: FungibleMove): boolean => {
  const { token, sender, receiver, amount, spender } = move;
  const { tokens, hbar, assessed } = assess(builder, token, sender, receiver, amount);
  if (tokens.length === 0) return false;
  const automatic = receiver.holdings.has(token.num) ? [] : [receiver];
  for (const account of automatic) {
    associate(account, token);
    if (account.autoAssociations > 0) account.autoAssociations--;
  }
  for (const change of tokens) addToHolding(change.account, token, change.amount);
  const payer = spender ?? sender;
  const stated = [
    { account: sender, amount: -amount },
    { account: receiver, amount },
  ];
  builder.submit({
    payer,
    fee: fees.tokenTransfer + (automatic.length > 0 ? fees.associate : 0n),
    data: {
      $case: 'cryptoTransfer',
      cryptoTransfer: { tokenTransfers: [bodyTransfers(token, stated, spender === undefined ? undefined : sender)] },
    },
    hbar,
    record: {
      tokenTransferLists: [recordTransfers(token, tokens)],
      automaticTokenAssociations: automaticAssociations(token, automatic),
      assessedCustomFees: assessed,
    },
    signers: receiver.receiverSignatureRequired ? [receiver.key] : [],
  });
  return true;
};

export const transferToken: Activity = (builder) => {
  const { random, state } = builder;
  const token = chooseToken(builder, state.fungible);
  const sender = token && chooseSender(builder, token, HBAR);
  if (token === undefined || sender === undefined) return false;
  const receiver = random.chance(0.15) ? chooseAutomatic(builder, token) : chooseReceiver(builder, token, sender);
  if (receiver === undefined || receiver === sender) return false;
  const held = sender.holdings.get(token.num)?.balance ?? 0n;
  return moveFungible(builder, { token, sender, receiver, amount: 1n + random.bigBelow(held / 10n + 1n) });
};

interface Fallback {
  readonly hbar: readonly HbarChange[];
  readonly lists: readonly ReturnType<typeof recordTransfers>[];
  readonly assessed: NonNullable<RecordParts['assessedCustomFees']>;
}

const NO_FALLBACK: Fallback = { hbar: [], lists: [], assessed: [] };

/** What the receiver pays for an NFT that costs nothing; undefined when it can't. */
const payFallback = (
  { fallback }: Extract<TokenFee, { kind: 'royalty' }>,
  receiver: Account,
  collector: Account,
): Fallback | undefined => {
  if (fallback === undefined) return NO_FALLBACK;
  const { amount, token } = fallback;
  const changes = [
    { account: receiver, amount: -amount },
    { account: collector, amount },
  ];
  const assessed = [assessedFee(amount, collector, receiver, token)];
  if (token === undefined) return receiver.balance < amount + HBAR ? undefined : { hbar: changes, lists: [], assessed };
  if (!canPayIn(token, receiver, collector, amount)) return undefined;
  for (const change of changes) addToHolding(change.account, token, change.amount);
  return { hbar: [], lists: [recordTransfers(token, changes)], assessed };
};

/** An NFT changes hands, half of the time for hbar, of which the royalty's collector gets a part. */
export const transferNft: Activity = (builder) => {
  const { random, state } = builder;
  const token = chooseToken(builder, state.nfts);
  const found = token && chooseSerial(builder, token, canMove(token, HBAR));
  if (token === undefined || found === undefined) return false;
  const { owner, serial } = found;
  const receiver = random.chance(0.3) ? chooseAutomatic(builder, token) : chooseReceiver(builder, token, owner);
  if (receiver === undefined || receiver === owner) return false;
  const price = random.chance(0.5) && receiver.balance > 10n * HBAR ? BigInt(random.between(1, 5)) * HBAR : 0n;
  const [royalty] = token.fees;
  const collector = royalty === undefined ? undefined : state.accounts.get(royalty.collector);
  const charged =
    royalty?.kind === 'royalty' && collector !== undefined && collector !== owner && collector !== receiver;
  const share = charged ? (price * royalty.numerator) / royalty.denominator : 0n;
  const fallback = charged && price === 0n ? payFallback(royalty, receiver, collector) : NO_FALLBACK;
  if (fallback === undefined) return false;

  const automatic = receiver.holdings.has(token.num) ? [] : [receiver];
  for (const account of automatic) {
    associate(account, token);
    if (account.autoAssociations > 0) account.autoAssociations--;
  }
  addToHolding(owner, token, -1n);
  addToHolding(receiver, token, 1n);
  moveSerial(token, serial, receiver);
  const hbar: HbarChange[] =
    price === 0n
      ? [...fallback.hbar]
      : [
          { account: receiver, amount: -price },
          { account: owner, amount: price - share },
        ];
  if (share > 0n && collector !== undefined) hbar.push({ account: collector, amount: share });
  builder.submit({
    payer: owner,
    fee: fees.tokenTransfer + (automatic.length > 0 ? fees.associate : 0n),
    data: {
      $case: 'cryptoTransfer',
      cryptoTransfer: {
        ...(price === 0n
          ? {}
          : {
              transfers: {
                accountAmounts: [
                  { accountID: accountId(receiver.num), amount: -price },
                  { accountID: accountId(owner.num), amount: price },
                ],
              },
            }),
        tokenTransfers: [nftTransfers(token, [{ from: owner, to: receiver, serial }])],
      },
    },
    hbar,
    record: {
      tokenTransferLists: [nftTransfers(token, [{ from: owner, to: receiver, serial }]), ...fallback.lists],
      automaticTokenAssociations: automaticAssociations(token, automatic),
      assessedCustomFees:
        share === 0n || collector === undefined ? fallback.assessed : [assessedFee(share, collector, owner)],
    },
    signers: price > 0n || fallback.assessed.length > 0 || receiver.receiverSignatureRequired ? [receiver.key] : [],
  });
  return true;
};
