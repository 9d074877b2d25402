import { expect, it } from 'vitest';
import { stepJson, traceHead, traceTail } from './trace-json.ts';

const nothing = { stack: [], memory: new Uint8Array(), storage: new Map(), reason: undefined };

it('writes a trace', () => {
  const slot = '0'.repeat(63);
  const step = {
    ...nothing,
    pc: 3,
    op: 'SSTORE',
    gas: 79_000n,
    gasCost: 22_100n,
    depth: 1,
    stack: [1n, 1n << 255n],
    memory: new Uint8Array(64).fill(0xab),
    storage: new Map([
      [`${slot}2`, `${slot}9`],
      [`${slot}1`, `${slot}8`],
    ]),
    reason: '0x08c379a0',
  };
  const summary = {
    address: `0x${'0'.repeat(37)}4e2`,
    contractId: '0.0.1250',
    failed: false,
    gas: 9_007_199_254_740_993n,
    returnValue: new Uint8Array([1, 2]),
  };
  const last = { ...nothing, pc: 4, op: '', gas: 5n, gasCost: 0n, depth: 0 };
  const text = `${traceHead(summary)}${stepJson(step)},${stepJson(last)}${traceTail(summary)}`;
  expect(text).toContain('"gas":9007199254740993,');
  expect(JSON.parse(text)).toEqual({
    address: `0x${'0'.repeat(37)}4e2`,
    contract_id: '0.0.1250',
    failed: false,
    gas: 9_007_199_254_740_992,
    opcodes: [
      {
        depth: 1,
        gas: 79_000,
        gas_cost: 22_100,
        memory: [`0x${'ab'.repeat(32)}`, `0x${'ab'.repeat(32)}`],
        op: 'SSTORE',
        pc: 3,
        reason: '0x08c379a0',
        stack: [`0x${'0'.repeat(63)}1`, `0x8${'0'.repeat(63)}`],
        storage: { [`0x${slot}1`]: `0x${slot}8`, [`0x${slot}2`]: `0x${slot}9` },
      },
      { depth: 0, gas: 5, gas_cost: 0, memory: [], op: '', pc: 4, reason: null, stack: [], storage: {} },
    ],
    return_value: '0x0102',
  });
});

it('says that no contract ran', () => {
  const summary = { address: undefined, contractId: undefined, failed: true, gas: 1n, returnValue: new Uint8Array() };
  expect(`${traceHead(summary)}${traceTail(summary)}`).toBe(
    '{"address":null,"contract_id":null,"failed":true,"gas":1,"opcodes":[],"return_value":"0x"}',
  );
});
