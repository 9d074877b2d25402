import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeEntityId } from '../ledger/entity-id.ts';
import { parseTimestamp } from '../ledger/timestamp.ts';
import {
  entityIdJson,
  hexJson,
  integerJson,
  keyObjectJson,
  linksJson,
  plainJson,
  textJson,
  timestampJson,
} from './json.ts';

const int8 = fc.bigInt(0n, (1n << 63n) - 1n);

describe('JSON writers', () => {
  it('writes null for null', () => {
    const writers = [textJson, plainJson, integerJson, timestampJson, entityIdJson];
    expect([...writers.map((write) => write(null)), hexJson(null), keyObjectJson(null)]).toEqual(
      Array.from({ length: 7 }, () => 'null'),
    );
  });

  it('escapes any text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
        (text) => {
          expect(JSON.parse(textJson(text))).toBe(text);
        },
      ),
    );
  });

  it('keeps every digit of 64-bit integers', () => {
    expect(integerJson('-9223372036854775808')).toBe('-9223372036854775808');
  });

  it('writes timestamps that read back', () => {
    expect(timestampJson('1234567890000000001')).toBe('"1234567890.000000001"');
    expect(timestampJson('1')).toBe('"0.000000001"');
    fc.assert(
      fc.property(int8, (nanos) => {
        expect(parseTimestamp(JSON.parse(timestampJson(`${nanos}`)))).toBe(nanos);
      }),
    );
  });

  it('writes ids of any shard and realm, and none for the empty id', () => {
    expect(entityIdJson('98')).toBe('"0.0.98"');
    expect(entityIdJson(`${encodeEntityId(1n, 2n, 98n)}`)).toBe('"1.2.98"');
    expect(entityIdJson(`${encodeEntityId(1023n, 65_535n, 1n)}`)).toBe('"1023.65535.1"');
    expect(entityIdJson('0')).toBe('null');
  });

  it('writes bytes', () => {
    expect(hexJson(Buffer.from([1, 171]))).toBe('"0x01ab"');
    expect(hexJson(Buffer.alloc(0))).toBe('"0x"');
  });

  it('writes keys by their kind', () => {
    const key = (hex: string): unknown => JSON.parse(keyObjectJson(Buffer.from(hex, 'hex')));
    const ed25519 = 'bfc9d4a344389324119eed485eb3a875b1e5a54bd189d2fd5ad88ce1d3473dee';
    const secp256k1 = `02${ed25519}`;
    expect(key(`1220${ed25519}`)).toEqual({ _type: 'ED25519', key: ed25519 });
    expect(key(`32240a221220${ed25519}`)).toEqual({ _type: 'ED25519', key: ed25519 });
    expect(key(`3a21${secp256k1}`)).toEqual({ _type: 'ECDSA_SECP256K1', key: secp256k1 });
    expect(key('1201ff')).toEqual({ _type: 'ProtobufEncoded', key: '1201ff' });
    expect(key('3200')).toBeNull();
  });

  it('writes links', () => {
    expect(linksJson(null)).toBe('{"next":null}');
    expect(linksJson('/a?b=gt:1')).toBe('{"next":"/a?b=gt:1"}');
  });
});
