import { describe, expect, it } from 'vitest';
import { createClientIdentity } from './client-identity.ts';

describe('a client', () => {
  const identity = createClientIdentity(['private', '192.0.2.1', '2001:db8:ffff::/48']);

  it.each([
    ['203.0.113.7', undefined, '203.0.113.7'],
    ['203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['::ffff:203.0.113.7', undefined, '203.0.113.7'],
    ['127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', 'made up, 198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '203.0.113.9, 198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '203.0.113.9, 198.51.100.1, 192.0.2.1', '198.51.100.1'],
    ['2001:db8:ffff::1', '198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', 'made up', '10.1.2.3'],
    ['10.1.2.3', '10.0.0.7', '10.0.0.7'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2'],
    ['2001:0db8:0001:2::6', undefined, '2001:db8:1:2'],
    ['2001:db8::6', undefined, '2001:db8:0:0'],
    ['::1', '2001:DB8:1:2::9', '2001:db8:1:2'],
    [undefined, undefined, ''],
  ])('that connects from %s for %s is %s', (remote, forwarded, client) => {
    expect(identity(remote, forwarded)).toBe(client);
  });

  it('is not believed about itself where no proxy is trusted', () => {
    const direct = createClientIdentity([]);
    expect(direct('127.0.0.1', '198.51.100.1')).toBe('127.0.0.1');
    expect(direct('10.1.2.3', '198.51.100.1')).toBe('10.1.2.3');
  });

  it.each(['proxy.local', '10.0.0.0/33', '10.0.0.0/x', ''])('cannot come by a proxy written as "%s"', (text) => {
    expect(() => createClientIdentity([text])).toThrow('kagami.server.trustedProxies');
  });
});
