import { describe, expect, it } from 'vitest';
import { activityKinds, mixNames, parseMix } from './mix.ts';

describe('parseMix', () => {
  it('takes names, weights, and nothing for the default', () => {
    expect(parseMix('').activities).toHaveLength(activityKinds.length);
    expect(parseMix('').text).toBe('default');
    expect(mixNames).toEqual(['default', 'everything', 'transfers', 'tokens', 'nfts', 'topic-messages', 'contracts']);
    const mix = parseMix(' transfer=70, message=20,mint=10 ');
    expect(mix.thresholds).toEqual([0.7, 0.9, 1]);
    expect(parseMix(mix.text)).toEqual(mix);
    expect(parseMix('transfers').collectsFees).toBe(false);
    expect(mix.collectsFees).toBe(true);
  });

  it.each(['transfer', 'transfer=', 'nothing=3', 'transfer=0', 'transfer=-1', 'transfer=1;mint=1'])(
    'refuses %s',
    (text) => {
      expect(() => parseMix(text)).toThrow(expect.objectContaining({ code: 'SIMULATOR_MIX_INVALID' }));
    },
  );
});
