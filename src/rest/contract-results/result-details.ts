/**
 * `/api/v1/contracts/{contractIdOrAddress}/results/{timestamp}` and `/api/v1/contracts/results/{transactionIdOrHash}`:
 * one result with its logs and state changes.
 */
import { isTimestampText } from '../../api/parameter-checks.ts';
import { notFound } from '../../api/problem.ts';
import { invalidParameters } from '../../api/query.ts';
import { endpoint, oneAnswer } from '../../api/resource/endpoint.ts';
import { nonce } from '../../api/resource/parameter.ts';
import type { RestAnswer, RouteContext } from '../../api/route.ts';
import { inSnapshot } from '../../api/snapshot.ts';
import { decodeEntityId } from '../../ledger/entity-id.ts';
import { MAX_NANOS, parseTimestamp } from '../../ledger/timestamp.ts';
import { contractResultLog } from '../contracts/contract-log.ts';
import { contractPath, findContractId, readContractText } from '../contracts/contract-reference.ts';
import { gasPriceFiles, readGasPrices } from './gas-price.ts';
import { type DetailsFormat, type DetailsRow, isBlank, resultDetails } from './result.ts';
import {
  blockJoin,
  contractJoin,
  detailColumns,
  ethereumJoin,
  joinedColumns,
  resultColumns,
} from './result-columns.ts';
import { hbar, unitOf } from './result-filters.ts';
import { lookUpResultReference, resultHashOf } from './result-reference.ts';
import { stateChange } from './state-change.ts';
import { findSyntheticResult, syntheticTimestampOf } from './synthetic-lookup.ts';
import type { AmountUnit } from './weibar.ts';

/** The contracts that took part are those that `contract_transaction` lists; none listed means any. */
const takesPart = (contractId: string): string =>
  `(cardinality(c.contract_ids) = 0 or ${contractId} = any (c.contract_ids))`;

const ofTransaction = 'c.consensus_timestamp = $1 and c.entity_id = $2';

const ofResult = (fees: string, rates: string): string =>
  `${resultColumns('r')}, ${joinedColumns(fees, rates)}, ${detailColumns}`;

const resultText = resultDetails.statement(
  `select ${ofResult('$3', '$4')}
  from contract_transaction c
  join contract_result r on r.consensus_timestamp = c.consensus_timestamp and ${takesPart('r.contract_id')}
  ${contractJoin} ${blockJoin('true')} ${ethereumJoin}
  where ${ofTransaction}`,
  'p.consensus_timestamp',
);

/** Of an Ethereum transaction that the network refused before any contract took part, so that none is listed. */
const refusedText = resultDetails.statement(
  `select ${ofResult('$2', '$3')} from contract_result r
  ${contractJoin} ${blockJoin('true')} ${ethereumJoin}
  where r.consensus_timestamp = $1 and r.contract_id = 0`,
  'p.consensus_timestamp',
);

const logsText = contractResultLog.statement(
  `select l.*, e.evm_address
  from contract_transaction c
  join contract_log l on l.consensus_timestamp = c.consensus_timestamp and ${takesPart('l.contract_id')}
  left join lateral (select evm_address from entity where id = l.contract_id limit 1) e on true
  where ${ofTransaction}`,
  'p.index',
);

// Migrated values are shown to who asks for the contract only: they are its state, not what the transaction changed.
const stateChangesText = stateChange.statement(
  `select s.contract_id, e.evm_address, s.slot, s.value_read, s.value_written
  from contract_transaction c
  join contract_state_change s on s.consensus_timestamp = c.consensus_timestamp
    and (s.contract_id = $3 or (not s.migration and ${takesPart('s.contract_id')}))
  left join lateral (select evm_address from entity where id = s.contract_id limit 1) e on true
  where ${ofTransaction}`,
  'p.contract_id, p.slot',
);

/** What a file holds now: its last creation or update, and what was appended since. */
const fileText = `select string_agg(file_data, ''::bytea order by consensus_timestamp) as content from file_data
  where entity_id = $1 and transaction_type in (16, 17, 19) and consensus_timestamp >= (
    select consensus_timestamp from file_data where entity_id = $1 and transaction_type in (17, 19)
    order by consensus_timestamp desc limit 1)`;

const LAST_SYSTEM_FILE = 1000n;

const readCallDataFile = async (row: DetailsRow, { db }: RouteContext): Promise<Buffer | null> => {
  const id = row.callDataFile;
  if (id === '' || decodeEntityId(BigInt(id)).num <= LAST_SYSTEM_FILE) return null;
  if (!isBlank(row.callData) || !isBlank(row.functionParameters)) return null;
  const rows = await db.query<{ content: Buffer | null }>(fileText, [id], 'call-data-file');
  return rows[0]?.content ?? null;
};

/** Digits of a consensus timestamp, and of an entity under which `contract_transaction` knows the transaction. */
interface Place {
  readonly consensusTimestamp: string;
  readonly entityId: string;
}

interface Found extends Pick<DetailsFormat, 'logs' | 'stateChanges'> {
  readonly row: DetailsRow;
}

/**
 * The result first, so that what is read after it can't come from before its block.
 * @param contract digits of the contract that was asked for; null when the transaction was
 */
const readResult = async (place: Place, contract: string | null, context: RouteContext): Promise<Found | undefined> => {
  const { db } = context;
  const values = [place.consensusTimestamp, place.entityId];
  const [row] = await resultDetails.read(db, resultText, [...values, ...gasPriceFiles(context)]);
  if (row === undefined) return undefined;
  const [logs, stateChanges] = await Promise.all([
    contractResultLog.read(db, logsText, values),
    stateChange.read(db, stateChangesText, [...values, contract]),
  ]);
  return { row, logs, stateChanges };
};

