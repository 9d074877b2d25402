/** Balance files as protobuf: `AllAccountBalances`, split while it arrives. */
import { isKagamiError } from '../errors/kagami-error.ts';
import type { ErrorCode } from '../errors/registry.ts';
import { decodeEntityId, type EntityId } from '../ledger/entity-id.ts';
import type { Nanos } from '../ledger/timestamp.ts';
import {
  type AccountHoldings,
  HoldingsOfAccount,
  readBalance,
  readEntityId,
  readTokenHolding,
} from './balance-entry.ts';
import type { BalanceParser } from './balance-parser.ts';
import { type StreamFault, streamError } from './stream-error.ts';
import { timestampNanos, WireReader } from './wire.ts';

/** One account with all its tokens; one of a thousand tokens takes some 15 kilobytes. */
const MAX_FIELD_BYTES = 4 * 1024 * 1024;
/** Tag and length of a field, five bytes each. */
const MAX_FRAME_BYTES = 10;

/** Takes the fields {1 consensus time, 2 account, repeated} one after the other; the time comes first. */
export class ProtobufBalanceParser implements BalanceParser {
  consensusTimestamp: Nanos | undefined;
  duplicates = 0;
  readonly #file: string;
  readonly #shard: bigint;
  #rest: Uint8Array = new Uint8Array(0);
  /** Where `#rest` begins in the content. */
  #offset = 0;

  constructor(file: string, shard: bigint) {
    this.#file = file;
    this.#shard = shard;
  }

  push(chunk: Uint8Array): AccountHoldings[] {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const accounts: AccountHoldings[] = [];
    let start = 0;
    try {
      for (;;) {
        const end = endOfField(bytes, start);
        if (end === undefined || end > bytes.length) {
          if ((end ?? 0) - start > MAX_FIELD_BYTES) {
            throw streamError('STREAM_OVERSIZED', {
              file: this.#file,
              offset: start,
              rule: `a field of ${(end ?? 0) - start} bytes, at most ${MAX_FIELD_BYTES} are read`,
            });
          }
          break;
        }
        this.#field(new WireReader(bytes, this.#file, start, end), accounts);
        start = end;
      }
      // More than a frame that still has no end is no frame; the splitter says what is wrong with it.
      if (bytes.length - start >= MAX_FRAME_BYTES && endOfField(bytes, start) === undefined) {
        new WireReader(bytes, this.#file, start).next();
      }
    } catch (fault) {
      throw relocated(fault, this.#offset);
    }
    this.#rest = bytes.subarray(start);
    this.#offset += start;
    return accounts;
  }

  finish(): void {
    if (this.#rest.length > 0) {
      const rule = 'it ends inside a field';
      throw streamError('STREAM_TRUNCATED', { file: this.#file, offset: this.#offset, rule });
    }
    if (this.consensusTimestamp === undefined) {
      const rule = 'it ends before the consensus time';
      throw streamError('STREAM_TRUNCATED', { file: this.#file, offset: this.#offset, rule });
    }
  }

  #field(fields: WireReader, accounts: AccountHoldings[]): void {
    fields.next();
    if (fields.field === 1) {
      if (this.consensusTimestamp !== undefined) fields.refuse('a second consensus time');
      this.consensusTimestamp = timestampNanos(fields);
    } else if (fields.field === 2) {
      if (this.consensusTimestamp === undefined) fields.refuse('an account comes before the consensus time');
      accounts.push(this.#account(fields));
    }
  }

  #account(fields: WireReader): AccountHoldings {
    const message = fields.message();
    const held = new HoldingsOfAccount();
    let accountId: EntityId | undefined;
    let balance = 0n;
    while (message.next()) {
      if (message.field === 1) accountId = readEntityId(message, 'account');
      else if (message.field === 2) balance = readBalance(message);
      else if (message.field === 3) held.add(readTokenHolding(message));
    }
    if (accountId === undefined) fields.refuse('a balance names no account');
    const { shard } = decodeEntityId(accountId);
    if (shard !== this.#shard) fields.refuse(`shard is ${shard}, must be ${this.#shard}`);
    this.duplicates += held.duplicates;
    return { accountId, balance, tokens: held.tokens };
  }
}

/**
 * Where the field that begins at `start` ends, which may lie beyond `bytes`; undefined when its tag and length are not
 * all there. Fields of other wire types than length-delimited end where the splitter finds them to.
 */
const endOfField = (bytes: Uint8Array, start: number): number | undefined => {
  const tagEnd = endOfVarint(bytes, start);
  if (tagEnd === undefined) return undefined;
  switch ((bytes[start] as number) & 7) {
    case 0:
      return endOfVarint(bytes, tagEnd);
    case 1:
      return tagEnd + 8;
    case 2: {
      const lengthEnd = endOfVarint(bytes, tagEnd);
      return lengthEnd === undefined ? undefined : lengthEnd + lengthOf(bytes, tagEnd, lengthEnd);
    }
    case 5:
      return tagEnd + 4;
    default:
      // The splitter refuses it.
      return tagEnd;
  }
};

const endOfVarint = (bytes: Uint8Array, start: number): number | undefined => {
  for (let i = start; i < bytes.length; i++) if ((bytes[i] as number) < 0x80) return i + 1;
  return undefined;
};

const lengthOf = (bytes: Uint8Array, start: number, end: number): number => {
  let length = 0;
  for (let i = end - 1; i >= start; i--) length = length * 128 + ((bytes[i] as number) & 0x7f);
  return length;
};

/** The same fault with its offset counted in the whole content. */
const relocated = (fault: unknown, offset: number): unknown => {
  if (!isKagamiError(fault) || typeof fault.details.offset !== 'number') return fault;
  const details = fault.details as unknown as StreamFault & { readonly offset: number };
  return streamError(fault.code as Extract<ErrorCode, `STREAM_${string}`>, {
    ...details,
    offset: details.offset + offset,
  });
};
