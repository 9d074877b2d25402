import { describe, expect, it } from 'vitest';
import { authenticate } from './authentication.ts';

const users = [
  { username: 'premium', password: 'se:cret', limit: 300 },
  { username: 'plain', password: 'x', limit: 0 },
];

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('authenticate', () => {
  it('knows nobody without the header', () => {
    expect(authenticate(undefined, users)).toBeUndefined();
  });

  it('finds a user and the limit', () => {
    expect(authenticate(basic('premium:se:cret'), users)).toEqual({ username: 'premium', limit: 300 });
    expect(authenticate(basic('plain:x'), users)).toEqual({ username: 'plain' });
  });

  it.each([
    ['a wrong password', basic('premium:secret'), 'Invalid credentials'],
    ['an unknown user', basic('nobody:x'), 'Invalid credentials'],
    ['another scheme', 'Bearer abc', 'Invalid Authorization header format'],
    ['no colon', basic('premium'), 'Invalid Authorization header format'],
    ['no user name', basic(':x'), 'Invalid Authorization header format'],
  ])('refuses %s', (_case, header, message) => {
    expect(() => authenticate(header, users)).toThrow(
      expect.objectContaining({ status: 401, messages: [{ message }] }),
    );
  });
});
