/** Who a request comes from, as far as sharing fairly goes. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { KagamiError } from '../errors/kagami-error.ts';

/**
 * The client behind a request: an IPv4 address or the first 64 bits of an IPv6 one.
 *
 * @param remoteAddress that connected
 * @param forwardedFor value of `X-Forwarded-For`, repeated headers joined by commas
 */
export type ClientIdentity = (remoteAddress: string | undefined, forwardedFor: string | undefined) => string;

const SETTING = 'kagami.server.trustedProxies';

/** What `private` stands for: loopback, private, shared and link-local networks. */
const privateNetworks: readonly string[] = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
];

const plain = (address: string): string => (/^::ffff:\d/i.test(address) ? address.slice(7) : address);

const familyOf = (address: string): 'ipv4' | 'ipv6' | undefined => {
  if (isIPv4(address)) return 'ipv4';
  return isIPv6(address) ? 'ipv6' : undefined;
};

const addNetwork = (networks: BlockList, text: string): void => {
  const [address = '', prefix] = text.trim().split('/');
  const family = familyOf(address);
  const longest = family === 'ipv4' ? 32 : 128;
  const bits = prefix === undefined ? longest : Number(prefix);
  if (family === undefined || !/^\d+$/.test(prefix ?? '0') || bits > longest) {
    throw new KagamiError('CONFIG_INVALID', `${SETTING}: "${text}" is no address, no network and not "private"`, {
      details: { setting: SETTING, value: text },
    });
  }
  networks.addSubnet(address, bits, family);
};

/** People get IPv6 addresses by networks of 64 bits. */
const networkOf = (address: string): string => {
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = (address.toLowerCase().split('%')[0] ?? '').split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = address.includes('::') ? Array<string>(Math.max(0, 8 - groups.length - after.length)).fill('0') : [];
  const digits = [...groups, ...zeros, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return digits.join(':');
};

/**
 * Clients are the addresses that connect. Where that is a trusted proxy, it is the last entry of `X-Forwarded-For` that is
 * not one itself: what stands before it are the client's own words.
 *
 * @param trustedProxies addresses, networks (`10.0.0.0/8`) and `private`
 * @throws KagamiError CONFIG_INVALID for anything else
 */
export const createClientIdentity = (trustedProxies: readonly string[]): ClientIdentity => {
  const trusted = new BlockList();
  for (const text of trustedProxies) {
    for (const network of text.trim() === 'private' ? privateNetworks : [text]) addNetwork(trusted, network);
  }
  const isTrusted = (address: string): boolean => {
    const family = familyOf(address);
    return family !== undefined && trusted.check(address, family);
  };
  return (remoteAddress, forwardedFor) => {
    let client = plain(remoteAddress ?? '');
    const entries = forwardedFor?.split(',').map((entry) => plain(entry.trim())) ?? [];
    while (isTrusted(client)) {
      const before = entries.pop();
      if (before === undefined || familyOf(before) === undefined) break;
      client = before;
    }
    return networkOf(client);
  };
};
