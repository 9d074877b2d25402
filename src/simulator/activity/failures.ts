import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { fees } from '../network/fee-schedule.ts';
import { FEE_COLLECTION } from '../network/system-accounts.ts';
import type { BlockBuilder } from '../records/block-builder.ts';
import { cryptoTransferData } from '../records/item-encoder.ts';
import { accountId } from '../records/proto-ids.ts';
import { type Activity, chooseOther, chooseUser } from './choose.ts';
import { failingBodies, NOBODY } from './failing-bodies.ts';
import { bodyTransfers } from './tokens/token-record.ts';

const HBAR = 100_000_000n;

/** A transaction that reaches consensus and fails; its fee is charged all the same. */
export const failSomehow: Activity = (builder) => {
  const kinds = [unsigned, unaffordable, unknownReceiver, unassociated, brokePayer];
  const kind = kinds[builder.random.below(kinds.length)] as Activity;
  return kind(builder);
};

/** A transaction that fails, each time of another type. */
export const failAnyType: Activity = (builder) => {
  const { turns } = builder.state;
  const payer = chooseUser(builder, HBAR);
  const failing = failingBodies[turns.failure % failingBodies.length];
  if (payer === undefined || failing === undefined) return false;
  turns.failure++;
  builder.submit({ payer, fee: fees.transfer, ...failing(payer) });
  return true;
};

/** A transfer out of another's account, which that one has not signed. */
const unsigned: Activity = (builder) => {
  const payer = chooseUser(builder, HBAR);
  const victim = payer && chooseOther(builder, payer);
  if (payer === undefined || victim === undefined) return false;
  builder.submit({
    payer,
    fee: fees.transfer,
    status: ResponseCodeEnum.INVALID_SIGNATURE,
    data: cryptoTransferData([
      { account: victim, amount: -1_000_000n },
      { account: payer, amount: 1_000_000n },
    ]),
  });
  return true;
};

const unaffordable: Activity = (builder) => {
  const payer = chooseUser(builder, HBAR);
  const receiver = payer && chooseOther(builder, payer);
  if (payer === undefined || receiver === undefined) return false;
  const amount = payer.balance * 2n;
  builder.submit({
    payer,
    fee: fees.transfer,
    status: ResponseCodeEnum.INSUFFICIENT_ACCOUNT_BALANCE,
    data: cryptoTransferData([
      { account: payer, amount: -amount },
      { account: receiver, amount },
    ]),
  });
  return true;
};

const unknownReceiver: Activity = (builder) => {
  const payer = chooseUser(builder, HBAR);
  if (payer === undefined) return false;
  builder.submit({
    payer,
    fee: fees.transfer,
    status: ResponseCodeEnum.INVALID_ACCOUNT_ID,
    data: {
      $case: 'cryptoTransfer',
      cryptoTransfer: {
        transfers: {
          accountAmounts: [
            { accountID: accountId(payer.num), amount: -5n },
            { accountID: accountId(NOBODY), amount: 5n },
          ],
        },
      },
    },
  });
  return true;
};

const unassociated: Activity = (builder) => {
  const token = builder.random.pick(builder.state.fungible);
  const receiver = chooseUser(builder, HBAR);
  const payer = token?.treasury;
  if (token === undefined || receiver === undefined || payer === undefined) return false;
  if (receiver.holdings.has(token.num) || receiver.autoAssociations !== 0 || payer.balance < HBAR) return false;
  builder.submit({
    payer,
    fee: fees.tokenTransfer,
    status: ResponseCodeEnum.TOKEN_NOT_ASSOCIATED_TO_ACCOUNT,
    data: {
      $case: 'cryptoTransfer',
      cryptoTransfer: {
        tokenTransfers: [
          bodyTransfers(token, [
            { account: payer, amount: -1n },
            { account: receiver, amount: 1n },
          ]),
        ],
      },
    },
  });
  return true;
};

/** The payer has nothing at all; the node that let the transaction through pays the network. */
const brokePayer: Activity = (builder) => {
  const payer = builder.state.accounts.get(FEE_COLLECTION);
  if (payer === undefined || payer.balance > 0n || !nodesAreRich(builder)) return false;
  const receiver = chooseUser(builder, 0n);
  if (receiver === undefined) return false;
  builder.submit({
    payer,
    fee: fees.transfer,
    chargeNode: true,
    status: ResponseCodeEnum.INSUFFICIENT_PAYER_BALANCE,
    data: cryptoTransferData([
      { account: payer, amount: -1n },
      { account: receiver, amount: 1n },
    ]),
  });
  return true;
};

const nodesAreRich = ({ state, settings }: BlockBuilder): boolean => {
  for (let nodeId = 0; nodeId < settings.nodeCount; nodeId++) {
    if ((state.accounts.get(3n + BigInt(nodeId))?.balance ?? 0n) < HBAR) return false;
  }
  return true;
};
