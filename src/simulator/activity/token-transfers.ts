import { addToHolding, associate, moveSerial } from '../account-book.ts';
import type { BlockBuilder, HbarChange, RecordParts } from '../block-builder.ts';
import { fees } from '../fee-schedule.ts';
import type { Account, Token } from '../ledger-state.ts';
import { accountId, tokenId } from '../proto-ids.ts';
import {
  type Activity,
  canMove,
  chooseAutomatic,
  chooseReceiver,
  chooseSender,
  chooseSerial,
  chooseToken,
} from './choose.ts';
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
  if (fee.kind === 'fixed') {
    return {
      tokens: plain,
      hbar: [
        { account: sender, amount: -fee.amount },
        { account: collector, amount: fee.amount },
      ],
      assessed: [
        {
          amount: fee.amount,
          feeCollectorAccountId: accountId(collector.num),
          effectivePayerAccountId: [accountId(sender.num)],
        },
      ],
    };
  }
  if (fee.kind === 'royalty') return { tokens: plain, hbar: NO_CHANGES, assessed: [] };
  let share = (amount * fee.numerator) / fee.denominator;
  if (share < fee.minimum) share = fee.minimum;
  if (share > fee.maximum) share = fee.maximum;
  const arriving = amount - share;
  if (arriving <= 0n) return { tokens: [], hbar: NO_CHANGES, assessed: [] };
  return {
    tokens: [
      { account: sender, amount: -amount },
      { account: receiver, amount: arriving },
      { account: collector, amount: share },
    ],
    hbar: NO_CHANGES,
    assessed: [
      {
        amount: share,
        tokenId: tokenId(token.num),
        feeCollectorAccountId: accountId(collector.num),
        effectivePayerAccountId: [accountId(receiver.num)],
      },
    ],
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
  const automatic = receiver.holdings.has(token.num) ? [] : [receiver];
  for (const account of automatic) {
    associate(account, token);
    if (account.autoAssociations > 0) account.autoAssociations--;
  }
  addToHolding(owner, token, -1n);
  addToHolding(receiver, token, 1n);
  moveSerial(token, serial, receiver);

  const [royalty] = token.fees;
  const collector = royalty === undefined ? undefined : state.accounts.get(royalty.collector);
  const charged =
    royalty?.kind === 'royalty' && collector !== undefined && collector !== owner && collector !== receiver;
  const share = charged ? (price * royalty.numerator) / royalty.denominator : 0n;
  const hbar: HbarChange[] =
    price === 0n
      ? []
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
      tokenTransferLists: [nftTransfers(token, [{ from: owner, to: receiver, serial }])],
      automaticTokenAssociations: automaticAssociations(token, automatic),
      assessedCustomFees:
        share === 0n || collector === undefined
          ? []
          : [
              {
                amount: share,
                feeCollectorAccountId: accountId(collector.num),
                effectivePayerAccountId: [accountId(owner.num)],
              },
            ],
    },
    signers: price > 0n || receiver.receiverSignatureRequired ? [receiver.key] : [],
  });
  return true;
};
