import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldJson as json } from '../../api/resource/testing/cells.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { fixedFees, fractionalFees, royaltyFees } from './custom-fees.ts';

const fixedFeesJson = (fees: string): string => json(fixedFees('p.fixed_fees'), fees);
const fractionalFeesJson = (fees: string, token: string): string =>
  json(fractionalFees('p.fractional_fees', 'p.token_id'), fees, token);
const royaltyFeesJson = (fees: string): string => json(royaltyFees('p.royalty_fees'), fees);

const largest = '9223372036854775807';

describe('fixed fees', () => {
  it('are in hbar or in a token', () => {
    expect(
      fixedFeesJson(
        '[{"amount": 12, "collector_account_id": 8904, "denominating_token_id": 1137, "all_collectors_are_exempt": true}, ' +
          `{"amount": ${largest}, "collector_account_id": ${encodeEntityId(1n, 2n, 10n)}, "denominating_token_id": null}]`,
      ),
    ).toBe(
      '[{"all_collectors_are_exempt":true,"amount":12,"collector_account_id":"0.0.8904","denominating_token_id":"0.0.1137"},' +
        `{"all_collectors_are_exempt":false,"amount":${largest},"collector_account_id":"1.2.10","denominating_token_id":null}]`,
    );
  });

  it('may be none', () => {
    expect(fixedFeesJson('')).toBe('[]');
    expect(fixedFeesJson('[]')).toBe('[]');
  });
});

describe('fractional fees', () => {
  it('are charged in the token itself, with or without a maximum', () => {
    expect(
      fractionalFeesJson(
        '[{"numerator": 11, "denominator": 17, "maximum_amount": 987, "minimum_amount": 79, "collector_account_id": 8901, ' +
          '"net_of_transfers": true, "all_collectors_are_exempt": false}, ' +
          '{"numerator": 9, "denominator": 13, "maximum_amount": null, "minimum_amount": 0, "collector_account_id": 8902}]',
        '1135',
      ),
    ).toBe(
      '[{"all_collectors_are_exempt":false,"amount":{"denominator":17,"numerator":11},"collector_account_id":"0.0.8901",' +
        '"denominating_token_id":"0.0.1135","maximum":987,"minimum":79,"net_of_transfers":true},' +
        '{"all_collectors_are_exempt":false,"amount":{"denominator":13,"numerator":9},"collector_account_id":"0.0.8902",' +
        '"denominating_token_id":"0.0.1135","maximum":null,"minimum":0,"net_of_transfers":false}]',
    );
  });
});

describe('royalties', () => {
  it('tell their own members from those of the fallback, wherever it stands', () => {
    const members = ['"numerator": 15', '"denominator": 37', '"collector_account_id": 8901'];
    const fallback = `"fallback_fee": {"amount": ${largest}, "denominating_token_id": 1137}`;
    fc.assert(
      fc.property(fc.shuffledSubarray([...members, fallback], { minLength: 4 }), (shuffled) => {
        expect(royaltyFeesJson(`[{${shuffled.join(', ')}}, {${members.join(', ')}, "fallback_fee": null}]`)).toBe(
          '[{"all_collectors_are_exempt":false,"amount":{"denominator":37,"numerator":15},' +
            '"collector_account_id":"0.0.8901",' +
            `"fallback_fee":{"amount":${largest},"denominating_token_id":"0.0.1137"}},` +
            '{"all_collectors_are_exempt":false,"amount":{"denominator":37,"numerator":15},' +
            '"collector_account_id":"0.0.8901","fallback_fee":null}]',
        );
      }),
    );
  });

  it('show no fallback of nothing', () => {
    const fallbackOf = (fallback: string): unknown =>
      JSON.parse(
        royaltyFeesJson(
          `[{"numerator": 1, "denominator": 2, "collector_account_id": 3, "fallback_fee": ${fallback}, "amount": 5}]`,
        ),
      )[0].fallback_fee;
    expect(fallbackOf('{"amount": 0, "denominating_token_id": 7}')).toBeNull();
    expect(fallbackOf('{}')).toBeNull();
    expect(fallbackOf('{"amount": 4, "denominating_token_id": null}')).toEqual({
      amount: 4,
      denominating_token_id: null,
    });
  });
});
