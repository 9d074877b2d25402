import { fees } from '../../network/fee-schedule.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import { accountId, tokenId } from '../../records/proto-ids.ts';
import { addToHolding, removeSerial } from '../../state/account-book.ts';
import type { Account, Token } from '../../state/ledger-entities.ts';
import { type Activity, chooseHolder, chooseSerial, chooseToken } from '../choose.ts';
import { mintFungible } from './token-lifecycle.ts';
import { mintedMetadata, nftTransfers, recordTransfers } from './token-record.ts';

const HBAR = 100_000_000n;
const MAX_LIVE_SERIALS = 200;
const MAX_SUPPLY = 1n << 62n;

/** Mints NFTs to the treasury. */
export const mintSerials = (builder: BlockBuilder, token: Token, count: number): void => {
  const { treasury } = token;
  const serials = Array.from({ length: count }, () => token.nextSerial++);
  for (const serial of serials) token.owners.set(serial, treasury);
  token.supply += BigInt(count);
  addToHolding(treasury, token, BigInt(count));
  builder.submit({
    payer: treasury,
    fee: fees.mint * BigInt(count),
    data: {
      $case: 'tokenMint',
      tokenMint: {
        token: tokenId(token.num),
        metadata: serials.map((serial) => Buffer.from(mintedMetadata(token, serial))),
      },
    },
    receipt: { newTotalSupply: token.supply, serialNumbers: serials },
    record: {
      tokenTransferLists: [
        nftTransfers(
          token,
          serials.map((serial) => ({ from: undefined, to: treasury, serial })),
        ),
      ],
    },
  });
};

const hasRoom = ({ supply, maxSupply }: Token, amount: bigint): boolean =>
  maxSupply === undefined || supply + amount <= maxSupply;

export const mintToken: Activity = (builder) => {
  const { random } = builder;
  const token = chooseToken(builder);
  if (token === undefined || token.treasury.balance < HBAR) return false;
  if (token.nft) {
    const count = random.between(1, 5);
    if (token.owners.size >= MAX_LIVE_SERIALS || !hasRoom(token, BigInt(count))) return false;
    mintSerials(builder, token, count);
  } else {
    const amount = BigInt(random.between(1, 1_000_000));
    if (token.supply >= MAX_SUPPLY || !hasRoom(token, amount)) return false;
    mintFungible(builder, token, amount);
  }
  return true;
};

export const burnToken: Activity = (builder) => {
  const { random } = builder;
  const token = chooseToken(builder);
  if (token === undefined || token.treasury.balance < HBAR) return false;
  const { treasury } = token;
  if (token.nft) {
    const found = chooseSerial(builder, token, (owner) => owner === treasury);
    if (found === undefined) return false;
    burnSerial(builder, token, treasury, found.serial, 'burn');
    return true;
  }
  const held = treasury.holdings.get(token.num)?.balance ?? 0n;
  const amount = BigInt(random.between(1, 10_000));
  if (held < amount) return false;
  burnFungible(builder, token, treasury, amount, 'burn');
  return true;
};

/** Takes tokens away from somebody who isn't the treasury. */
export const wipeToken: Activity = (builder) => {
  const { random } = builder;
  const token = chooseToken(builder);
  if (token === undefined || token.treasury.balance < HBAR) return false;
  if (token.nft) {
    const found = chooseSerial(builder, token, (owner) => owner !== token.treasury && !owner.deleted);
    if (found === undefined) return false;
    burnSerial(builder, token, found.owner, found.serial, 'wipe');
    return true;
  }
  const holder = chooseHolder(builder, token, (holding) => holding.balance > 0n);
  if (holder === undefined) return false;
  const held = holder.holdings.get(token.num)?.balance ?? 0n;
  burnFungible(builder, token, holder, 1n + random.bigBelow(held), 'wipe');
  return true;
};

type Removal = 'burn' | 'wipe';

const burnFungible = (builder: BlockBuilder, token: Token, holder: Account, amount: bigint, how: Removal): void => {
  token.supply -= amount;
  addToHolding(holder, token, -amount);
  const list = recordTransfers(token, [{ account: holder, amount: -amount }]);
  submitRemoval(builder, token, holder, { amount }, list, how);
};

const burnSerial = (builder: BlockBuilder, token: Token, holder: Account, serial: bigint, how: Removal): void => {
  token.supply -= 1n;
  removeSerial(token, serial);
  addToHolding(holder, token, -1n);
  const list = nftTransfers(token, [{ from: holder, to: undefined, serial }]);
  submitRemoval(builder, token, holder, { serialNumbers: [serial] }, list, how);
};

const submitRemoval = (
  builder: BlockBuilder,
  token: Token,
  holder: Account,
  what: { readonly amount: bigint } | { readonly serialNumbers: bigint[] },
  list: ReturnType<typeof recordTransfers>,
  how: Removal,
): void =>
  builder.submit({
    payer: token.treasury,
    fee: fees.tokenManage,
    data:
      how === 'burn'
        ? { $case: 'tokenBurn', tokenBurn: { token: tokenId(token.num), ...what } }
        : { $case: 'tokenWipe', tokenWipe: { token: tokenId(token.num), account: accountId(holder.num), ...what } },
    receipt: { newTotalSupply: token.supply },
    record: { tokenTransferLists: [list] },
  });

/** New metadata for one NFT that the treasury still holds. */
export const updateNft: Activity = (builder) => {
  const token = chooseToken(builder, builder.state.nfts);
  if (token === undefined || token.treasury.balance < HBAR) return false;
  const found = chooseSerial(builder, token, (owner) => owner === token.treasury);
  if (found === undefined) return false;
  const metadata = `ipfs://simulated/${token.num}/${found.serial}/${builder.state.blockNumber + 1n}`;
  builder.submit({
    payer: token.treasury,
    fee: fees.tokenManage,
    data: {
      $case: 'tokenUpdateNfts',
      tokenUpdateNfts: {
        token: tokenId(token.num),
        serialNumbers: [found.serial],
        metadata: Buffer.from(metadata),
      },
    },
  });
  token.metadata.set(found.serial, metadata);
  return true;
};
