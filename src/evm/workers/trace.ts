/**
 * One trace: a recorded transaction, executed again on the state just before it. It is executed twice: the
 * first time for what stands before the instructions in the answer, the second time for the instructions.
 */
import type { Database } from '../../database/connection.ts';
import { formatEntityId } from '../../ledger/entity-id.ts';
import type { Execute, RunOutcome, TraceStep } from '../engine/run.ts';
import type { AddressHex } from '../state/records.ts';
import { longZeroHex, World } from '../state/world.ts';
import { type RecordedTransaction, recordedTransaction } from '../traces/recorded-transaction.ts';
import { stepJson, type TraceSummary, traceHead, traceTail } from '../traces/trace-json.ts';
import { referencedTimestamp, type TraceReference } from '../traces/trace-reference.ts';
import { runAndForget } from './forgotten-run.ts';
import { NotWantedError, PieceMaker } from './piece-stream.ts';
import { type EnvironmentOptions, runEnvironment } from './run-environment.ts';
import { chargedGas } from './simulate.ts';
import type { TraceAnswer, TraceTask } from './trace-task.ts';

export interface TraceOptions extends EnvironmentOptions {
  readonly execute: Execute;
  readonly db: Database;
}

/** @throws KagamiError SIMULATION_TIMEOUT past the deadline, and what the database throws */
export type Trace = (task: TraceTask, deadlineMs: number) => Promise<TraceAnswer>;

const ZERO_ADDRESS = '0'.repeat(40);

const notFound = (message: string): TraceAnswer => ({ kind: 'not-found', message });

const nothingThere = (reference: TraceReference): TraceAnswer =>
  reference.kind === 'hash'
    ? notFound(`Contract transaction hash not found: 0x${Buffer.from(reference.hash).toString('hex')}`)
    : notFound(`Transaction not found: ${formatEntityId(reference.payerId)}-${reference.validStart}`);

/** Whoever ran the EVM was charged for it. */
const ranNothing = ({ succeeded, gasUsed }: RecordedTransaction): boolean => !succeeded && gasUsed === 0n;

/** A run numbers what it creates anew: a contract is shown by the number that it was given. */
const shownAddress = (
  { transaction, contractId }: RecordedTransaction,
  { address }: RunOutcome,
): AddressHex | undefined => {
  const isCreated = transaction.to === undefined && address !== undefined && contractId !== 0n;
  return isCreated ? (transaction.newAddress ?? longZeroHex(contractId)) : address;
};

export const createTrace = ({ execute, db, ...options }: TraceOptions): Trace => {
  const { source, settings } = options;

  const make = async (task: TraceTask, pieces: PieceMaker, deadlineMs: number): Promise<TraceAnswer> => {
    const { reference, stack, memory, storage } = task;
    const timestamp = await referencedTimestamp(db, reference);
    if (timestamp === undefined) return nothingThere(reference);
    const recorded = await recordedTransaction(db, timestamp);
    if (recorded === undefined) return notFound(`Contract result not found: ${timestamp}`);
    const block = (await source.blockOf(timestamp)) ?? (await source.block({ kind: 'latest' }));
    if (block === undefined) return notFound(`Contract result not found: ${timestamp}`);
    const { transaction, contractId } = recorded;
    // The network refused it before the EVM began, though it may well run today.
    if (ranNothing(recorded)) return { kind: 'not-executed', status: recorded.status };
    // A run would take it for a creation.
    if (transaction.to === ZERO_ADDRESS) return { kind: 'not-executed', status: 'INVALID_CONTRACT_ID' };
    const world = new World(source.at(timestamp - 1n), settings);
    const environment = await runEnvironment(block, false, world, deadlineMs, options);

    const outcome = await runAndForget(execute, transaction, environment);
    if (!outcome.executed) return { kind: 'not-executed', status: outcome.status };
    // What failed for reasons that a simulation does not know, signatures for one, is not shown as a success.
    const failed = outcome.status !== 'SUCCESS' || !recorded.succeeded;
    const summary: TraceSummary = {
      address: `0x${shownAddress(recorded, outcome) ?? ZERO_ADDRESS}`,
      contractId: contractId === 0n ? undefined : formatEntityId(contractId),
      failed,
      gas: chargedGas(outcome.gasUsed, transaction.gas, settings),
      returnValue: failed ? new Uint8Array() : outcome.output,
    };
    let separator = '';
    const step = async (traced: TraceStep): Promise<void> => {
      const text = separator + stepJson(traced);
      separator = ',';
      await pieces.write(text);
    };
    await pieces.write(traceHead(summary));
    await runAndForget(execute, transaction, { ...environment, tracer: { stack, memory, storage, step } });
    await pieces.write(traceTail(summary));
    await pieces.end();
    return { kind: 'traced' };
  };

  return async (task, deadlineMs) => {
    const pieces = new PieceMaker(task.port, deadlineMs);
    try {
      return await make(task, pieces, deadlineMs);
    } catch (error) {
      if (error instanceof NotWantedError) return { kind: 'traced' };
      throw error;
    } finally {
      pieces.close();
    }
  };
};
