/** `transfer` and `transferFrom` of ERC-20 and ERC-721 over a token's facade. */
import type { AddressHex } from '../../../state/records.ts';
import type { World } from '../../../state/world.ts';
import { boolWord, EMPTY_OUTPUT } from '../../abi/encode.ts';
import type { FunctionCall } from '../../function-call.ts';
import { modifying, type SystemFunction } from '../../function-table.ts';
import { halted, revertedWithOrdinal, succeeded } from '../../results.ts';
import type { EmittedLog } from '../../system-contract.ts';
import { accountIdOf } from './addressed.ts';
import { transferEvents } from './erc-events.ts';
import { targetAddress, targetToken, targetTokenId } from './facade.ts';
import { serialsOf, unitsOf } from './transfer-arguments.ts';
import { fitsHapi, gasOfTransfers, makeTransfer, type ReadTransfers, withEffects } from './transfer-call.ts';

type TransferArguments = [receiver: AddressHex, amount: bigint];
type TransferFromArguments = [sender: AddressHex, receiver: AddressHex, value: bigint];

const isNonFungible = async (world: World, call: FunctionCall): Promise<boolean> =>
  (await targetToken(world, call))?.type === 'NON_FUNGIBLE_UNIQUE';

/** What was asked for, also where custom fees moved more. */
const unitsEvents = async (
  world: World,
  call: FunctionCall,
  sender: AddressHex,
  receiver: AddressHex,
  amount: bigint,
): Promise<readonly EmittedLog[]> =>
  transferEvents(world, [
    {
      tokenId: await targetTokenId(world, call),
      adjustments: [
        { party: await accountIdOf(world, receiver), amount, isApproval: false },
        { party: await accountIdOf(world, sender), amount: -amount, isApproval: false },
      ],
      serials: [],
    },
  ]);

const readTransfer: ReadTransfers<TransferArguments> = async ([receiver, amount], call, { world }) =>
  fitsHapi(amount)
    ? unitsOf(world, targetAddress(call), [
        [receiver, amount],
        [call.sender, -amount],
      ])
    : undefined;

/** Moves what the caller owns. */
const ercTransfer = modifying<TransferArguments>(
  'transfer(address,uint256)',
  async (args, call, run) =>
    (await isNonFungible(run.world, call)) ? 0n : gasOfTransfers(readTransfer)(args, call, run),
  async (args, call, run) => {
    const { world } = run;
    // ERC-721 has no such function: like any unknown one.
    if (await isNonFungible(world, call)) return succeeded(EMPTY_OUTPUT);
    const transfers = await readTransfer(args, call, run);
    if (transfers === undefined) return halted('INVALID_OPERATION');
    const { status, effects } = await makeTransfer(call, run, transfers);
    if (effects === undefined) return revertedWithOrdinal(status);
    const [receiver, amount] = args;
    const logs = await unitsEvents(world, call, call.sender, receiver, amount);
    return withEffects(succeeded(boolWord(true)), logs, effects, run);
  },
  { route: 'redirect' },
);

/** Units are always moved by an allowance, even the owner's own; a serial only by who doesn't own it. */
const readTransferFrom: ReadTransfers<TransferFromArguments> = async ([sender, receiver, value], call, { world }) => {
  if (!fitsHapi(value)) return undefined;
  const token = targetAddress(call);
  if (!(await isNonFungible(world, call))) {
    return unitsOf(world, token, [
      [receiver, value],
      [sender, -value, true],
    ]);
  }
  const nft = await world.nft(await targetTokenId(world, call), value);
  const isApproval = nft?.ownerId !== (await accountIdOf(world, call.sender));
  return serialsOf(world, token, [[sender, receiver, value, isApproval]]);
};

const ercTransferFrom = modifying<TransferFromArguments>(
  'transferFrom(address,address,uint256)',
  gasOfTransfers(readTransferFrom),
  async (args, call, run) => {
    const { world } = run;
    const transfers = await readTransferFrom(args, call, run);
    if (transfers === undefined) return halted('INVALID_OPERATION');
    const { status, effects } = await makeTransfer(call, run, transfers);
    if (effects === undefined) return revertedWithOrdinal(status);
    if (await isNonFungible(world, call)) {
      const serials = effects.tokens.filter((list) => list.serials.length > 0);
      const logs = await transferEvents(
        world,
        serials.map((list) => ({ ...list, adjustments: [] })),
      );
      return withEffects(succeeded(EMPTY_OUTPUT), logs, effects, run);
    }
    const [sender, receiver, amount] = args;
    const logs = await unitsEvents(world, call, sender, receiver, amount);
    return withEffects(succeeded(boolWord(true)), logs, effects, run);
  },
  { route: 'redirect' },
);

export const ercTransferFunctions: readonly SystemFunction[] = [ercTransfer, ercTransferFrom];
