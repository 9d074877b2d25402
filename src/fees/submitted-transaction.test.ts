import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HttpProblem } from '../api/problem.ts';
import { Transaction } from '../protobuf/generated/services/transaction.ts';
import { parseTransaction } from './submitted-transaction.ts';
import { bodyBytesOf, transactionBytes } from './testing/transaction.fixture.ts';

const refusal = (bytes: Uint8Array): unknown => {
  try {
    return parseTransaction(bytes);
  } catch (error) {
    return error instanceof HttpProblem ? error.messages : error;
  }
};
const refused = (detail: string) => [{ message: 'Bad Request', detail }];
const hex = (text: string): Uint8Array => Buffer.from(text, 'hex');

const older = (sigPairs: number): Uint8Array =>
  Transaction.encode(
    Transaction.fromPartial({
      bodyBytes: bodyBytesOf({ memo: 'older' }),
      sigMap: { sigPair: Array.from({ length: sigPairs }, () => ({ pubKeyPrefix: new Uint8Array(0) })) },
    }),
  ).finish();

describe('a submitted transaction', () => {
  it('is read from signed bytes', () => {
    const bytes = transactionBytes({ memo: 'hello' }, 3);
    expect(parseTransaction(bytes)).toMatchObject({
      body: { memo: 'hello' },
      signatures: 3n,
      size: BigInt(bytes.length),
    });
  });

  it('is read from body bytes with signatures beside them', () => {
    const bytes = older(2);
    expect(parseTransaction(bytes)).toMatchObject({
      body: { memo: 'older' },
      signatures: 2n,
      size: BigInt(bytes.length),
    });
  });

  it('counts by its signed bytes where it has both', () => {
    const both = Buffer.concat([older(2), transactionBytes({ memo: 'newer' }, 1)]);
    expect(parseTransaction(both)).toMatchObject({
      body: { memo: 'newer' },
      signatures: 1n,
      size: BigInt(both.length),
    });
  });

  it('has the size of the fields that a Transaction has, written in the shortest form', () => {
    const bytes = transactionBytes({ memo: 'x' });
    const unknownField = hex('ba3e03010203');
    expect(parseTransaction(Buffer.concat([bytes, unknownField])).size).toBe(BigInt(bytes.length));
    // The length of the signed bytes as an overlong varint.
    const overlong = Buffer.concat([
      bytes.subarray(0, 1),
      hex(`${(0x80 | Number(bytes[1])).toString(16)}00`),
      bytes.subarray(2),
    ]);
    expect(parseTransaction(overlong).size).toBe(BigInt(bytes.length));
  });

  it.each([
    ['of no field', ''],
    ['of signatures alone', '1a00'],
    ['of the oldest form', '0a053201787200'],
  ])('%s is refused', (_name, text) => {
    expect(refusal(hex(text))).toEqual(refused('Transaction must contain body bytes or signed transaction bytes'));
  });

  it.each([
    ['a Transaction that ends early', '2a0a0a08'],
    ['a signed transaction that ends early', '2a030a0832'],
    ['a body that ends early', '2a050a033205aa'],
    ['a body that is no UTF-8', '2a050a033201ff'],
    ['an end in the middle', '2a020a0004'],
    ['an unknown wire type', '2f'],
  ])('%s is refused', (_name, text) => {
    expect(refusal(hex(text))).toEqual(refused('Unable to parse transaction'));
  });

  it('is refused with a problem, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const result = refusal(Buffer.concat([hex('2a'), Uint8Array.of(bytes.length), bytes]));
        expect(Array.isArray(result) || (typeof result === 'object' && result !== null && 'signatures' in result)).toBe(
          true,
        );
      }),
    );
  });

  it('is refused when its keys are nested too deeply', () => {
    let key = hex('');
    const lengthOf = (bytes: Uint8Array): Uint8Array =>
      bytes.length < 128 ? Uint8Array.of(bytes.length) : Uint8Array.of(0x80 | (bytes.length & 0x7f), bytes.length >> 7);
    // Key { keyList: KeyList { keys: [Key ...] } }
    for (let depth = 0; depth < 200; depth++) {
      const list = Buffer.concat([hex('0a'), lengthOf(key), key]);
      key = Buffer.concat([hex('32'), lengthOf(list), list]);
    }
    const body = Buffer.concat([hex('ca04'), lengthOf(key), key]);
    const bytes = Transaction.encode(Transaction.fromPartial({ bodyBytes: body })).finish();
    expect(refusal(bytes)).toEqual(refused('Unable to parse transaction'));
  });
});
