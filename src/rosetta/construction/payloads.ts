/** `/construction/payloads`: a transaction that waits for signatures. */
import { randomInt } from 'node:crypto';
import { toHex } from '../../ledger/bytes.ts';
import { MAX_INT64 } from '../../ledger/int64.ts';
import { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import type { Endpoint } from '../endpoint.ts';
import { type JsonObject, optionalObject } from '../request.ts';
import { type RosettaErrorName, rosettaError } from '../rosetta-error.ts';
import { accountIdOf, type ConstructionNetwork, parseAccount, parseAccountNumber } from './accounts.ts';
import { requestedOperations } from './requested-operations.ts';
import { formatTransaction } from './transaction-bytes.ts';
import { constructData, maxFeeOf } from './transaction-data.ts';

export interface PayloadsOptions extends ConstructionNetwork {
  /** Nanoseconds since the epoch. */
  readonly clock: () => bigint;
}

const NANOS_PER_SECOND = 1_000_000_000n;
/** Longest time for which a transaction is valid. */
export const VALID_SECONDS = 180n;
/** How far a valid start of our own lies back, for nodes whose clocks are behind. */
const CLOCK_MARGIN_NANOS = 5n * NANOS_PER_SECOND;
/** Clocks tick in milliseconds; two transactions of one payer must not begin at the same nanosecond. */
const TICK_NANOS = 1_000_000;
const optionalText = (metadata: JsonObject, name: string, fault: RosettaErrorName): string | undefined => {
  const value = metadata[name] ?? undefined;
  if (value !== undefined && typeof value !== 'string') throw rosettaError(fault);
  return value;
};

/** @throws RosettaError 124 */
const optionalNumber = (metadata: JsonObject, name: string): bigint | undefined => {
  const text = optionalText(metadata, name, 'invalidArgument');
  if (text === undefined) return undefined;
  const value = /^\d{1,19}$/.test(text) ? BigInt(text) : -1n;
  if (value < 0n || value > MAX_INT64) throw rosettaError('invalidArgument');
  return value;
};

interface ValidTime {
  /** Nanoseconds. */
  readonly start: bigint;
  readonly seconds: bigint;
}

const validTimeOf = (metadata: JsonObject, clock: () => bigint): ValidTime => {
  const until = optionalNumber(metadata, 'valid_until_nanos');
  if (until !== undefined) {
    const start = until - VALID_SECONDS * NANOS_PER_SECOND;
    if (start <= 0n) throw rosettaError('invalidArgument');
    return { start, seconds: VALID_SECONDS };
  }
  const duration = optionalNumber(metadata, 'valid_duration') ?? 0n;
  if (duration > VALID_SECONDS) throw rosettaError('invalidArgument');
  const given = optionalNumber(metadata, 'valid_start_nanos') ?? 0n;
  const start = given === 0n ? clock() - CLOCK_MARGIN_NANOS + BigInt(randomInt(TICK_NANOS)) : given;
  return { start, seconds: duration === 0n ? VALID_SECONDS : duration };
};

/** The payer's number; `account_map` tells it for an alias. @throws RosettaError 100, 102 */
const payerOf = (payer: string, metadata: JsonObject) => {
  const address = parseAccount(payer);
  if (address.kind === 'id') return address;
  const map = optionalText(metadata, 'account_map', 'invalidArgument') ?? '';
  const entry = map.split(',').find((pair) => pair.split(':')[0] === payer);
  if (entry === undefined) throw rosettaError('accountNotFound');
  return parseAccountNumber(entry.slice(payer.length + 1));
};

export const payloadsEndpoint = ({ clock, ...network }: PayloadsOptions): Endpoint => ({
  paths: ['/construction/payloads'],
  offline: true,
  serve: (request) => {
    const operations = requestedOperations(request);
    const metadata = optionalObject(request, 'metadata') ?? {};
    const { data, signers } = constructData(operations, network);
    const nodeAccount = optionalText(metadata, 'node_account_id', 'invalidArgument');
    if (nodeAccount === undefined) throw rosettaError('nodeAccountIdMissing');
    const { start, seconds } = validTimeOf(metadata, clock);
    const body = TransactionBody.encode({
      ...TransactionBody.fromPartial({
        transactionID: {
          transactionValidStart: { seconds: start / NANOS_PER_SECOND, nanos: Number(start % NANOS_PER_SECOND) },
          accountID: accountIdOf(payerOf(signers[0], metadata), network),
        },
        nodeAccountID: accountIdOf(parseAccountNumber(nodeAccount), network),
        transactionFee: maxFeeOf(operations.type),
        transactionValidDuration: { seconds },
        memo: optionalText(metadata, 'memo', 'invalidTransactionMemo') ?? '',
      }),
      data,
    }).finish();
    return {
      unsigned_transaction: formatTransaction(body, []),
      payloads: signers.map((address) => ({
        account_identifier: { address },
        hex_bytes: toHex(body),
        signature_type: 'ed25519',
      })),
    };
  },
});
