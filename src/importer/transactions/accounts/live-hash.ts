/** Live hashes: long gone from the networks, still in their early history. */
import { TransactionType } from '../../../ledger/transaction-type.ts';
import { defineHandler, persists } from '../handler.ts';
import { accountNumber } from '../ids.ts';

export const addLiveHash = defineHandler(TransactionType.CRYPTOADDLIVEHASH, 'cryptoAddLiveHash', {
  entityId: (source) => accountNumber(source, source.body.liveHash?.accountId),
  success(call) {
    if (!persists(call, 'claims')) return;
    call.context.batch.insert('live_hash', {
      consensus_timestamp: call.timestamp,
      livehash: call.body.liveHash?.hash ?? new Uint8Array(0),
    });
  },
});

export const deleteLiveHash = defineHandler(TransactionType.CRYPTODELETELIVEHASH, 'cryptoDeleteLiveHash', {
  entityId: (source) => accountNumber(source, source.body.accountOfLiveHash),
});
