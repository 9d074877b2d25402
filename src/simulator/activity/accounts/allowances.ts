import { fees } from '../../network/fee-schedule.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import { cryptoTransferData } from '../../records/item-encoder.ts';
import { accountId, tokenId } from '../../records/proto-ids.ts';
import { usableHolding } from '../../state/account-book.ts';
import type { Account, Token } from '../../state/ledger-entities.ts';
import { withEntry, withoutEntry } from '../../state/sparse.ts';
import {
  type Activity,
  canMove,
  chooseOther,
  chooseReceiver,
  chooseSender,
  chooseSerial,
  chooseToken,
  chooseUser,
  isOpen,
} from '../choose.ts';
import { moveFungible } from '../tokens/token-transfers.ts';

const HBAR = 100_000_000n;
const MAX_GRANTS = 20;

/** An owner grants an allowance: hbar, a fungible token, or one NFT. */
export const approveAllowance: Activity = (builder) => {
  const { random } = builder;
  const choice = random.below(3);
  if (choice === 0) return approveHbar(builder);
  return choice === 1 ? approveFungible(builder) : approveNft(builder);
};

const approveHbar: Activity = (builder) => {
  const owner = chooseUser(builder, HBAR);
  const spender = owner && chooseOther(builder, owner);
  if (owner === undefined || spender === undefined || owner.hbarAllowances.size >= MAX_GRANTS) return false;
  const amount = BigInt(builder.random.between(1, 10)) * HBAR;
  builder.submit({
    payer: owner,
    fee: fees.allowance,
    data: {
      $case: 'cryptoApproveAllowance',
      cryptoApproveAllowance: {
        cryptoAllowances: [{ owner: accountId(owner.num), spender: accountId(spender.num), amount }],
      },
    },
  });
  owner.hbarAllowances = withEntry(owner.hbarAllowances, spender.num, amount);
  return true;
};

const approveFungible: Activity = (builder) => {
  const token = chooseToken(builder, builder.state.fungible);
  const owner = token && chooseSender(builder, token, HBAR);
  const spender = owner && chooseOther(builder, owner);
  if (token === undefined || owner === undefined || spender === undefined) return false;
  if (owner.tokenAllowances.size >= MAX_GRANTS) return false;
  const amount = BigInt(builder.random.between(1, 100_000));
  builder.submit({
    payer: owner,
    fee: fees.allowance,
    data: {
      $case: 'cryptoApproveAllowance',
      cryptoApproveAllowance: {
        tokenAllowances: [
          { tokenId: tokenId(token.num), owner: accountId(owner.num), spender: accountId(spender.num), amount },
        ],
      },
    },
  });
  owner.tokenAllowances = withEntry(owner.tokenAllowances, `${token.num}/${spender.num}`, amount);
  return true;
};

const approveNft: Activity = (builder) => approveNftOf(builder, chooseToken(builder, builder.state.nfts));

/** Somebody may move an NFT of a collection in which others may receive it. */
export const approveOpenNft: Activity = (builder) => approveNftOf(builder, builder.state.nfts.find(isOpen));

const approveNftOf = (builder: BlockBuilder, token: Token | undefined): boolean => {
  const found = token && chooseSerial(builder, token, canMove(token, HBAR));
  const spender = found && chooseOther(builder, found.owner);
  if (token === undefined || found === undefined || spender === undefined) return false;
  builder.submit({
    payer: found.owner,
    fee: fees.allowance,
    data: {
      $case: 'cryptoApproveAllowance',
      cryptoApproveAllowance: {
        nftAllowances: [
          {
            tokenId: tokenId(token.num),
            owner: accountId(found.owner.num),
            spender: accountId(spender.num),
            serialNumbers: [found.serial],
          },
        ],
      },
    },
  });
  token.spenders.set(found.serial, spender.num);
  return true;
};

/** The treasury of a token lets two others spend its hbar and the token. */
export const approveTwoSpenders: Activity = (builder) => {
  const token = builder.state.fungible.find(({ treasury, kept }) => kept && treasury.balance >= HBAR);
  const owner = token?.treasury;
  const first = owner && chooseOther(builder, owner);
  const second = owner && chooseOther(builder, owner);
  if (token === undefined || owner === undefined || first === undefined || second === undefined) return false;
  if (first === second) return false;
  const amount = BigInt(builder.random.between(1, 10)) * HBAR;
  const grants = [first, second].map(({ num }) => ({ owner: accountId(owner.num), spender: accountId(num), amount }));
  builder.submit({
    payer: owner,
    fee: fees.allowance,
    data: {
      $case: 'cryptoApproveAllowance',
      cryptoApproveAllowance: {
        cryptoAllowances: grants,
        tokenAllowances: grants.map((grant) => ({ ...grant, tokenId: tokenId(token.num) })),
      },
    },
  });
  for (const { num } of [first, second]) {
    owner.hbarAllowances = withEntry(owner.hbarAllowances, num, amount);
    owner.tokenAllowances = withEntry(owner.tokenAllowances, `${token.num}/${num}`, amount);
  }
  return true;
};

