/** Units and NFTs that come into being, change or end. Who owns an NFT follows from the transfers. */

import { EMPTY_ENTITY_ID } from '../../../ledger/entity-id.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import type { TokenMintTransactionBody } from '../../../protobuf/generated/services/token_mint.ts';
import { lacks } from '../../record-item.ts';
import { int64 } from '../column-values.ts';
import { type Call, defineHandler, persists, problem, rangeFrom, receiptOf, touch } from '../handler.ts';
import { accountNumber, tokenNumber } from '../ids.ts';

const keepsTokens = (call: Call): boolean => call.entityId !== EMPTY_ENTITY_ID && persists(call, 'tokens');

/** The new supply alters the token in place: minting and burning make no new version of it. */
const stageSupply = (call: Call): void => {
  const supply = receiptOf(call)?.newTotalSupply;
  if (supply === undefined || lacks(call.item, 'token supply')) return;
  call.context.batch.stage('token', { token_id: call.entityId, total_supply: int64(supply) });
};

const stageMinted = (call: Call<TokenMintTransactionBody>): void => {
  const serials = receiptOf(call)?.serialNumbers ?? [];
  for (const [position, serial] of serials.entries()) {
    const metadata = call.body.metadata[position];
    if (metadata === undefined) {
      problem(call, `${serials.length} serial numbers for ${call.body.metadata.length} metadata`);
      return;
    }
    call.context.batch.stage('nft', {
      token_id: call.entityId,
      serial_number: serial,
      created_timestamp: call.timestamp,
      deleted: false,
      metadata,
      timestamp_range: rangeFrom(call),
    });
  }
};

export const tokenMint = defineHandler(TransactionType.TOKENMINT, 'tokenMint', {
  entityId: (source) => tokenNumber(source, source.body.token),
  success(call) {
    if (!keepsTokens(call)) return;
    stageSupply(call);
    stageMinted(call);
  },
});

const takeOut = (call: Call<{ readonly serialNumbers: readonly bigint[] }>): void => {
  if (!keepsTokens(call)) return;
  stageSupply(call);
  for (const serial of call.body.serialNumbers) {
    call.context.batch.stage('nft', {
      token_id: call.entityId,
      serial_number: serial,
      deleted: true,
      timestamp_range: rangeFrom(call),
    });
  }
};

export const tokenBurn = defineHandler(TransactionType.TOKENBURN, 'tokenBurn', {
  entityId: (source) => tokenNumber(source, source.body.token),
  success: takeOut,
});

export const tokenWipe = defineHandler(TransactionType.TOKENWIPE, 'tokenWipe', {
  entityId: (source) => tokenNumber(source, source.body.token),
  success(call) {
    touch(call, accountNumber(call, call.body.account));
    takeOut(call);
  },
});

/** Spender of an NFT that stays as it was; any other absent spender would be cleared. */
const SPENDER_STAYS = 0n;

export const tokenUpdateNfts = defineHandler(TransactionType.TOKENUPDATENFTS, 'tokenUpdateNfts', {
  entityId: (source) => tokenNumber(source, source.body.token),
  success(call) {
    const { metadata, serialNumbers } = call.body;
    if (metadata === undefined || !keepsTokens(call)) return;
    for (const serial of serialNumbers) {
      call.context.batch.stage('nft', {
        token_id: call.entityId,
        serial_number: serial,
        delegating_spender: SPENDER_STAYS,
        metadata,
        spender: SPENDER_STAYS,
        timestamp_range: rangeFrom(call),
      });
    }
  },
});
