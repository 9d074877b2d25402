/** Balance files as text: version 1 lists accounts, version 2 their tokens too. */
import { isKagamiError } from '../errors/kagami-error.ts';
import { decodeEntityId } from '../ledger/entity-id.ts';
import { MAX_INT64 } from '../ledger/int64.ts';
import { type Nanos, streamNameToNanos } from '../ledger/timestamp.ts';
import { type AccountHoldings, entityIdOf, HoldingsOfAccount, readTokenHolding } from './balance-entry.ts';
import type { BalanceParser } from './balance-parser.ts';
import { streamError } from './stream-error.ts';
import { WireReader } from './wire.ts';

/** A line with all tokens of an account; one of a thousand tokens takes some 20 kilobytes. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const VERSION_LINE = /^#\s*version:(.*)$/i;
const TIMESTAMP_LINE = /^(?:#\s*)?timestamp:(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z)$/i;
const COLUMNS_LINE = /^shard/i;
const DIGITS = /^\d{1,19}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Takes the file line by line: `# version:2` (not in version 1), the time, the column names, then one account each. */
export class CsvBalanceParser implements BalanceParser {
  consensusTimestamp: Nanos | undefined;
  duplicates = 0;
  readonly #file: string;
  readonly #shard: bigint;
  #version: 1 | 2 | undefined;
  #inRows = false;
  #rest: Buffer = Buffer.alloc(0);
  #line = 0;
  /** Where the current line begins in the content. */
  #offset = 0;

  constructor(file: string, shard: bigint) {
    this.#file = file;
    this.#shard = shard;
  }

  push(chunk: Uint8Array): AccountHoldings[] {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const accounts: AccountHoldings[] = [];
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      this.#line += 1;
      const text = bytes.toString('latin1', start, end > start && bytes[end - 1] === 13 ? end - 1 : end);
      if (this.#inRows) accounts.push(this.#row(text));
      else this.#header(text);
      this.#offset += end + 1 - start;
      start = end + 1;
    }
    if (bytes.length - start > MAX_LINE_BYTES) this.#refuse(`it is longer than ${MAX_LINE_BYTES} bytes`, 1);
    this.#rest = bytes.subarray(start);
    return accounts;
  }

  finish(): void {
    if (this.#rest.length > 0) this.#truncated('the last line has no end');
    if (!this.#inRows) this.#truncated('it ends before the line with the column names');
  }

  #header(text: string): void {
    const version = VERSION_LINE.exec(text)?.[1];
    const time = TIMESTAMP_LINE.exec(text)?.[1];
    if (version !== undefined && this.#line === 1) {
      if (version.trim() !== '2') {
        throw streamError('STREAM_UNKNOWN_VERSION', { file: this.#file, offset: 0, rule: `balance file ${version}` });
      }
      this.#version = 2;
    } else if (time !== undefined && this.consensusTimestamp === undefined) {
      this.#version ??= 1;
      this.consensusTimestamp = streamNameToNanos(time.replaceAll(':', '_'));
      if (this.consensusTimestamp === undefined) this.#refuse(`${time} is not a time`);
    } else if (COLUMNS_LINE.test(text) && this.consensusTimestamp !== undefined) {
      this.#inRows = true;
    } else {
      const expected =
        this.consensusTimestamp === undefined
          ? 'the time of the balances (TimeStamp:...)'
          : 'the column names (shard...)';
      this.#refuse(`it must be ${expected}`);
    }
  }

  #row(text: string): AccountHoldings {
    const [shard = '', realm = '', num = '', balance = '', tokens, ...more] = text.split(',');
    if (more.length > 0 || (tokens !== undefined && this.#version === 1)) {
      this.#refuse(`it must have ${this.#version === 1 ? 'four' : 'five'} columns`);
    }
    const refuse = (rule: string): never => this.#refuse(rule);
    const accountId = entityIdOf(
      this.#number(shard, 'shard'),
      this.#number(realm, 'realm'),
      this.#number(num, 'account'),
      refuse,
    );
    if (decodeEntityId(accountId).shard !== this.#shard) refuse(`shard is ${shard}, must be ${this.#shard}`);
    const tinybars = this.#number(balance, 'balance');
    if (tinybars > MAX_INT64) refuse('a balance is 2^63 or more');
    return { accountId, balance: tinybars, tokens: tokens ? this.#tokens(tokens) : [] };
  }

  #number(text: string, column: string): bigint {
    if (!DIGITS.test(text)) this.#refuse(`${column} is not a number: ${JSON.stringify(text.slice(0, 40))}`);
    return BigInt(text);
  }

  /** The base64 text of a TokenBalances message. */
  #tokens(text: string): AccountHoldings['tokens'] {
    if (!BASE64.test(text)) this.#refuse('the token balances are not base64');
    const held = new HoldingsOfAccount();
    try {
      const fields = new WireReader(Buffer.from(text, 'base64'), this.#file);
      while (fields.next()) if (fields.field === 1) held.add(readTokenHolding(fields));
    } catch (fault) {
      if (!isKagamiError(fault)) throw fault;
      this.#refuse(`the token balances are not a TokenBalances message: ${fault.details.rule}`);
    }
    this.duplicates += held.duplicates;
    return held.tokens;
  }

  #truncated(rule: string): never {
    const offset = this.#offset + this.#rest.length;
    throw streamError('STREAM_TRUNCATED', { file: this.#file, offset, line: this.#line + 1, rule });
  }

  #refuse(rule: string, ahead = 0): never {
    const line = this.#line + ahead;
    throw streamError('STREAM_MALFORMED', {
      file: this.#file,
      offset: this.#offset,
      line,
      rule: `line ${line}: ${rule}`,
    });
  }
}
