import { encode } from '@ethereumjs/rlp';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKagamiError } from '../errors/kagami-error.ts';
import { fromHex, toHex } from './bytes.ts';
import {
  decodeEthereumTransaction,
  type EthereumTransaction,
  signedBytes,
  withCallData,
} from './ethereum-transaction.ts';
import { encodeTransaction, transactionOf } from './testing/ethereum-transaction.fixture.ts';

const bytes = (hex: string): Uint8Array => fromHex(hex) as Uint8Array;

const upTo = (maxLength: number) => fc.uint8Array({ maxLength });
const uint64 = fc.bigInt(0n, (1n << 64n) - 1n);
const parity = fc.constantFrom(0, 1);
const address = fc.uint8Array({ minLength: 20, maxLength: 20 });

const common = {
  nonce: uint64,
  gasLimit: uint64,
  toAddress: fc.oneof(fc.constant(new Uint8Array(0)), address),
  value: fc.bigInt(0n, (1n << 256n) - 1n),
  callData: upTo(80),
  signatureR: upTo(32),
  signatureS: upTo(32),
};

const accessList = fc.array(fc.record({ address, storageKeys: fc.array(upTo(32), { maxLength: 3 }) }), {
  maxLength: 3,
});

const authorizationList = fc.array(
  fc.record({
    chainId: upTo(3),
    address,
    nonce: uint64,
    yParity: parity,
    signatureR: upTo(32),
    signatureS: upTo(32),
  }),
  { maxLength: 3 },
);

const minimal = (value: bigint): Uint8Array => {
  const digits = value.toString(16);
  return bytes(digits.padStart(digits.length + (digits.length % 2), '0'));
};

/** What `v` says: the chain, if any, and the parity. */
const legacySignature = fc
  .tuple(fc.option(fc.bigInt(0n, 1n << 70n)), parity)
  .map(([chain, recoveryId]): Partial<EthereumTransaction> => {
    const v = (chain === null ? 27n : 35n + 2n * chain) + BigInt(recoveryId);
    return { recoveryId, signatureV: minimal(v), chainId: chain === null ? null : signedBytes(chain) };
  });

const transactions: Record<string, fc.Arbitrary<EthereumTransaction>> = {
  legacy: fc
    .tuple(fc.record({ ...common, gasPrice: upTo(9) }), legacySignature)
    .map(([fields, signature]) => transactionOf(0, { ...fields, ...signature })),
  'type 1': fc
    .record({ ...common, chainId: upTo(4), gasPrice: upTo(9), accessList, recoveryId: parity })
    .map((fields) => transactionOf(1, fields)),
  'type 2': fc
    .record({
      ...common,
      chainId: upTo(4),
      maxPriorityFeePerGas: upTo(9),
      maxFeePerGas: upTo(9),
      accessList,
      recoveryId: parity,
    })
    .map((fields) => transactionOf(2, fields)),
  'type 4': fc
    .record({
      ...common,
      chainId: upTo(4),
      maxPriorityFeePerGas: upTo(9),
      maxFeePerGas: upTo(9),
      accessList,
      authorizationList,
      recoveryId: parity,
    })
    .map((fields) => transactionOf(4, fields)),
};

const anyTransaction = fc.oneof(...Object.values(transactions));

