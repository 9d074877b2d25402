/**
 * Preload of an importer process (and of its threads) whose wall clock jumps: KAGAMI_TEST_CLOCK holds a JSON array of
 * `{ atMs, shiftMs }`.
 */
import type { ClockJump } from './fault-plan.fixture.ts';

const jumps = JSON.parse(process.env.KAGAMI_TEST_CLOCK ?? '[]') as ClockJump[];
const RealDate = Date;
const shift = (): number =>
  jumps.reduce((sum, { atMs, shiftMs }) => (performance.now() >= atMs ? sum + shiftMs : sum), 0);
const now = (): number => RealDate.now() + shift();

globalThis.Date = new Proxy(RealDate, {
  construct: (target, values, newTarget) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
