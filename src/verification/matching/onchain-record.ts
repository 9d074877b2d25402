/** What is known of a contract, in the form in which lib-sourcify asks for it. It never asks a network. */
import { SourcifyChain } from '@ethereum-sourcify/lib-sourcify';

export interface OnchainContract {
  readonly chainId: string;
  readonly address: string;
  /** 0x and hex digits. */
  readonly runtimeBytecode: string;
  /** Init code with arguments, 0x and hex digits; undefined when it is unknown. */
  readonly creationBytecode: string | undefined;
}

/** Any text makes the library ask for the creation. */
export const CREATION_MARK = 'creation';

type Transaction = Awaited<ReturnType<SourcifyChain['getTx']>>;
type Creation = Awaited<ReturnType<SourcifyChain['getContractCreationBytecodeAndReceipt']>>;

export class OnchainRecord extends SourcifyChain {
  constructor(contract: OnchainContract) {
    // A chain that is not `supported` needs no node to ask.
    super({ name: contract.chainId, chainId: Number(contract.chainId), supported: false, rpc: [], rpcs: [] } as never);
    // The library's methods are fields; methods of a subclass would be hidden behind them.
    this.getBytecode = async () => contract.runtimeBytecode;
    this.getTx = async () => ({}) as Transaction;
    this.getContractCreationBytecodeAndReceipt = async () =>
      ({ creationBytecode: contract.creationBytecode ?? '0x', txReceipt: {} }) as Creation;
  }
}
