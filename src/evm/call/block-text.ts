/** The `block` member of a call: tags, numbers and hashes. */

import { MAX_INT64 } from '../../ledger/int64.ts';
import type { BlockChoice } from '../state/state-source.ts';
import { parseProblem } from './json-document.ts';

const latestTags: ReadonlySet<string> = new Set(['', 'latest', 'pending', 'safe', 'finalized']);

const problemOf = (text: string) => parseProblem(`Cannot construct instance of block, problem: ${text}`);

const numbered = (written: string, value: string, base: string): BlockChoice => {
  const number = BigInt(written);
  if (number > MAX_INT64) throw problemOf(`${base} value out of range for block: ${value}`);
  return { kind: 'number', number };
};

/**
 * Which block a text means. Only the four tags of the newest block mean current state; a number does not, even when it is
 * the newest block's.
 * @throws HttpProblem 400
 */
export const parseBlock = (value: string): BlockChoice => {
  const text = value.toLowerCase();
  if (latestTags.has(text)) return { kind: 'latest' };
  if (text === 'earliest') return { kind: 'earliest' };
  if (/^\d{1,20}$/.test(text)) return numbered(text, value, 'Decimal');
  if (/^0x[0-9a-f]{1,16}$/.test(text)) return numbered(text, value, 'Hex');
  if (/^0x(?:[0-9a-f]{64}|[0-9a-f]{96})$/.test(text)) return { kind: 'hash', hash: text.slice(2) };
  throw problemOf(`Invalid block value: ${value}`);
};