describe('an Ethereum transaction', () => {
  it.each(Object.entries(transactions))('%s is read as it was written', (_, arbitrary) => {
    const property = fc.property(arbitrary, (one) => {
      expect(decodeEthereumTransaction(encodeTransaction(one))).toEqual(one);
    });
    fc.assert(property);
  });

  it('takes other call data and stays the same otherwise', () => {
    const property = fc.property(anyTransaction, upTo(300), (one, callData) => {
      expect(withCallData(encodeTransaction(one), callData)).toEqual(encodeTransaction({ ...one, callData }));
    });
    fc.assert(property);
  });

  it('is refused with one typed error whatever the bytes are', () => {
    const changed = fc.tuple(anyTransaction, fc.nat(), fc.nat(255)).map(([one, at, byte]) => {
      const raw = encodeTransaction(one);
      raw[at % raw.length] = byte;
      return raw;
    });
    let refused = 0;
    fc.assert(
      fc.property(fc.oneof(upTo(60), changed), (raw) => {
        try {
          decodeEthereumTransaction(raw);
        } catch (fault) {
          refused++;
          expect(isKagamiError(fault, 'ETHEREUM_TRANSACTION_INVALID')).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
    expect(refused).toBeGreaterThan(500);
  });

  it('of the kind before chain ids says 27 or 28', () => {
    const read = (v: string) =>
      decodeEthereumTransaction(encodeTransaction(transactionOf(0, { signatureV: bytes(v) })));
    expect(read('1b')).toMatchObject({ chainId: null, recoveryId: 0, signatureV: bytes('1b') });
    expect(read('1c')).toMatchObject({ chainId: null, recoveryId: 1, signatureV: bytes('1c') });
    expect(read('23')).toMatchObject({ chainId: bytes('00'), recoveryId: 0 });
    expect(read('0124')).toMatchObject({ chainId: bytes('0080'), recoveryId: 1 });
    expect(read('0273')).toMatchObject({ chainId: bytes('0128'), recoveryId: 0 });
  });

  const replaced = (type: number, at: number, value: string | readonly never[]): Uint8Array => {
    const fields: (Uint8Array | readonly never[])[] = [
      ...Array.from({ length: type === 0 ? 9 : 11 }, () => new Uint8Array(0)),
    ];
    if (type !== 0) fields[7] = [];
    fields[at] = typeof value === 'string' ? bytes(value) : value;
    const list = encode(fields as Parameters<typeof encode>[0]);
    return type === 0 ? list : new Uint8Array([type, ...list]);
  };

  it.each([
    ['nothing', new Uint8Array(0), 'it has no bytes'],
    ['blobs (EIP-4844)', bytes('03c0'), 'type 3 is unknown'],
    ['a string', bytes('0180'), 'it is no list'],
    ['too few fields', bytes('c0'), 'type 0 has 9 fields, not 0'],
    ['bytes behind', bytes('c000'), 'Malformed RLP: bytes follow the item'],
    ['zeros before the nonce', replaced(0, 0, '0001'), 'the nonce begins with zeros'],
    ['a nonce of 65 bits', replaced(0, 0, '010000000000000000'), 'the nonce has more than 64 bits'],
    ['a list as recipient', replaced(0, 3, []), 'the recipient is no byte string'],
    ['no access list', replaced(1, 7, ''), 'the access list is no list'],
    ['another parity', replaced(1, 8, '02'), 'the parity is neither 0 nor 1'],
  ])('is refused with %s', (_, raw, reason) => {
    expect(() => decodeEthereumTransaction(raw)).toThrow(`Invalid Ethereum transaction: ${reason}`);
  });

  it('is refused with an odd access list or authorization', () => {
    const typed = (list: unknown) => {
      const fields: unknown[] = Array.from({ length: 13 }, () => new Uint8Array(0));
      fields[8] = [];
      fields[9] = [];
      fields[Array.isArray(list) && list.length === 2 ? 8 : 9] = [list];
      return new Uint8Array([4, ...encode(fields as Parameters<typeof encode>[0])]);
    };
    expect(() => decodeEthereumTransaction(typed([bytes('01'), bytes('02')]))).toThrow(
      'list of storage keys is no list',
    );
    expect(() => decodeEthereumTransaction(typed([bytes('01'), [[]]]))).toThrow('a storage key is no byte string');
    expect(() => decodeEthereumTransaction(typed([]))).toThrow('an authorization has another form');
    expect(() => decodeEthereumTransaction(typed(bytes('01')))).toThrow('an authorization has another form');
  });
});

describe('signed bytes', () => {
  it.each([
    [0n, '00'],
    [127n, '7f'],
    [128n, '0080'],
    [255n, '00ff'],
    [256n, '0100'],
    [10n ** 18n, '0de0b6b3a7640000'],
    [1n << 255n, `0080${'00'.repeat(31)}`],
  ])('of %d are %s', (value, hex) => {
    expect(toHex(signedBytes(value))).toBe(hex);
  });
});
