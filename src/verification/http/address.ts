/** EVM addresses as clients may write them. */
import { addressBytes, checksumAddress } from '../chain/address.ts';

const written = /^(?:0x)?([0-9a-fA-F]{40})$/;

/** ICAP, direct form: `XE`, two check digits, the address in base 36. */
const icapWritten = /^(XE\d{2})([0-9A-Za-z]{30,31})$/;

const base36 = (text: string): bigint =>
  [...text].reduce((number, digit) => number * 36n + BigInt(Number.parseInt(digit, 36)), 0n);

/** Check digits are right when the text, its first four characters moved to its end, leaves 1 modulo 97 (ISO 7064). */
const isChecked = (head: string, tail: string): boolean => {
  const digits = [...`${tail}${head}`].map((character) => Number.parseInt(character, 36)).join('');
  return BigInt(digits) % 97n === 1n;
};

const icapAddress = (head: string, tail: string): string | undefined => {
  if (!isChecked(head, tail)) return undefined;
  const bytes = addressBytes(`0x${base36(tail).toString(16).padStart(40, '0')}`);
  return bytes && checksumAddress(bytes);
};

/**
 * The address with its check sum; undefined for anything else. The prefix may be left out; letters of both cases must
 * already be a right check sum.
 */
export const checkSummedAddress = (text: string): string | undefined => {
  const [, head, tail] = icapWritten.exec(text) ?? [];
  if (head !== undefined && tail !== undefined) return icapAddress(head, tail);
  const digits = written.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const right = checksumAddress(Buffer.from(digits, 'hex'));
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || right === `0x${digits}` ? right : undefined;
};