const readRefused = async (timestamp: string, context: RouteContext): Promise<Found | undefined> => {
  const [row] = await resultDetails.read(context.db, refusedText, [timestamp, ...gasPriceFiles(context)]);
  return row === undefined ? undefined : { row, logs: [], stateChanges: [] };
};

const PARTIAL_CONTENT = 206;

/** @param find gives the result, in one state of the ledger with what else is read there */
const detailsAnswer = async (
  find: (context: RouteContext) => Promise<Found | undefined>,
  unit: AmountUnit,
  context: RouteContext,
): Promise<RestAnswer> => {
  const { row, ...found } = await inSnapshot(context, async (snapshot) => {
    const result = await find(snapshot);
    if (result === undefined) throw notFound();
    return { ...result, file: await readCallDataFile(result.row, snapshot) };
  });
  const format = {
    ...found,
    unit,
    chainId: context.settings.chainId,
    showsAuthorizationList: context.settings.response.enableDelegationAddress,
    gasPrice: await readGasPrices([row], context),
  };
  const answer = oneAnswer(row, (out) => resultDetails.put(out, row, format));
  return row.callResult === '' ? { ...answer, status: PARTIAL_CONTENT } : answer;
};

/** A result made from synthetic logs, where the transaction has none of its own. */
const readSynthetic = async (
  consensusTimestamp: string,
  contract: string | null,
  context: RouteContext,
): Promise<Found | undefined> => {
  const found = await findSyntheticResult(consensusTimestamp, contract, context);
  return found === undefined ? undefined : { ...found, stateChanges: [] };
};

const answer = {
  description: 'The result.',
  partial: 'The result; the network left out what the call returned.',
  schema: resultDetails.schema,
  schemas: { ...resultDetails.schemas, ...contractResultLog.schemas, ...stateChange.schemas },
};

export const contractResultByTimestamp = endpoint({
  path: '/api/v1/contracts/{contractIdOrAddress}/results/{timestamp}',
  flavour: 'js',
  cacheSeconds: 600,
  operationId: 'getContractResultByIdAndTimestamp',
  summary: 'Get the result of a contract at a time',
  tag: 'contracts',
  refusals: 'in order',
  pathParameters: {
    ...contractPath,
    timestamp: {
      description: 'Consensus timestamp of the transaction: seconds with up to nine fraction digits.',
      schema: { type: 'string', pattern: '^\\d{1,10}(\\.\\d{1,9})?$' },
      example: '1234567890.000000700',
    },
  },
  parameters: { hbar },
  answer,
  problems: [400, 404],

  resolve: ({ request, path: { timestamp }, grouped }) => {
    const unit = unitOf(grouped);
    const contract = readContractText(request);
    const faulty = [
      ...(contract === undefined ? ['contractid'] : []),
      ...(isTimestampText(timestamp) ? [] : ['timestamp']),
    ];
    if (contract === undefined || faulty.length > 0) throw invalidParameters(...faulty);
    return { contract, nanos: parseTimestamp(timestamp), unit };
  },

  handle: ({ subject: { contract, nanos, unit } }, current) => {
    const find = async (context: RouteContext): Promise<Found | undefined> => {
      const id = await findContractId(contract, context);
      if (id === undefined || nanos === undefined || nanos > MAX_NANOS) return undefined;
      const [entityId, consensusTimestamp] = [id.toString(), nanos.toString()];
      return (
        (await readResult({ consensusTimestamp, entityId }, entityId, context)) ??
        (await readSynthetic(consensusTimestamp, entityId, context))
      );
    };
    return detailsAnswer(find, unit, current);
  },
});

const readByTransaction = async (text: string, nonce: string, context: RouteContext): Promise<Found | undefined> => {
  const reference = await lookUpResultReference(text, nonce, context);
  if (reference !== undefined) {
    const { consensusTimestamp } = reference;
    return (
      (await readResult(reference, null, context)) ??
      (await readRefused(consensusTimestamp, context)) ??
      (await readSynthetic(consensusTimestamp, null, context))
    );
  }
  const hash = resultHashOf(text);
  const timestamp = hash === undefined ? undefined : await syntheticTimestampOf(hash, context.db);
  return timestamp === undefined ? undefined : readSynthetic(timestamp, null, context);
};

const usualNonce = nonce('Which transaction with the id; 0 is the submitted one. A hash needs none.');
const submittedNonce = { ...usualNonce, doc: { ...usualNonce.doc, schema: { ...usualNonce.doc.schema, default: 0 } } };

export const resultByTransaction = endpoint({
  path: '/api/v1/contracts/results/{transactionIdOrHash}',
  flavour: 'js',
  cacheSeconds: 600,
  operationId: 'getContractResultByTransactionIdOrHash',
  summary: 'Get the result of a transaction',
  tag: 'contracts',
  refusals: 'in order',
  pathParameters: {
    transactionIdOrHash: {
      description:
        'shard.realm.num-seconds-nanoseconds; or the hash of an Ethereum transaction, or the first 32 bytes of a ' +
        "transaction's hash, in hex with optional 0x.",
      schema: { type: 'string', pattern: '^(\\d+\\.\\d+\\.\\d+-\\d{1,19}-\\d{1,9}|(0x)?[0-9A-Fa-f]{64})$' },
      example: '0.0.10-1234567890-000000000',
    },
  },
  parameters: { hbar, nonce: submittedNonce },
  answer,
  problems: [400, 404],

  handle: async ({ path, query, grouped }, context) =>
    detailsAnswer(
      (snapshot) => readByTransaction(path.transactionIdOrHash, query.nonce ?? '0', snapshot),
      unitOf(grouped),
      context,
    ),
});
