import type { EntityId } from '../../../../ledger/entity-id.ts';
import type { AddressHex, TokenRecord } from '../../../state/records.ts';
import type { World } from '../../../state/world.ts';
import type { FunctionCall } from '../../function-call.ts';
import { tokenIdOf, ZERO_ADDRESS } from './addressed.ts';

/** Address of the token whose facade was called. */
export const targetAddress = (call: FunctionCall): AddressHex => call.target ?? ZERO_ADDRESS;

export const targetTokenId = (world: World, call: FunctionCall): Promise<EntityId> =>
  tokenIdOf(world, targetAddress(call));

/** Undefined for a token that is not known. */
export const targetToken = async (world: World, call: FunctionCall): Promise<TokenRecord | undefined> =>
  world.token(await targetTokenId(world, call));
