/** What the contracts of the founding are given when they are created. */
import { keccak256 } from '../../ledger/hash.ts';

export const GREETING = 'Good morning, Kagami';
/** Tinybars, as contracts see them. */
export const GREETING_PRICE = 100_000_000n;
/** 2026-01-01T00:00:00Z, seconds. */
export const VAULT_OPENING = 1_767_225_600n;
/** That the fund's constructor sets. */
export const FUND_PERMILLE = 5n;
export const CHILD_NUMBER = 7n;
export const SALTED_CHILD_NUMBER = 8n;
export const SALT = keccak256(Buffer.from('a child at an address that is known before'));
