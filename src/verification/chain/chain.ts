/** What verification asks of a chain. */

/** How a contract came to be. */
export interface ContractCreation {
  /** Init code with the constructor's arguments, 0x and hex digits; undefined when it can't be had. */
  readonly bytecode: string | undefined;
  /** As it was given, or the 32-byte hash of the transaction that was found; undefined when only the code is known. */
  readonly transactionHash?: string;
  readonly blockNumber?: string;
  readonly transactionIndex?: string;
  /** Address of who sent the transaction. */
  readonly deployer?: string;
}

/** Tells a contract from others that stood, or will stand, at the same address. */
export interface ContractIdentity {
  /**
   * With [EIP-55](https://eips.ethereum.org/EIPS/eip-55) check sum; of several addresses of one contract always the
   * same one.
   */
  readonly address: string;
  /** Digits of the encoded entity id; null on chains that have none. */
  readonly contractId: string | null;
  /** Digits, consensus nanoseconds; null on chains that have none. */
  readonly createdTimestamp: string | null;
}

export interface ContractChain {
  /** Decimal digits. */
  readonly chainId: string;
  readonly name: string;
  readonly rpc: readonly string[];
  /** Of the contract that stands at the address, or stood there last. */
  identify(address: Uint8Array): Promise<ContractIdentity>;
  /**
   * What the contract keeps now in a slot of its storage: at most 32 bytes, leading zeros may be left out.
   * @param slot of 32 bytes
   */
  storage(identity: ContractIdentity, slot: Buffer): Promise<Uint8Array>;
  /** 0x and hex digits; `0x` for none. */
  runtimeCode(identity: ContractIdentity): Promise<string>;
  /**
   * @param transaction who names one gets that one or nothing; undefined: it is looked for where the chain can
   */
  creation(identity: ContractIdentity, transaction: string | undefined): Promise<ContractCreation | undefined>;
}