/** Who may move all of an owner's NFTs of a token lets somebody else move one of them. */
export const delegateNft: Activity = (builder) => {
  const { state } = builder;
  for (const token of state.nfts) {
    if (token.paused) continue;
    for (const [serial, owner] of token.owners) {
      const granted = [...owner.approvedForAll].find((key) => key.startsWith(`${token.num}/`));
      const delegating =
        granted === undefined ? undefined : state.accounts.get(BigInt(granted.split('/')[1] as string));
      const spender = delegating && chooseOther(builder, delegating);
      if (delegating === undefined || spender === undefined || spender === owner || delegating.balance < HBAR) continue;
      builder.submit({
        payer: delegating,
        fee: fees.allowance,
        data: {
          $case: 'cryptoApproveAllowance',
          cryptoApproveAllowance: {
            nftAllowances: [
              {
                tokenId: tokenId(token.num),
                owner: accountId(owner.num),
                spender: accountId(spender.num),
                delegatingSpender: accountId(delegating.num),
                serialNumbers: [serial],
              },
            ],
          },
        },
      });
      token.spenders.set(serial, spender.num);
      return true;
    }
  }
  return false;
};

/** Takes back whatever NFT allowance there is on one serial number. */
export const deleteAllowance: Activity = (builder) => {
  const token = chooseToken(builder, builder.state.nfts);
  const found = token && chooseSerial(builder, token, canMove(token, HBAR));
  if (token === undefined || found === undefined) return false;
  builder.submit({
    payer: found.owner,
    fee: fees.allowance,
    data: {
      $case: 'cryptoDeleteAllowance',
      cryptoDeleteAllowance: {
        nftAllowances: [
          { tokenId: tokenId(token.num), owner: accountId(found.owner.num), serialNumbers: [found.serial] },
        ],
      },
    },
  });
  token.spenders.delete(found.serial);
  return true;
};

/** The same of hbar or of a token, whoever has granted it. */
export const spendSomeAllowance =
  (spend: (owner: Account) => Activity): Activity =>
  (builder) =>
    builder.state.users.some((owner) => owner.balance >= 20n * HBAR && spend(owner)(builder));

/** A spender pays a third account out of an owner's allowance. */
export const spendAllowance: Activity = (builder) => {
  const owner = chooseUser(builder, 20n * HBAR);
  if (owner === undefined) return false;
  return builder.random.chance(0.5) ? spendHbar(owner)(builder) : spendFungible(owner)(builder);
};

export const spendHbar =
  (owner: Account): Activity =>
  (builder) => {
    const [granted] = owner.hbarAllowances;
    const receiver = chooseOther(builder, owner);
    if (granted === undefined || receiver === undefined || receiver.receiverSignatureRequired) return false;
    const [spenderNum, allowance] = granted;
    const spender = builder.state.accounts.get(spenderNum);
    if (spender === undefined || spender.deleted || spender === receiver || spender.balance < HBAR) return false;
    const amount = 1n + builder.random.bigBelow(allowance);
    if (amount > owner.balance / 2n) return false;
    const hbar = [
      { account: owner, amount: -amount },
      { account: receiver, amount },
    ];
    builder.submit({ payer: spender, fee: fees.transfer, data: cryptoTransferData(hbar, owner), hbar });
    if (amount === allowance) owner.hbarAllowances = withoutEntry(owner.hbarAllowances, spenderNum);
    else owner.hbarAllowances = withEntry(owner.hbarAllowances, spenderNum, allowance - amount);
    return true;
  };

export const spendFungible =
  (owner: Account): Activity =>
  (builder) => {
    const [granted] = owner.tokenAllowances;
    if (granted === undefined) return false;
    const [key, allowance] = granted;
    const [tokenNum, spenderNum] = key.split('/').map(BigInt) as [bigint, bigint];
    const token = builder.state.fungible.find((candidate) => candidate.num === tokenNum && !candidate.paused);
    const spender = builder.state.accounts.get(spenderNum);
    if (token === undefined || spender === undefined || spender.deleted || spender.balance < HBAR) return false;
    const receiver = chooseReceiver(builder, token, owner);
    const held = usableHolding(owner, token)?.balance ?? 0n;
    const limit = held < allowance ? held : allowance;
    if (receiver === undefined || limit === 0n) return false;
    const amount = 1n + builder.random.bigBelow(limit);
    if (!moveFungible(builder, { token, sender: owner, receiver, amount, spender })) return false;
    if (amount === allowance) owner.tokenAllowances = withoutEntry(owner.tokenAllowances, key);
    else owner.tokenAllowances = withEntry(owner.tokenAllowances, key, allowance - amount);
    return true;
  };
