/** Approvals of spenders: classic functions, and those of ERC-20 and ERC-721 over a token's facade. */
import type { EntityId } from '../../../../ledger/entity-id.ts';
import { approveForAll, approveSerial, approveUnits, revokeSerial } from '../../../hapi/allowances.ts';
import { type OperationContext, type Status, settled } from '../../../hapi/operation.ts';
import type { AddressHex } from '../../../state/records.ts';
import { longZeroHex } from '../../../state/world.ts';
import { boolWord, EMPTY_OUTPUT } from '../../abi/encode.ts';
import { operationContext } from '../../caller.ts';
import type { FunctionCall } from '../../function-call.ts';
import { type FunctionResult, modifying, type SystemFunction } from '../../function-table.ts';
import { canonicalPrices, priced } from '../../gas.ts';
import { answered, halted, revertedWithOrdinal, statusWords, succeeded } from '../../results.ts';
import type { EmittedLog, RunContext } from '../../system-contract.ts';
import { accountIdOf, tokenIdOf } from './addressed.ts';
import { approvalForAllEvent, knownAddress, serialApprovalEvent, unitsApprovalEvent } from './erc-events.ts';
import { targetToken, targetTokenId } from './facade.ts';
import { fitsHapi } from './transfer-call.ts';

type ApproveArguments = [token: AddressHex, spender: AddressHex, value: bigint];

const NOBODY: EntityId = 0n;

/**
 * Approves a spender for a serial in its owner's name: by the owner, or by whom the owner approved for all serials.
 * Nobody as spender ends an approval.
 */
const approveOrRevokeSerial = async (
  context: OperationContext,
  approval: { readonly tokenId: EntityId; readonly spenderId: EntityId; readonly serialNumber: bigint },
): Promise<void> => {
  const { callerId, world } = context;
  const nft = await world.nft(approval.tokenId, approval.serialNumber);
  const ownerId = nft?.ownerId ?? callerId;
  if (approval.spenderId === NOBODY) return revokeSerial(context, { ...approval, ownerId });
  const delegated = ownerId === callerId ? {} : { delegatingSpenderId: callerId };
  return approveSerial(context, { ...approval, ownerId, ...delegated });
};

/** Runs an operation of the caller; gives its status and the context that it had. */
const ofCaller = async (
  call: FunctionCall,
  run: RunContext,
  operation: (context: OperationContext) => Promise<void>,
): Promise<{ readonly status: Status; readonly callerId: EntityId }> => {
  const context = await operationContext(call, run);
  const { status } = await settled(run.world, () => operation(context));
  return { status, callerId: context.callerId };
};

const approve = modifying<ApproveArguments>(
  'approve(address,address,uint256)',
  priced(canonicalPrices.approve),
  async ([token, spender, amount], call, run) => {
    if (!fitsHapi(amount)) return halted('INVALID_OPERATION');
    const tokenId = await tokenIdOf(run.world, token);
    const spenderId = await accountIdOf(run.world, spender);
    const { status, callerId } = await ofCaller(call, run, (context) =>
      approveUnits(context, { tokenId, ownerId: context.callerId, spenderId, amount }),
    );
    if (status !== 'SUCCESS') return revertedWithOrdinal(status);
    const approved = { tokenId, owner: longZeroHex(callerId), spender: longZeroHex(spenderId) };
    return succeeded(statusWords(status, boolWord(true)), [unitsApprovalEvent(approved, amount)]);
  },
);

const approveNft = modifying<ApproveArguments>(
  'approveNFT(address,address,uint256)',
  priced(canonicalPrices.approve),
  async ([token, spender, serialNumber], call, run) => {
    if (!fitsHapi(serialNumber)) return halted('INVALID_OPERATION');
    const tokenId = await tokenIdOf(run.world, token);
    const spenderId = await accountIdOf(run.world, spender);
    const { status, callerId } = await ofCaller(call, run, (context) =>
      approveOrRevokeSerial(context, { tokenId, spenderId, serialNumber }),
    );
    if (status !== 'SUCCESS') return revertedWithOrdinal(status);
    const approved = { tokenId, owner: longZeroHex(callerId), spender: longZeroHex(spenderId) };
    return succeeded(statusWords(status), [serialApprovalEvent(approved, serialNumber)]);
  },
);

const ercApprove = modifying<[spender: AddressHex, value: bigint]>(
  'approve(address,uint256)',
  priced(canonicalPrices.approve),
  async ([spender, value], call, run) => {
    if (!fitsHapi(value)) return halted('INVALID_OPERATION');
    const { world } = run;
    const tokenId = await targetTokenId(world, call);
    const nonFungible = (await targetToken(world, call))?.type === 'NON_FUNGIBLE_UNIQUE';
    const spenderId = await accountIdOf(world, spender);
    const { status, callerId } = await ofCaller(call, run, (context) =>
      nonFungible
        ? approveOrRevokeSerial(context, { tokenId, spenderId, serialNumber: value })
        : approveUnits(context, { tokenId, ownerId: context.callerId, spenderId, amount: value }),
    );
    if (status !== 'SUCCESS') {
      // ERC-721 knows owners only.
      const delegated = status === 'DELEGATING_SPENDER_DOES_NOT_HAVE_APPROVE_FOR_ALL' || status === 'INVALID_SIGNATURE';
      return revertedWithOrdinal(delegated ? 'SENDER_DOES_NOT_OWN_NFT_SERIAL_NO' : status);
    }
    const owner = await knownAddress(world, callerId);
    const approved = { tokenId, owner, spender: await knownAddress(world, spenderId) };
    return nonFungible
      ? succeeded(EMPTY_OUTPUT, [serialApprovalEvent(approved, value)])
      : succeeded(boolWord(true), [unitsApprovalEvent(approved, value)]);
  },
  { route: 'redirect' },
);

/** Statuses that come back as a word rather than as a revert. */
const answeredStatuses: ReadonlySet<Status> = new Set(['SUCCESS', 'INVALID_ALLOWANCE_SPENDER_ID', 'INVALID_TOKEN_ID']);

const setForAll = async (
  call: FunctionCall,
  run: RunContext,
  tokenId: EntityId,
  spender: AddressHex,
  approved: boolean,
): Promise<FunctionResult> => {
  const spenderId = await accountIdOf(run.world, spender);
  const { status, callerId } = await ofCaller(call, run, (context) =>
    approveForAll(context, { tokenId, ownerId: context.callerId, spenderId, approved }),
  );
  if (!answeredStatuses.has(status)) return revertedWithOrdinal(status);
  if (status !== 'SUCCESS') return answered(status);
  const logs: EmittedLog[] = [approvalForAllEvent({ tokenId, owner: longZeroHex(callerId), spender }, approved)];
  return succeeded(statusWords(status), logs);
};

const setApprovalForAll = modifying<[token: AddressHex, spender: AddressHex, approved: boolean]>(
  'setApprovalForAll(address,address,bool)',
  priced(canonicalPrices.setApprovalForAll),
  async ([token, spender, approved], call, run) =>
    setForAll(call, run, await tokenIdOf(run.world, token), spender, approved),
);

const ercSetApprovalForAll = modifying<[spender: AddressHex, approved: boolean]>(
  'setApprovalForAll(address,bool)',
  priced(canonicalPrices.setApprovalForAll),
  async ([spender, approved], call, run) =>
    setForAll(call, run, await targetTokenId(run.world, call), spender, approved),
  { route: 'redirect' },
);

export const allowanceFunctions: readonly SystemFunction[] = [
  approve,
  approveNft,
  setApprovalForAll,
  ercApprove,
  ercSetApprovalForAll,
];
