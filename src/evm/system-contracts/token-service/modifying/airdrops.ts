/**
 * Airdrops and rejections ([HIP-904](https://hips.hedera.com/hip/hip-904)): of anyone directly, of the caller over a
 * token's facade.
 */
import type { EntityId } from '../../../../ledger/entity-id.ts';
import { decodeEntityId } from '../../../../ledger/entity-id.ts';
import { ResponseCodeEnum } from '../../../../protobuf/generated/services/response_code.ts';
import { airdrop } from '../../../hapi/airdrops/airdrop.ts';
import { cancelAirdrops } from '../../../hapi/airdrops/cancel-airdrops.ts';
import { claimAirdrops } from '../../../hapi/airdrops/claim-airdrops.ts';
import { type Rejection, rejectTokens } from '../../../hapi/airdrops/reject-tokens.ts';
import { AIRDROP_LIST_SIZE, TRANSFER_LIST_SIZE } from '../../../hapi/limits.ts';
import { type OperationContext, refuse, settled } from '../../../hapi/operation.ts';
import type { TransferEffects } from '../../../hapi/transfers/transfer.ts';
import type { Party, TokenTransfers } from '../../../hapi/transfers/transfers.ts';
import type { AddressHex, PendingAirdropKey } from '../../../state/records.ts';
import type { World } from '../../../state/world.ts';
import { operationContext } from '../../caller.ts';
import type { FunctionCall } from '../../function-call.ts';
import { type FunctionResult, modifying, type SystemFunction } from '../../function-table.ts';
import { canonicalPrices, dispatchGas, priced } from '../../gas.ts';
import { answered } from '../../results.ts';
import type { RunContext } from '../../system-contract.ts';
import { accountIdOf, tokenIdOf } from './addressed.ts';
import { classicOperation } from './classic.ts';
import { transferEvents } from './erc-events.ts';
import { targetTokenId } from './facade.ts';
import { givingParty, type TokenTransfersTuple } from './transfer-arguments.ts';

type AirdropTuple = readonly [sender: AddressHex, receiver: AddressHex, token: AddressHex, serialNumber: bigint];
type SerialTuple = readonly [token: AddressHex, serialNumber: bigint];

const LAST_SYSTEM_NUMBER = 1000n;

const checkReceiver = (receiver: Party): Party =>
  typeof receiver === 'bigint' && decodeEntityId(receiver).num <= LAST_SYSTEM_NUMBER
    ? refuse('INVALID_RECEIVING_NODE_ACCOUNT')
    : receiver;

/** Reads lists of tokens; what is refused here takes all gas. */
const airdropLists = async (
  world: World,
  tuples: readonly TokenTransfersTuple[],
): Promise<readonly TokenTransfers<Party>[]> => {
  const adjustmentCount = tuples.reduce((sum, [, adjustments]) => sum + adjustments.length, 0);
  const serialCount = tuples.reduce((sum, [, , serials]) => sum + serials.length, 0);
  if (Math.max(adjustmentCount, serialCount) > TRANSFER_LIST_SIZE) refuse('TOKEN_REFERENCE_LIST_SIZE_LIMIT_EXCEEDED');
  const lists = [];
  for (const [token, adjustmentTuples, serialTuples] of tuples) {
    const adjustments = [];
    for (const [address, amount, isApproval = false] of adjustmentTuples) {
      const party = await givingParty(world, address);
      adjustments.push({ party: amount > 0n ? checkReceiver(party) : party, amount, isApproval });
    }
    const serials = [];
    for (const [from, to, serialNumber, isApproval = false] of serialTuples) {
      const sender = await givingParty(world, from);
      serials.push({ sender, receiver: checkReceiver(await givingParty(world, to)), serialNumber, isApproval });
    }
    lists.push({ tokenId: await tokenIdOf(world, token), adjustments, serials });
  }
  return lists;
};

/** Runs an operation that transfers, and emits its events. */
const transferring = async (
  call: FunctionCall,
  run: RunContext,
  operation: (context: OperationContext) => Promise<TransferEffects>,
): Promise<FunctionResult> => {
  const context = await operationContext(call, run);
  const { status, value: effects } = await settled(run.world, () => operation(context));
  const answer = answered(status);
  if (effects === undefined) return answer;
  for (const _id of effects.createdIds) run.children.add({ status: ResponseCodeEnum.SUCCESS });
  return { ...answer, logs: await transferEvents(run.world, effects.tokens) };
};

const airdropTokens = modifying<[tokens: readonly TokenTransfersTuple[]]>(
  'airdropTokens((address,(address,int64,bool)[],(address,address,int64,bool)[])[])',
  priced(canonicalPrices.airdrop),
  async ([tuples], call, run) => {
    const lists = await airdropLists(run.world, tuples);
    return transferring(call, run, (context) => airdrop(context, lists));
  },
);

