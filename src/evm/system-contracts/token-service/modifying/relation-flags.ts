/** Freezing and KYC of accounts, pausing and deletion of tokens. */

import type { EntityId } from '../../../../ledger/entity-id.ts';
import type { OperationContext } from '../../../hapi/operation.ts';
import { deleteToken } from '../../../hapi/tokens/delete-token.ts';
import { freeze, unfreeze } from '../../../hapi/tokens/freeze.ts';
import { setKyc } from '../../../hapi/tokens/kyc.ts';
import { setPaused } from '../../../hapi/tokens/pause.ts';
import type { AddressHex } from '../../../state/records.ts';
import { modifying, type SystemFunction } from '../../function-table.ts';
import { canonicalPrices, priced } from '../../gas.ts';
import { accountIdOf, tokenIdOf } from './addressed.ts';
import { classicOperation } from './classic.ts';

const ofRelation = (
  name: string,
  tinycents: bigint,
  operation: (context: OperationContext, ids: { tokenId: EntityId; accountId: EntityId }) => Promise<void>,
): SystemFunction =>
  modifying<[token: AddressHex, account: AddressHex]>(
    `${name}(address,address)`,
    priced(tinycents),
    async ([token, account], call, run) => {
      const tokenId = await tokenIdOf(run.world, token);
      const accountId = await accountIdOf(run.world, account);
      return classicOperation(call, run, (context) => operation(context, { tokenId, accountId }));
    },
  );

const ofToken = (
  name: string,
  tinycents: bigint,
  operation: (context: OperationContext, tokenId: EntityId) => Promise<void>,
): SystemFunction =>
  modifying<[token: AddressHex]>(`${name}(address)`, priced(tinycents), async ([token], call, run) => {
    const tokenId = await tokenIdOf(run.world, token);
    return classicOperation(call, run, (context) => operation(context, tokenId));
  });

export const relationFlagFunctions: readonly SystemFunction[] = [
  ofRelation('freezeToken', canonicalPrices.freeze, freeze),
  ofRelation('unfreezeToken', canonicalPrices.freeze, unfreeze),
  ofRelation('grantTokenKyc', canonicalPrices.kyc, (context, ids) => setKyc(context, { ...ids, granted: true })),
  ofRelation('revokeTokenKyc', canonicalPrices.kyc, (context, ids) => setKyc(context, { ...ids, granted: false })),
  ofToken('pauseToken', canonicalPrices.pause, (context, tokenId) => setPaused(context, { tokenId, paused: true })),
  ofToken('unpauseToken', canonicalPrices.pause, (context, tokenId) => setPaused(context, { tokenId, paused: false })),
  ofToken('deleteToken', canonicalPrices.deleteToken, deleteToken),
];
