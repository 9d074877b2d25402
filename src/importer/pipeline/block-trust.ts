/** Who is believed when blocks are proven: what the ledger itself tells, else what is configured. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Queryable } from '../../database/connection.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { Electorate } from '../../sources/electorate.ts';
import { parseLedgerPublication } from '../../streams/block/ledger-publication.ts';
import type { LedgerTrust, RecordSigners } from '../../streams/block/trust.ts';

interface LedgerRow {
  readonly ledger_id: Buffer;
  readonly history_proof_verification_key: Buffer;
  readonly node_contributions: string;
}

interface Contribution {
  readonly history_proof_key: string;
  readonly node_id: number | string;
  readonly weight: number | string;
}

/** The ledger that the newest publication names; null before there is one. */
export const readLedger = async (database: Queryable): Promise<LedgerTrust | null> => {
  const [row] = await database.query<LedgerRow>(
    'select ledger_id, history_proof_verification_key, node_contributions::text as node_contributions from ledger ' +
      'order by consensus_timestamp desc limit 1',
  );
  if (row === undefined || row.ledger_id.length === 0) return null;
  // Weights are 64-bit: the reviver sees their text.
  const contributions = JSON.parse(row.node_contributions, exactNumbers) as Contribution[];
  return {
    id: Uint8Array.from(row.ledger_id),
    roster:
      contributions.length === 0
        ? null
        : contributions.map(({ history_proof_key, node_id, weight }) => ({
            nodeId: BigInt(node_id),
            weight: BigInt(weight),
            key: Uint8Array.from(Buffer.from(history_proof_key, 'base64')),
          })),
    wrapsKey:
      row.history_proof_verification_key.length === 0 ? null : Uint8Array.from(row.history_proof_verification_key),
  };
};

const exactNumbers = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' ? (context?.source ?? value) : value;

const LEDGER_ID = /^(?:0x)?([0-9a-f]{64})$/i;
/** Publications have some KiB for each node. */
const MAX_PUBLICATION_BYTES = 16 * 1024 * 1024;

/**
 * The ledger that the setting `initialLedgerIdPublication` names: a file, or the id itself; null when it is empty.
 * @throws KagamiError CONFIG_INVALID
 */
export const configuredLedger = async (setting: string, cwd: string): Promise<LedgerTrust | null> => {
  if (setting === '') return null;
  const id = LEDGER_ID.exec(setting)?.[1];
  if (id !== undefined) return { id: Uint8Array.from(Buffer.from(id, 'hex')), roster: null, wrapsKey: null };
  try {
    const bytes = await readFile(resolve(cwd, setting));
    if (bytes.length > MAX_PUBLICATION_BYTES) throw new Error(`it has ${bytes.length} bytes`);
    return parseLedgerPublication(bytes, setting);
  } catch (cause) {
    const name = 'hiero.mirror.importer.block.initialLedgerIdPublication';
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new KagamiError(
      'CONFIG_INVALID',
      `${name}: ${setting} is no ledger id, nor a file with its publication: ${why}`,
      {
        details: { setting: name },
        cause,
      },
    );
  }
};

/** The nodes of an electorate as those who sign wrapped record blocks; null without any. */
export const recordSignersOf = ({ book, weights, ratio }: Electorate): RecordSigners | null =>
  book.entries.length === 0
    ? null
    : {
        nodes: book.entries.map(({ nodeId, publicKeyHex }) => ({
          nodeId,
          publicKeyHex,
          weight: weights.byNode.get(nodeId) ?? 0n,
        })),
        totalWeight: weights.total,
        ratio,
      };
