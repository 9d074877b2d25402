/** Who a request comes from, as far as sharing places fairly goes. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

const inner = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
] as const) {
  inner.addSubnet(network, prefix, 'ipv4');
}
inner.addAddress('::1', 'ipv6');
inner.addSubnet('fc00::', 7, 'ipv6');
inner.addSubnet('fe80::', 10, 'ipv6');

const plain = (address: string): string => (/^::ffff:\d/i.test(address) ? address.slice(7) : address);

/** People get IPv6 addresses by networks of 64 bits. */
const networkOf = (address: string): string => {
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = address.includes('::') ? Array<string>(Math.max(0, 8 - groups.length - after.length)).fill('0') : [];
  return [...groups, ...zeros, ...after].slice(0, 4).join(':');
};

/**
 * The address that connected or, when that is one of an inner network and so a proxy's, the one that the proxy added last
 * to `X-Forwarded-For`; earlier entries are the client's own words.
 */
export const clientIdentity = (remoteAddress: string, forwardedFor: string | undefined): string => {
  const remote = plain(remoteAddress);
  const isInner = inner.check(remote, isIPv4(remote) ? 'ipv4' : 'ipv6');
  const added = plain(forwardedFor?.split(',').at(-1)?.trim() ?? '');
  return networkOf(isInner && (isIPv4(added) || isIPv6(added)) ? added : remote);
};
