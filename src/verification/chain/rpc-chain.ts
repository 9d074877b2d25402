/** Another chain, asked by JSON-RPC. Init code of what factories create is not to be had this way. */
import { KagamiError } from '../../errors/kagami-error.ts';
import { addressBytes, checksumAddress } from './address.ts';
import type { ContractChain } from './chain.ts';

export interface RpcChainOptions {
  readonly chainId: string;
  readonly name: string;
  /** Asked in this order until one answers. */
  readonly rpc: readonly string[];
  /** Injected for tests. */
  readonly fetchUrl?: typeof fetch;
}

const PATIENCE_MS = 10_000;

const transactionHash = /^0x[0-9a-f]{64}$/i;

interface RpcTransaction {
  readonly input?: string;
  readonly from?: string;
  readonly blockNumber?: string;
}

interface RpcReceipt {
  readonly contractAddress?: string | null;
  readonly transactionIndex?: string;
}

const digitsOf = (quantity: string | undefined): string | undefined =>
  quantity !== undefined && /^0x[0-9a-f]+$/i.test(quantity) ? BigInt(quantity).toString() : undefined;

export const openRpcChain = ({ chainId, name, rpc, fetchUrl = fetch }: RpcChainOptions): ContractChain => {
  const ask = async (url: string, method: string, params: readonly unknown[]): Promise<unknown> => {
    const response = await fetchUrl(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message?: string } };
    if (error !== undefined || result === undefined) throw new Error(error?.message ?? 'no result');
    return result;
  };

  const askAny = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    let cause: unknown;
    for (const url of rpc) {
      try {
        return await ask(url, method, params);
      } catch (fault) {
        cause = fault;
      }
    }
    throw new KagamiError('VERIFICATION_FAILED', `No node of chain ${chainId} answers ${method}`, { cause });
  };

  return {
    chainId,
    name,
    rpc,

    identify: async (address) => ({ address: checksumAddress(address), contractId: null, createdTimestamp: null }),

    runtimeCode: async ({ address }) => {
      const code = await askAny('eth_getCode', [address, 'latest']);
      if (typeof code !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(code)) {
        throw new KagamiError(
          'VERIFICATION_FAILED',
          `A node of chain ${chainId} answers eth_getCode with something else`,
        );
      }
      return code.toLowerCase();
    },

    storage: async ({ address }, slot) => {
      const value = await askAny('eth_getStorageAt', [address, `0x${slot.toString('hex')}`, 'latest']);
      if (typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)) return Buffer.from(value.slice(2), 'hex');
      throw new KagamiError(
        'VERIFICATION_FAILED',
        `A node of chain ${chainId} answers eth_getStorageAt with something else`,
      );
    },

    creation: async ({ address }, named) => {
      if (named === undefined || !transactionHash.test(named)) return undefined;
      const transaction = (await askAny('eth_getTransactionByHash', [named])) as RpcTransaction | null;
      const receipt = (await askAny('eth_getTransactionReceipt', [named])) as RpcReceipt | null;
      if (receipt?.contractAddress?.toLowerCase() !== address.toLowerCase()) return undefined;
      const blockNumber = digitsOf(transaction?.blockNumber);
      const transactionIndex = digitsOf(receipt?.transactionIndex);
      const deployer = addressBytes(transaction?.from ?? '');
      return {
        bytecode: transaction?.input,
        transactionHash: named,
        ...(blockNumber === undefined ? {} : { blockNumber }),
        ...(transactionIndex === undefined ? {} : { transactionIndex }),
        ...(deployer === undefined ? {} : { deployer: checksumAddress(deployer) }),
      };
    },
  };
};
