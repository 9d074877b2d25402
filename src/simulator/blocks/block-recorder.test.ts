import { describe, expect, it } from 'vitest';
import { chains } from '../../config/chain.ts';
import { sha384 } from '../../ledger/hash.ts';
import { wordsFromSeed } from '../keys/seed.ts';
import { createFillerSigner } from '../keys/signer.ts';
import { BlockBuilder } from '../records/block-builder.ts';
import { cryptoTransferData } from '../records/item-encoder.ts';
import { addAccount } from '../state/account-book.ts';
import { emptyLedger } from '../state/ledger-state.ts';
import { BlockRecorder } from './block-recorder.ts';

const AT = 1_767_225_600_000_000_000n;

describe('BlockRecorder', () => {
  it('has the signed bytes of a transaction that a client sent', () => {
    const state = emptyLedger(wordsFromSeed('recorder', 'activity'), 1_001n);
    const node = addAccount(state, { num: 4n });
    const payer = addAccount(state, { num: 1_001n });
    const observer = new BlockRecorder();
    const builder = new BlockBuilder(state, {
      seed: 'recorder',
      signer: createFillerSigner('recorder'),
      nodeCount: 2,
      stakingPeriodNanos: 86_400_000_000_000n,
      chain: chains.OTHER,
      collectsFees: false,
      observer,
    });
    builder.consensusTime = AT;
    // Body and signatures don't matter here.
    const signed = Buffer.from('0a021234', 'hex');
    const bytes = Buffer.concat([Buffer.of(0x2a, signed.length), signed]);
    const prepared = { bytes, signed, hash: sha384(signed), type: 14 };
    builder.submitSent({ payer, fee: 0n, data: cryptoTransferData([]) }, { prepared, validStart: AT - 1n, node });
    expect(observer.transactions).toHaveLength(1);
    expect(observer.transactions[0]).toMatchObject({ at: AT, nodeId: 1n, begins: true, signed });
  });
});
