/** Pseudo-random numbers and bytes ([HIP-351](https://hips.hedera.com/hip/hip-351)). */
import { TransactionType } from '../../../ledger/transaction-type.ts';
import { defineHandler, problem } from '../handler.ts';

export const utilPrng = defineHandler(TransactionType.UTILPRNG, 'utilPrng', {
  success(call) {
    const { entropy } = call.item.record;
    if (entropy === undefined) {
      problem(call, 'Record without pseudo-random number or bytes');
      return;
    }
    call.context.batch.insert('prng', {
      consensus_timestamp: call.timestamp,
      payer_account_id: call.item.payer,
      prng_bytes: entropy.$case === 'prngBytes' ? entropy.prngBytes : null,
      prng_number: entropy.$case === 'prngNumber' ? entropy.prngNumber : null,
      range: call.body.range,
    });
  },
});
