import { expect, it } from 'vitest';
import { clientIdentity } from './client-identity.ts';

it.each([
  ['203.0.113.7', undefined, '203.0.113.7'],
  ['203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['::ffff:203.0.113.7', undefined, '203.0.113.7'],
  ['127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['10.1.2.3', 'made up, 198.51.100.1', '198.51.100.1'],
  ['10.1.2.3', 'made up', '10.1.2.3'],
  ['10.1.2.3', undefined, '10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2'],
  ['2001:db8::6', undefined, '2001:db8:0:0'],
  ['::1', '2001:DB8:1:2::9', '2001:db8:1:2'],
])('a request from %s for %s counts for %s', (remote, forwarded, client) => {
  expect(clientIdentity(remote, forwarded)).toBe(client);
});
