import { describe, expect, it } from 'vitest';
import { parseBlock } from './block-text.ts';
import { refusalOf } from './testing/call-bodies.fixture.ts';

const hash = (length: number) => 'Ab'.repeat(length / 2);

describe('a block', () => {
  it.each(['', 'latest', 'LATEST', 'pending', 'safe', 'Finalized'])('%j is the newest one', (text) => {
    expect(parseBlock(text)).toEqual({ kind: 'latest' });
  });

  it.each([
    ['earliest', { kind: 'earliest' }],
    ['0', { kind: 'number', number: 0n }],
    ['00000000000000000012', { kind: 'number', number: 12n }],
    ['9223372036854775807', { kind: 'number', number: 9_223_372_036_854_775_807n }],
    ['0x0', { kind: 'number', number: 0n }],
    ['0xFf', { kind: 'number', number: 255n }],
    ['0X10', { kind: 'number', number: 16n }],
    ['0x7fffffffffffffff', { kind: 'number', number: 9_223_372_036_854_775_807n }],
    [`0x${hash(64)}`, { kind: 'hash', hash: hash(64).toLowerCase() }],
    [`0x${hash(96)}`, { kind: 'hash', hash: hash(96).toLowerCase() }],
  ])('%s', (text, choice) => {
    expect(parseBlock(text)).toEqual(choice);
  });

  it.each([
    ['7f', 'Invalid block value: 7f'],
    ['0x', 'Invalid block value: 0x'],
    ['-1', 'Invalid block value: -1'],
    ['-100', 'Invalid block value: -100'],
    [' latest', 'Invalid block value:  latest'],
    ['123456789012345678901', 'Invalid block value: 123456789012345678901'],
    [`0x${'1'.repeat(17)}`, `Invalid block value: 0x${'1'.repeat(17)}`],
    [`0x${'1'.repeat(63)}`, `Invalid block value: 0x${'1'.repeat(63)}`],
    [`0x${'1'.repeat(65)}`, `Invalid block value: 0x${'1'.repeat(65)}`],
    ['9223372036854775808', 'Decimal value out of range for block: 9223372036854775808'],
    ['0x8000000000000000', 'Hex value out of range for block: 0x8000000000000000'],
  ])('%s is none', (text, problem) => {
    expect(refusalOf(() => parseBlock(text))).toEqual([
      `JSON parse error: Cannot construct instance of block, problem: ${problem}`,
    ]);
  });
});