const pendingKeys = async (world: World, tuples: readonly AirdropTuple[]): Promise<readonly PendingAirdropKey[]> => {
  if (tuples.length > AIRDROP_LIST_SIZE) refuse('PENDING_AIRDROP_ID_LIST_TOO_LONG');
  const keys: PendingAirdropKey[] = [];
  for (const [sender, receiver, tokenAddress, serial] of tuples) {
    const tokenId = await tokenIdOf(world, tokenAddress);
    const token = (await world.token(tokenId)) ?? refuse('INVALID_TOKEN_ID');
    keys.push({
      senderId: await accountIdOf(world, sender),
      receiverId: await accountIdOf(world, receiver),
      tokenId,
      serialNumber: token.type === 'NON_FUNGIBLE_UNIQUE' ? serial : 0n,
    });
  }
  return keys;
};

const claim = modifying<[airdrops: readonly AirdropTuple[]]>(
  'claimAirdrops((address,address,address,int64)[])',
  priced(canonicalPrices.claimAirdrop),
  async ([tuples], call, run) => {
    const keys = await pendingKeys(run.world, tuples);
    return transferring(call, run, (context) => claimAirdrops(context, keys));
  },
);

const cancel = modifying<[airdrops: readonly AirdropTuple[]]>(
  'cancelAirdrops((address,address,address,int64)[])',
  priced(canonicalPrices.cancelAirdrop),
  async ([tuples], call, run) => {
    const keys = await pendingKeys(run.world, tuples);
    return classicOperation(call, run, (context) => cancelAirdrops(context, keys));
  },
);

const claimOwn = (signature: string): SystemFunction =>
  modifying<[sender: AddressHex, ...serialNumber: bigint[]]>(
    signature,
    priced(canonicalPrices.claimAirdrop),
    async ([sender, serialNumber = 0n], call, run) => {
      const tokenId = await targetTokenId(run.world, call);
      const senderId = await accountIdOf(run.world, sender);
      return transferring(call, run, (context) =>
        claimAirdrops(context, [{ senderId, receiverId: context.callerId, tokenId, serialNumber }]),
      );
    },
    { route: 'redirect' },
  );

const cancelOwn = (signature: string): SystemFunction =>
  modifying<[receiver: AddressHex, ...serialNumber: bigint[]]>(
    signature,
    priced(canonicalPrices.cancelAirdrop),
    async ([receiver, serialNumber = 0n], call, run) => {
      const tokenId = await targetTokenId(run.world, call);
      const receiverId = await accountIdOf(run.world, receiver);
      return classicOperation(call, run, (context) =>
        cancelAirdrops(context, [{ senderId: context.callerId, receiverId, tokenId, serialNumber }]),
      );
    },
    { route: 'redirect' },
  );

const checkRejectionCount = (count: number): void => {
  if (count > AIRDROP_LIST_SIZE) refuse('TOKEN_REFERENCE_LIST_SIZE_LIMIT_EXCEEDED');
};

const reject = modifying<[owner: AddressHex, tokens: readonly AddressHex[], serials: readonly SerialTuple[]]>(
  'rejectTokens(address,address[],(address,int64)[])',
  ([, tokens, serials], _call, run) =>
    dispatchGas(canonicalPrices.rejectToken * BigInt(tokens.length + serials.length), canonicalPrices.rejectToken, run),
  async ([owner, tokens, serials], call, run) => {
    checkRejectionCount(tokens.length + serials.length);
    const ownerId = await accountIdOf(run.world, owner);
    const rejections: Rejection[] = [];
    for (const token of tokens) rejections.push({ tokenId: await tokenIdOf(run.world, token) });
    for (const [token, serialNumber] of serials) {
      rejections.push({ tokenId: await tokenIdOf(run.world, token), serialNumber });
    }
    return classicOperation(call, run, (context) => rejectTokens(context, { ownerId, rejections }));
  },
);

const rejectOwn = async (
  call: FunctionCall,
  run: RunContext,
  rejections: (tokenId: EntityId) => readonly Rejection[],
): Promise<FunctionResult> => {
  const tokenId = await targetTokenId(run.world, call);
  return classicOperation(call, run, (context) =>
    rejectTokens(context, { ownerId: context.callerId, rejections: rejections(tokenId) }),
  );
};

const rejectOwnUnits = modifying<[]>(
  'rejectTokenFT()',
  priced(canonicalPrices.rejectToken),
  (_args, call, run) => rejectOwn(call, run, (tokenId) => [{ tokenId }]),
  { route: 'redirect' },
);

const rejectOwnSerials = modifying<[serialNumbers: readonly bigint[]]>(
  'rejectTokenNFTs(int64[])',
  priced(canonicalPrices.rejectToken),
  ([serialNumbers], call, run) => {
    checkRejectionCount(serialNumbers.length);
    return rejectOwn(call, run, (tokenId) => serialNumbers.map((serialNumber) => ({ tokenId, serialNumber })));
  },
  { route: 'redirect' },
);

export const airdropFunctions: readonly SystemFunction[] = [
  airdropTokens,
  claim,
  cancel,
  reject,
  claimOwn('claimAirdropFT(address)'),
  claimOwn('claimAirdropNFT(address,int64)'),
  cancelOwn('cancelAirdropFT(address)'),
  cancelOwn('cancelAirdropNFT(address,int64)'),
  rejectOwnUnits,
  rejectOwnSerials,
];
