/** HTTP basic authentication against `hiero.mirror.rest.users`: it raises limits, it never guards access. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { RestSettings } from '../../config/settings/rest.ts';
import { HttpProblem } from '../problem.ts';
import type { AuthenticatedUser } from '../route.ts';

const unauthorized = (message: string): HttpProblem => new HttpProblem(401, [{ message }]);

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Compares without telling by its duration how much of a secret was right. */
const sameSecret = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected));

const credentialsOf = (authorization: string): { readonly username: string; readonly password: string } | undefined => {
  if (!authorization.startsWith('Basic ')) return undefined;
  const credentials = Buffer.from(authorization.slice('Basic '.length), 'base64').toString('utf8');
  const colon = credentials.indexOf(':');
  return colon <= 0 ? undefined : { username: credentials.slice(0, colon), password: credentials.slice(colon + 1) };
};

/**
 * The user whose credentials an `Authorization` header carries; undefined without such a header.
 * Throws the 401 problem when the header is of another kind or names no known user with that password.
 */
export const authenticate = (
  authorization: string | undefined,
  users: RestSettings['users'],
): AuthenticatedUser | undefined => {
  if (authorization === undefined || authorization === '') return undefined;
  const given = credentialsOf(authorization);
  if (given === undefined) throw unauthorized('Invalid Authorization header format');
  const user = users.find(
    ({ username, password }) => username === given.username && sameSecret(given.password, password),
  );
  if (user === undefined) throw unauthorized('Invalid credentials');
  return user.limit > 0 ? { username: user.username, limit: user.limit } : { username: user.username };
};
