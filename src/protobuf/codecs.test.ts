import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AccountAmount, Key } from './generated/services/basic_types.ts';
import { TransactionBody } from './generated/services/transaction.ts';
import { TransactionReceipt } from './generated/services/transaction_receipt.ts';

const INT64_MAX = (1n << 63n) - 1n;

/** A length-delimited field as protobuf writes it, for fields that our .proto files do not know. */
const unknownField = (number: number, content: Uint8Array): Uint8Array => {
  const tag = [];
  for (let rest = (number << 3) | 2; ; rest >>>= 7) {
    if (rest < 128) {
      tag.push(rest);
      break;
    }
    tag.push((rest & 127) | 128);
  }
  return Uint8Array.of(...tag, content.length, ...content);
};

describe('generated codecs', () => {
  it('keep 64-bit integers exact, signed and unsigned', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -INT64_MAX - 1n, max: INT64_MAX }),
        fc.bigInt({ min: 0n, max: 2n * INT64_MAX + 1n }),
        (amount, supply) => {
          const transfer = AccountAmount.decode(AccountAmount.encode(AccountAmount.fromPartial({ amount })).finish());
          expect(transfer.amount).toBe(amount);
          const receipt = TransactionReceipt.fromPartial({ newTotalSupply: supply });
          expect(TransactionReceipt.decode(TransactionReceipt.encode(receipt).finish()).newTotalSupply).toBe(supply);
        },
      ),
    );
  });

  it('show a transaction type that is not known yet and write it back unchanged', () => {
    const bytes = Uint8Array.of(
      ...TransactionBody.encode(TransactionBody.fromPartial({ memo: 'future' })).finish(),
      ...unknownField(999, Uint8Array.of(1, 2, 3)),
    );
    const body = TransactionBody.decode(bytes);
    expect(body.data).toBeUndefined();
    expect(Object.keys(body._unknownFields ?? {})).toEqual([String((999 << 3) | 2)]);
    expect(TransactionBody.encode(body).finish()).toEqual(bytes);
  });

  it('tell which member of a oneof is set, also when it has its default value', () => {
    const empty = Key.fromPartial({ key: { $case: 'keyList', keyList: {} } });
    expect(Key.decode(Key.encode(empty).finish()).key?.$case).toBe('keyList');
    expect(Key.decode(new Uint8Array(0)).key).toBeUndefined();
  });
});
