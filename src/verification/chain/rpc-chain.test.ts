import { describe, expect, it } from 'vitest';
import { addressBytes } from './address.ts';
import { openRpcChain } from './rpc-chain.ts';

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const HASH = `0x${'ab'.repeat(32)}`;

const chainWith = (answers: Readonly<Record<string, unknown>>) =>
  openRpcChain({
    chainId: '1',
    name: 'other',
    rpc: ['https://broken.test', 'https://node.test'],
    fetchUrl: async (url, init) => {
      if (String(url) === 'https://broken.test') throw new Error('offline');
      const { method } = JSON.parse(String(init?.body)) as { method: string };
      const result = answers[method];
      return Response.json(result === undefined ? { error: { message: 'no' } } : { result });
    },
  });

describe('a chain asked by JSON-RPC', () => {
  it('gives code and creation, from the first node that answers', async () => {
    const chain = chainWith({
      eth_getCode: '0x6001',
      eth_getStorageAt: `0x${'0'.repeat(62)}2a`,
      eth_getTransactionByHash: { input: '0x60016002', from: ADDRESS.toLowerCase(), blockNumber: '0x10' },
      eth_getTransactionReceipt: { contractAddress: ADDRESS.toLowerCase(), transactionIndex: '0x2' },
    });
    const identity = await chain.identify(addressBytes(ADDRESS) ?? Buffer.alloc(0));
    expect(identity).toEqual({ address: ADDRESS, contractId: null, createdTimestamp: null });
    expect(await chain.runtimeCode(identity)).toBe('0x6001');
    const value = await chain.storage(identity, Buffer.alloc(32));
    expect(Buffer.from(value).toString('hex')).toBe(`${'0'.repeat(62)}2a`);
    expect(await chain.creation(identity, undefined)).toBeUndefined();
    expect(await chain.creation(identity, HASH)).toEqual({
      bytecode: '0x60016002',
      transactionHash: HASH,
      blockNumber: '16',
      transactionIndex: '2',
      deployer: ADDRESS,
    });
    const other = { ...identity, address: `0x${'12'.repeat(20)}` };
    expect(await chain.creation(other, HASH)).toBeUndefined();
  });

  it('says when no node answers', async () => {
    const chain = chainWith({});
    const identity = await chain.identify(addressBytes(ADDRESS) ?? Buffer.alloc(0));
    await expect(chain.runtimeCode(identity)).rejects.toMatchObject({ code: 'VERIFICATION_FAILED' });
    const odd = chainWith({ eth_getStorageAt: '0x' });
    await expect(odd.storage(identity, Buffer.alloc(32))).rejects.toMatchObject({ code: 'VERIFICATION_FAILED' });
  });
});
