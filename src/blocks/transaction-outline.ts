/** What can be read of a serialized SignedTransaction without decoding it. */
import { transactionTypeName } from '../ledger/transaction-type.ts';
import { WireReader } from '../streams/wire.ts';

const NO_BYTES: Uint8Array = new Uint8Array(0);

/** Field numbers of SignedTransaction. */
const SIGNED_BODY = 1;
const SIGNED_SIGNATURES = 2;
const SIGNED_HASH_OF_TRANSACTION = 3;

/** Field numbers of TransactionBody that are not its type-specific part. */
const BODY_ID = 1;
const BODY_MEMO = 6;
const BODY_BATCH_KEY = 73;
/** HookDispatch is a part of the body that has no type name. */
const HOOK_DISPATCH = 76;
const ID_NONCE = 4;

export interface TransactionOutline {
  /** The SignedTransaction message. */
  readonly signed: Uint8Array;
  /** The TransactionBody message. */
  readonly body: Uint8Array;
  /** Its hash is the one of the Transaction message around it, as of transactions of old. */
  readonly isHashedAsTransaction: boolean;
  /** Field number of the type-specific part of the body; 0 when none is known. */
  readonly type: number;
  /** The TransactionID message; undefined when the body has none. */
  readonly id: Uint8Array | undefined;
  /** Of the id: 0 for what a user sent, more for what the network added to it. */
  readonly nonce: number;
  /** As it stands in the body, which need not be UTF-8. */
  readonly memo: Uint8Array;
}

/**
 * `place` names the block and the item in errors.
 * @throws KagamiError STREAM_TRUNCATED, STREAM_MALFORMED
 */
export const outlineTransaction = (signed: Uint8Array, place: string): TransactionOutline => {
  let body = NO_BYTES;
  let isHashedAsTransaction = false;
  const fields = new WireReader(signed, place);
  while (fields.next()) {
    if (fields.field === SIGNED_BODY) body = fields.slice();
    else if (fields.field === SIGNED_HASH_OF_TRANSACTION) isHashedAsTransaction = fields.int32() !== 0;
  }
  return { signed, body, isHashedAsTransaction, ...outlineBody(body, place) };
};

/** The SignatureMap message of a SignedTransaction; no bytes when there is none. */
export const signaturesOf = (signed: Uint8Array, place: string): Uint8Array => {
  let signatures = NO_BYTES;
  const fields = new WireReader(signed, place);
  while (fields.next()) if (fields.field === SIGNED_SIGNATURES) signatures = fields.slice();
  return signatures;
};

type BodyOutline = Pick<TransactionOutline, 'type' | 'id' | 'nonce' | 'memo'>;

const outlineBody = (body: Uint8Array, place: string): BodyOutline => {
  let type = 0;
  let id: Uint8Array | undefined;
  let nonce = 0;
  let memo = NO_BYTES;
  const fields = new WireReader(body, place);
  while (fields.next()) {
    const { field } = fields;
    if (field === BODY_ID && fields.wireType === 2) {
      id = fields.slice();
      nonce = nonceOf(fields.message());
    } else if (field === BODY_MEMO && fields.wireType === 2) memo = fields.slice();
    else if (field > BODY_MEMO && field !== BODY_BATCH_KEY && isType(field)) type = field;
  }
  return { type, id, nonce, memo };
};

const isType = (field: number): boolean => field === HOOK_DISPATCH || transactionTypeName(field) !== 'UNKNOWN';

const nonceOf = (id: WireReader): number => {
  let nonce = 0;
  while (id.next()) if (id.field === ID_NONCE && id.wireType === 0) nonce = id.int32();
  return nonce;
};
