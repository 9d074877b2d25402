/**
 * Associating and dissociating, and the same by the account itself over the token's facade
 * ([HIP-719](https://hips.hedera.com/hip/hip-719)).
 */
import { type Association, associate } from '../../../hapi/associate.ts';
import { dissociate } from '../../../hapi/dissociate.ts';
import type { OperationContext } from '../../../hapi/operation.ts';
import type { AddressHex } from '../../../state/records.ts';
import type { World } from '../../../state/world.ts';
import type { FunctionCall } from '../../function-call.ts';
import { modifying, type SystemFunction } from '../../function-table.ts';
import { canonicalPrices, extraFees, priced } from '../../gas.ts';
import { accountIdOf, tokenIdOf } from './addressed.ts';
import { classicOperation } from './classic.ts';
import { targetTokenId } from './facade.ts';

type Operation = (context: OperationContext, association: Association) => Promise<void>;

const associationOf = async (
  world: World,
  account: AddressHex,
  tokens: readonly AddressHex[],
): Promise<Association> => {
  const tokenIds = [];
  for (const token of tokens) tokenIds.push(await tokenIdOf(world, token));
  return { accountId: await accountIdOf(world, account), tokenIds };
};

const withOne = (name: string, price: bigint, operation: Operation): SystemFunction =>
  modifying<[account: AddressHex, token: AddressHex]>(
    `${name}(address,address)`,
    priced(price),
    async ([account, token], call, run) => {
      const association = await associationOf(run.world, account, [token]);
      return classicOperation(call, run, (context) => operation(context, association));
    },
  );

const withMany = (name: string, price: bigint, extra: bigint, operation: Operation): SystemFunction =>
  modifying<[account: AddressHex, tokens: readonly AddressHex[]]>(
    `${name}(address,address[])`,
    priced(price, ([, tokens]) => price + extra * BigInt(Math.max(0, tokens.length - 1))),
    async ([account, tokens], call, run) => {
      const association = await associationOf(run.world, account, tokens);
      return classicOperation(call, run, (context) => operation(context, association));
    },
  );

const ofCaller = (name: string, price: bigint, operation: Operation): SystemFunction =>
  modifying<[]>(
    `${name}()`,
    priced(price),
    async (_args, call: FunctionCall, run) => {
      const tokenId = await targetTokenId(run.world, call);
      return classicOperation(call, run, (context) =>
        operation(context, { accountId: context.callerId, tokenIds: [tokenId] }),
      );
    },
    { route: 'redirect' },
  );

export const associationFunctions: readonly SystemFunction[] = [
  withOne('associateToken', canonicalPrices.associate, associate),
  withMany('associateTokens', canonicalPrices.associate, extraFees.association, associate),
  withOne('dissociateToken', canonicalPrices.dissociate, dissociate),
  withMany('dissociateTokens', canonicalPrices.dissociate, 0n, dissociate),
  ofCaller('associate', canonicalPrices.associate, associate),
  ofCaller('dissociate', canonicalPrices.dissociate, dissociate),
];
