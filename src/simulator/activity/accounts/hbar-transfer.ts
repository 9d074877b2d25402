import { fees } from '../../network/fee-schedule.ts';
import type { HbarChange } from '../../records/draft.ts';
import { cryptoTransferData } from '../../records/item-encoder.ts';
import { type Activity, chooseOther, chooseUser, treasury } from '../choose.ts';

const MAX_AMOUNT = 100_000_000;
const MEMOS = ['rent', 'coffee', 'invoice 4711', 'refund', 'tickets', 'payout', 'subscription'];

/** One account pays another: four entries in the record with node and network fee. */
export const transferHbar: Activity = (builder) => {
  const { random } = builder;
  const sender = chooseUser(builder, 10_000_000n) ?? treasury(builder);
  const receiver = chooseOther(builder, sender);
  if (receiver === undefined) return false;
  let amount = BigInt(random.between(1, MAX_AMOUNT));
  if (amount > sender.balance / 4n) amount = sender.balance / 4n;
  const hbar = [
    { account: sender, amount: -amount },
    { account: receiver, amount },
  ];
  builder.submit({
    payer: sender,
    fee: fees.transfer,
    data: cryptoTransferData(hbar),
    hbar,
    ...(random.chance(0.1) ? { memo: MEMOS[random.below(MEMOS.length)] as string } : {}),
    ...(receiver.receiverSignatureRequired ? { signers: [receiver.key] } : {}),
  });
  return true;
};

/** One account pays two to five others at once. */
export const transferToMany: Activity = (builder) => {
  const { random } = builder;
  const sender = chooseUser(builder, 100_000_000n) ?? treasury(builder);
  const hbar: HbarChange[] = [];
  let total = 0n;
  for (let i = random.between(2, 5); i > 0; i--) {
    const receiver = chooseOther(builder, sender);
    if (receiver === undefined || hbar.some(({ account }) => account === receiver)) continue;
    const amount = BigInt(random.between(1, 1_000_000));
    hbar.push({ account: receiver, amount });
    total += amount;
  }
  if (hbar.length === 0) return false;
  hbar.unshift({ account: sender, amount: -total });
  const signers = hbar.filter(({ account }) => account.receiverSignatureRequired).map(({ account }) => account.key);
  builder.submit({ payer: sender, fee: fees.transfer, data: cryptoTransferData(hbar), hbar, signers });
  return true;
};
