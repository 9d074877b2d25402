/**
 * Loaded before anything else (`node --import`): the clock of this process and its threads stands still at
 * COMPARED_CLOCK (milliseconds since the epoch), so that answers which depend on the time are the same in every run.
 * Time-outs and measurements, which use timers and `performance.now()`, go on.
 */
const frozen = Number(process.env.COMPARED_CLOCK);
if (Number.isSafeInteger(frozen)) Date.now = () => frozen;

export {};
