/** The answer of a trace, piece by piece, so that a trace of any length takes little memory. */

import { toHex } from '../../ledger/bytes.ts';
import type { TraceStep } from '../engine/run.ts';

const WORD = 32;

const word = (value: bigint): string => `"0x${value.toString(16).padStart(64, '0')}"`;

const memoryWords = (memory: Uint8Array): string => {
  const words: string[] = [];
  for (let at = 0; at < memory.length; at += WORD)
    words.push(`"0x${toHex(memory.subarray(at, at + WORD)).padEnd(64, '0')}"`);
  return words.join(',');
};

const storageSlots = (storage: TraceStep['storage']): string =>
  [...storage]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([slot, value]) => `"0x${slot}":"0x${value}"`)
    .join(',');

/** One element of `opcodes`. */
export const stepJson = ({ pc, op, gas, gasCost, depth, stack, memory, storage, reason }: TraceStep): string =>
  `{"depth":${depth},"gas":${gas},"gas_cost":${gasCost},"memory":[${memoryWords(memory)}],"op":${JSON.stringify(op)},` +
  `"pc":${pc},"reason":${reason === undefined ? 'null' : JSON.stringify(reason)},"stack":[${stack.map(word).join(',')}],` +
  `"storage":{${storageSlots(storage)}}}`;

export interface TraceSummary {
  /** 0x and 40 digits; undefined where no contract ran. */
  readonly address: string | undefined;
  /** `shard.realm.num` */
  readonly contractId: string | undefined;
  readonly failed: boolean;
  readonly gas: bigint;
  readonly returnValue: Uint8Array;
}

const text = (value: string | undefined): string => (value === undefined ? 'null' : JSON.stringify(value));

/** Everything up to the first element of `opcodes`. */
export const traceHead = ({ address, contractId, failed, gas }: TraceSummary): string =>
  `{"address":${text(address)},"contract_id":${text(contractId)},"failed":${failed},"gas":${gas},"opcodes":[`;

export const traceTail = ({ returnValue }: TraceSummary): string => `],"return_value":"0x${toHex(returnValue)}"}`;
