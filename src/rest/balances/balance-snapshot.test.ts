import { describe, expect, it } from 'vitest';
import { boundsOf } from '../../api/bounds.ts';
import { asOfInterval } from './balance-snapshot.ts';

describe('asOfInterval', () => {
  it('takes an equality as an upper bound', () => {
    expect(asOfInterval(boundsOf([{ operator: 'eq', value: 5n }]))).toEqual({ lower: null, upper: 5n, excluded: [] });
    expect(
      asOfInterval(
        boundsOf([
          { operator: 'eq', value: 9n },
          { operator: 'eq', value: 7n },
          { operator: 'gt', value: 2n },
          { operator: 'ne', value: 4n },
        ]),
      ),
    ).toEqual({ lower: 3n, upper: 7n, excluded: [4n] });
  });

  it('is undefined for bounds that exclude each other', () => {
    expect(
      asOfInterval(
        boundsOf([
          { operator: 'gte', value: 9n },
          { operator: 'eq', value: 8n },
        ]),
      ),
    ).toBeUndefined();
  });

  it('leaves the end open beyond int8', () => {
    expect(asOfInterval(boundsOf([{ operator: 'eq', value: 9_999_999_999_999_999_999n }]))).toEqual({
      lower: null,
      upper: null,
      excluded: [],
    });
  });
});
