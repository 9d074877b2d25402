/**
 * POST /api/v1/network/fees: what a transaction would cost ([HIP-1261](https://hips.hedera.com/hip/hip-1261)). Parse
 * the body, count what the schedule prices, read the schedule and, in state mode, what the ledger knows, and add it all
 * up.
 */
import { reasonedProblem } from '../api/problem.ts';
import type { JsonSchema, RestAnswer, RestRequest, Route, RouteContext } from '../api/route.ts';
import { estimateFees } from './estimate.ts';
import { estimateJson } from './estimate-json.ts';
import { estimateParameterDocs, estimateParameters } from './estimate-parameters.ts';
import { feeEstimateSchema, feeEstimateSchemas } from './estimate-schema.ts';
import { readLedgerState } from './ledger-state.ts';
import { currentSchedule } from './schedule/current-schedule.ts';
import { parseTransaction } from './submitted-transaction.ts';

/** Nodes take transactions of up to 130 KiB. */
const maxBodyBytes = 256 * 1024;

const handle = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  if (request.body.length === 0) throw reasonedProblem(400, 'Failed to read request');
  const { mode, utilization } = estimateParameters(request.query);
  const transaction = parseTransaction(request.body);
  const schedule = await currentSchedule(context);
  const state = mode === 'state' ? await readLedgerState(context, transaction.body) : undefined;
  const isMissing = state !== undefined && 'missing' in state;
  const estimate = estimateFees(schedule, transaction, isMissing ? undefined : state, utilization);
  const notes = isMissing ? [`Intrinsic mode was used in place of state mode: ${state.missing}.`] : [];
  return { status: 200, body: estimateJson(estimate, notes) };
};

const transactionBytes: JsonSchema = {
  type: 'string',
  format: 'binary',
  description: 'A serialized proto.Transaction, signed or not.',
};

const feeEstimateRoute: Route = {
  method: 'POST',
  path: '/api/v1/network/fees',
  flavour: 'java',
  cacheSeconds: 60,
  maxBodyBytes,
  handle,
  operation: {
    operationId: 'estimateNetworkFees',
    summary: 'Estimate the fees of a transaction',
    description:
      'What node, network and service would charge for a transaction, in tinycents (10^-8 of a US cent). Signatures are ' +
      'counted, not verified; nothing is submitted.',
    tags: ['network'],
    parameters: estimateParameterDocs,
    requestBody: {
      description: 'The transaction as it would be sent to a node.',
      content: { 'application/protobuf': transactionBytes, 'application/x-protobuf': transactionBytes },
    },
    answer: { description: 'The fees.', schema: feeEstimateSchema },
    problems: [400, 413, 415],
    schemas: feeEstimateSchemas,
  },
};

export const feeRoutes: readonly Route[] = [feeEstimateRoute];
