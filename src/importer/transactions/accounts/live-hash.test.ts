import { describe, expect, it } from 'vitest';
import { account, bytes, handle, handleFailed, itemOf, T } from '../testing/handled.fixture.ts';

const add = {
  data: {
    $case: 'cryptoAddLiveHash' as const,
    cryptoAddLiveHash: { liveHash: { accountId: account(7n), hash: bytes('0102') } },
  },
};

describe('live hashes', () => {
  it('are kept only when claims are', () => {
    expect(handle(itemOf(add)).all).toEqual([]);
    const handled = handle(itemOf(add), { persist: { claims: true } });
    expect(handled.entityId).toBe(7n);
    expect(handled.all).toEqual([{ table: 'live_hash', row: { consensus_timestamp: T, livehash: bytes('0102') } }]);
    expect(handleFailed(add, { persist: { claims: true } }).all).toEqual([]);
  });

  it('leave no row when they are deleted', () => {
    const data = { $case: 'cryptoDeleteLiveHash' as const, cryptoDeleteLiveHash: { accountOfLiveHash: account(8n) } };
    const handled = handle(itemOf({ data }), { persist: { claims: true } });
    expect(handled.entityId).toBe(8n);
    expect(handled.all).toEqual([]);
  });
});
