import { longZeroAddress } from '../../ledger/evm-address.ts';
import { keccak256 } from '../../ledger/hash.ts';
import type { ContractKind } from '../state/ledger-entities.ts';
import { addressArgument } from './abi-arguments.ts';
import { INIT_CODE, initCodeOf, RUNTIME_CODE, word } from './counter-contract.ts';

const hexByte = (value: number): string => value.toString(16).padStart(2, '0');

const FACTORY_PROLOGUE_BYTES = 22;

/**
 * Code of a contract that on any call creates a counter and returns its address: CODECOPY(0, 22, length), CREATE(0, 0,
 * length), MSTORE(0), RETURN(0, 32), then the counter's init code.
 */
const FACTORY_CODE = Buffer.concat([
  Buffer.from(`60${hexByte(INIT_CODE.length)}60${hexByte(FACTORY_PROLOGUE_BYTES)}600039`, 'hex'),
  Buffer.from(`60${hexByte(INIT_CODE.length)}60006000f060005260206000f3`, 'hex'),
  INIT_CODE,
]);

/** Number of the token service's system contract, 0x167. */
export const TOKEN_SERVICE = 359n;

/**
 * Code of a contract that hands its call data to the token service: CALLDATACOPY, CALL(gas, 0x167, 0, 0, length, 0, 32),
 * RETURN(0, 32), or REVERT where the call fails.
 */
const MOVER_CODE = Buffer.from(
  '36600060003760206000366000600061 0167 5af1 601c57 60006000fd 5b 60206000f3'.replaceAll(' ', ''),
  'hex',
);

export interface ContractCode {
  readonly runtime: Uint8Array;
  readonly init: Uint8Array;
}

const codes: Readonly<Record<ContractKind, ContractCode>> = {
  counter: { runtime: RUNTIME_CODE, init: INIT_CODE },
  factory: { runtime: FACTORY_CODE, init: initCodeOf(FACTORY_CODE) },
  mover: { runtime: MOVER_CODE, init: initCodeOf(MOVER_CODE) },
};

export const codeOf = (kind: ContractKind): ContractCode => codes[kind];

/** Call data of `create()`; the factory answers to any. */
export const CREATE_CALL = keccak256(Buffer.from('create()')).subarray(0, 4);

/** First topic of the logs of ERC-20 transfers. */
export const TRANSFER_TOPIC = keccak256(Buffer.from('Transfer(address,address,uint256)'));

const TRANSFER_TOKEN = keccak256(Buffer.from('transferToken(address,address,address,int64)')).subarray(0, 4);

/** Call data of the token service's `transferToken`; accounts are named as contracts know them. */
export const transferTokenCall = (token: bigint, from: Uint8Array, to: Uint8Array, amount: bigint): Uint8Array =>
  Buffer.concat([
    TRANSFER_TOKEN,
    addressArgument(longZeroAddress(token)),
    addressArgument(from),
    addressArgument(to),
    word(amount),
  ]);
