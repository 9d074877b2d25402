import { isKagamiError } from '../../errors/kagami-error.ts';
import type { RecordFile } from '../record-file-content.ts';
import { WireReader } from '../wire.ts';
import { type Block, BlockItemField } from './block.ts';
import type { LedgerTrust, RosterEntry } from './trust.ts';

const BODY_BYTES_FIELD = 1;
const PUBLICATION_FIELD = 77;
/** The tag of field 77, two bytes. */
const PUBLICATION_TAG = [0xea, 0x04] as const;
/** A ledger id and the key of one node. */
const LEAST_PUBLICATION_BYTES = 32 + 192;
const STATUS_FIELD = 1;
/** Of Transaction and TransactionRecord. */
const SIGNED_BYTES_FIELD = 5;
const RECEIPT_FIELD = 1;
const SUCCESS = 22;

/**
 * The ledger that a block publishes by a successful LedgerIdPublication transaction, as block 0 of a network with threshold
 * signatures does; undefined when it publishes none. Nothing is checked: see `checkLedger`.
 */
export const readLedgerPublication = (block: Block): LedgerTrust | undefined => {
  const { items } = block;
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (item?.field !== BlockItemField.signedTransaction || !mayPublish(item.payload)) continue;
    const next = items[i + 1];
    if (next?.field !== BlockItemField.transactionResult) continue;
    const publication = publicationIn(item.payload, block.name);
    if (publication !== undefined && statusOf(next.payload, block.name) === SUCCESS) return publication;
  }
  return undefined;
};

/**
 * The newest ledger that a record file publishes, as the last record files before the cutover do; undefined when it
 * publishes none. Nothing is checked: see `checkLedger`.
 */
export const recordedLedgerPublication = ({
  items,
  name,
}: Pick<RecordFile, 'items' | 'name'>): LedgerTrust | undefined => {
  for (const { transaction, record } of items.toReversed()) {
    const signed = mayPublish(transaction) ? signedIn(transaction, name) : undefined;
    const publication = signed === undefined ? undefined : publicationIn(signed, name);
    if (publication !== undefined && recordedStatus(record, name) === SUCCESS) return publication;
  }
  return undefined;
};

const signedIn = (transaction: Uint8Array, file: string): Uint8Array | undefined => {
  const fields = new WireReader(transaction, file);
  while (fields.next()) if (fields.field === SIGNED_BYTES_FIELD) return fields.slice();
  return undefined;
};

const recordedStatus = (record: Uint8Array, file: string): number => {
  const fields = new WireReader(record, file);
  while (fields.next()) if (fields.field === RECEIPT_FIELD) return statusOf(fields.slice(), file);
  return 0;
};

/** Spares most transactions from being looked into. */
const mayPublish = (signedTransaction: Uint8Array): boolean => {
  if (signedTransaction.length < LEAST_PUBLICATION_BYTES) return false;
  const [first, second] = PUBLICATION_TAG;
  for (let at = signedTransaction.indexOf(first); at >= 0; at = signedTransaction.indexOf(first, at + 1)) {
    if (signedTransaction[at + 1] === second) return true;
  }
  return false;
};

/** Transactions that don't decode are the importer's to report. */
const publicationIn = (signedTransaction: Uint8Array, file: string): LedgerTrust | undefined => {
  try {
    const signed = new WireReader(signedTransaction, file);
    while (signed.next()) {
      if (signed.field !== BODY_BYTES_FIELD) continue;
      const body = signed.message();
      while (body.next()) if (body.field === PUBLICATION_FIELD) return parseLedgerPublication(body.slice(), file);
    }
    return undefined;
  } catch (error) {
    if (isKagamiError(error)) return undefined;
    throw error;
  }
};

const statusOf = (receipt: Uint8Array, file: string): number => {
  const fields = new WireReader(receipt, file);
  while (fields.next()) if (fields.field === STATUS_FIELD) return fields.int32();
  return 0;
};

/**
 * Reads a LedgerIdPublicationTransactionBody {1 ledger_id, 2 history_proof_verification_key, 3 node_contributions
 * {1 node_id, 2 weight, 3 history_proof_key}}.
 * @throws KagamiError STREAM_TRUNCATED, STREAM_MALFORMED.
 */
export const parseLedgerPublication = (bytes: Uint8Array, file: string): LedgerTrust => {
  const fields = new WireReader(bytes, file);
  const roster: RosterEntry[] = [];
  let id: Uint8Array = new Uint8Array(0);
  let wrapsKey: Uint8Array | null = null;
  while (fields.next()) {
    if (fields.field === 1) id = fields.slice();
    else if (fields.field === 2) wrapsKey = fields.slice();
    else if (fields.field === 3) roster.push(readEntry(fields));
  }
  return { id: copyOf(id), roster, wrapsKey: wrapsKey === null ? null : copyOf(wrapsKey) };
};

const readEntry = (fields: WireReader): RosterEntry => {
  const message = fields.message();
  let nodeId = 0n;
  let weight = 0n;
  let key: Uint8Array = new Uint8Array(0);
  while (message.next()) {
    if (message.field === 1) nodeId = BigInt.asUintN(64, message.int64());
    else if (message.field === 2) weight = BigInt.asUintN(64, message.int64());
    else if (message.field === 3) key = message.slice();
  }
  return { nodeId, weight, key: copyOf(key) };
};

/** Ledgers outlive the blocks that publish them. */
const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);
