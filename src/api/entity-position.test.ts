import { describe, expect, it } from 'vitest';
import { encodeEntityId } from '../ledger/entity-id.ts';
import { entityIdPosition, numberPosition } from './entity-position.ts';

describe('entityIdPosition', () => {
  it('writes the id in full and reads others against the home realm', () => {
    const id = encodeEntityId(1n, 2n, 77n);
    const { key, value, numberOf } = entityIdPosition('token.id', `${id}`, { shard: 1n, realm: 2n });
    expect([key, value]).toEqual(['token.id', '1.2.77']);
    expect(['77', '2.77', '1.2.77', `0x${'4d'.padStart(40, '0')}`].map(numberOf)).toEqual([id, id, id, id]);
    expect(numberOf('0.0.77')).toBe(77n);
  });

  it('knows no number behind addresses and ids out of bounds', () => {
    const { numberOf } = entityIdPosition('token.id', '77', { shard: 0n, realm: 0n });
    expect(['ac384c53f03855fa1b3616052f8ba32c6c2a2fec', '999999999999', 'x'].map(numberOf)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('numberPosition', () => {
  it('reads digits only', () => {
    const { value, numberOf } = numberPosition('serialnumber', '9223372036854775807');
    expect(value).toBe('9223372036854775807');
    expect(numberOf(value)).toBe(9_223_372_036_854_775_807n);
    expect(numberOf('1.5')).toBeUndefined();
  });
});
