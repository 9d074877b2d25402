/** Classic transfer functions. */
import { decodeEntityId } from '../../../../ledger/entity-id.ts';
import type { Party, Transfers } from '../../../hapi/transfers/transfers.ts';
import type { AddressHex } from '../../../state/records.ts';
import { type Arguments, modifying, type SystemFunction } from '../../function-table.ts';
import { answered, halted, revertedWithOrdinal } from '../../results.ts';
import { transferEvents } from './erc-events.ts';
import {
  type AdjustmentTuple,
  serialsOf,
  type TokenTransfersTuple,
  transfersOf,
  unitsOf,
} from './transfer-arguments.ts';
import { fitsHapi, gasOfTransfers, makeTransfer, type ReadTransfers, withEffects } from './transfer-call.ts';

const LAST_SYSTEM_ACCOUNT = 750n;

const isSystemAccount = (party: Party): boolean => {
  const num = typeof party === 'bigint' ? decodeEntityId(party).num : BigInt(`0x${party}`);
  return num > 0n && num <= LAST_SYSTEM_ACCOUNT;
};

const creditsSystemAccount = ({ hbar, tokens }: Transfers<Party>): boolean =>
  [...hbar, ...tokens.flatMap(({ adjustments }) => adjustments)].some(
    ({ party, amount }) => amount > 0n && isSystemAccount(party),
  ) || tokens.some(({ serials }) => serials.some(({ receiver }) => isSystemAccount(receiver)));

const classicTransfer = <A extends Arguments>(signature: string, read: ReadTransfers<A>): SystemFunction =>
  modifying<A>(signature, gasOfTransfers(read), async (args, call, run) => {
    const transfers = await read(args, call, run);
    if (transfers === undefined) return halted('INVALID_OPERATION');
    if (creditsSystemAccount(transfers)) return revertedWithOrdinal('INVALID_RECEIVING_NODE_ACCOUNT');
    const { status, effects } = await makeTransfer(call, run, transfers);
    if (effects === undefined) return answered(status);
    return withEffects(answered(status), await transferEvents(run.world, effects.tokens), effects, run);
  });

export const transferFunctions: readonly SystemFunction[] = [
  classicTransfer<[tokens: readonly TokenTransfersTuple[]]>(
    'cryptoTransfer((address,(address,int64)[],(address,address,int64)[])[])',
    ([tokens], _call, run) => transfersOf(run.world, [], tokens),
  ),
  classicTransfer<[hbar: readonly [readonly AdjustmentTuple[]], tokens: readonly TokenTransfersTuple[]]>(
    'cryptoTransfer(((address,int64,bool)[]),(address,(address,int64,bool)[],(address,address,int64,bool)[])[])',
    ([[hbar], tokens], _call, run) => transfersOf(run.world, hbar, tokens),
  ),
  classicTransfer<[token: AddressHex, accounts: readonly AddressHex[], amounts: readonly bigint[]]>(
    'transferTokens(address,address[],int64[])',
    async ([token, accounts, amounts], _call, run) =>
      accounts.length === amounts.length
        ? unitsOf(
            run.world,
            token,
            accounts.map((account, i) => [account, amounts[i] ?? 0n]),
          )
        : undefined,
  ),
  classicTransfer<[token: AddressHex, sender: AddressHex, receiver: AddressHex, amount: bigint]>(
    'transferToken(address,address,address,int64)',
    async ([token, sender, receiver, amount], _call, run) =>
      amount < 0n
        ? undefined
        : unitsOf(run.world, token, [
            [sender, -amount],
            [receiver, amount],
          ]),
  ),
  classicTransfer<
    [
      token: AddressHex,
      senders: readonly AddressHex[],
      receivers: readonly AddressHex[],
      serialNumbers: readonly bigint[],
    ]
  >(
    'transferNFTs(address,address[],address[],int64[])',
    async ([token, senders, receivers, serialNumbers], _call, run) => {
      if (senders.length !== receivers.length || senders.length !== serialNumbers.length) return undefined;
      const serials = serialNumbers.map((serial, i) => [senders[i] ?? '', receivers[i] ?? '', serial] as const);
      return serialsOf(run.world, token, serials);
    },
  ),
  classicTransfer<[token: AddressHex, sender: AddressHex, receiver: AddressHex, serialNumber: bigint]>(
    'transferNFT(address,address,address,int64)',
    ([token, sender, receiver, serialNumber], _call, run) =>
      serialsOf(run.world, token, [[sender, receiver, serialNumber]]),
  ),
  classicTransfer<[token: AddressHex, sender: AddressHex, receiver: AddressHex, amount: bigint]>(
    'transferFrom(address,address,address,uint256)',
    async ([token, sender, receiver, amount], _call, run) =>
      fitsHapi(amount)
        ? unitsOf(run.world, token, [
            [receiver, amount],
            [sender, -amount, true],
          ])
        : undefined,
  ),
  classicTransfer<[token: AddressHex, sender: AddressHex, receiver: AddressHex, serialNumber: bigint]>(
    'transferFromNFT(address,address,address,uint256)',
    async ([token, sender, receiver, serialNumber], _call, run) =>
      fitsHapi(serialNumber) ? serialsOf(run.world, token, [[sender, receiver, serialNumber, true]]) : undefined,
  ),
];
