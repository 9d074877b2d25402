/**
 * Inverses modulo an odd number, by division steps (Bernstein and Yang 2019, "Fast constant-time gcd
 * computation and modular inversion"). WebAssembly finds what many steps do from the lowest bits alone; big integers then
 * take them all at once.
 */
import { Assembler, branchIf, type Code, i32, i64, type Local, loop, type Program } from './assembler.ts';
import { bitLength } from './integers.ts';

/** Steps at a time; factors stay within 64 bits with their sign. */
const STEPS = 59;
/** So many steps are enough for 256 bits, beginning with half a step's delta: 590. */
const roundsFor = (bits: number): number => (bits <= 256 ? 10 : Math.ceil((45_907 * bits + 26_313) / 19_929 / STEPS));

const STATE = 0;
const F = 8;
const G = 16;
/** What f and g become: (u f + v g, q f + r g) / 2^STEPS. */
const FACTORS = 24;

/** `steps()`: the state is -(delta + 1/2), which `delta` of the paper's is a half away from. */
const createProgram = (): Program => {
  const assembler = new Assembler();
  assembler.define('steps', 0, (locals) => {
    const [state, f, g, u, v, q, r, isSwap, isOdd] = locals.i64s(9) as [
      Local,
      Local,
      Local,
      Local,
      Local,
      Local,
      Local,
      Local,
      Local,
    ];
    const left = locals.i32();
    const one = i64.const(1n);
    const memory = i32.const(0);
    /** Minus the number where the mask is set. */
    const negatedIf = (condition: Local, value: Local): Code =>
      i64.sub(i64.xor(value.get, condition.get), condition.get);
    const addIf = (to: Local, value: Code, condition: Local): Code =>
      to.set(i64.add(to.get, i64.and(value, condition.get)));
    return [
      state.set(i64.load(memory, STATE)),
      f.set(i64.load(memory, F)),
      g.set(i64.load(memory, G)),
      u.set(one),
      r.set(one),
      left.set(i32.const(STEPS)),
      loop([
        isSwap.set(i64.shrSigned(state.get, i64.const(63n))),
        isOdd.set(i64.sub(i64.const(0n), i64.and(g.get, one))),
        addIf(g, negatedIf(isSwap, f), isOdd),
        addIf(q, negatedIf(isSwap, u), isOdd),
        addIf(r, negatedIf(isSwap, v), isOdd),
        isSwap.set(i64.and(isSwap.get, isOdd.get)),
        state.set(i64.sub(i64.xor(state.get, isSwap.get), one)),
        addIf(f, g.get, isSwap),
        addIf(u, q.get, isSwap),
        addIf(v, r.get, isSwap),
        g.set(i64.shr(g.get, one)),
        u.set(i64.shl(u.get, one)),
        v.set(i64.shl(v.get, one)),
        left.set(i32.sub(left.get, i32.const(1))),
        branchIf(left.get, 0),
      ]),
      i64.store(memory, state.get, STATE),
      [u, v, q, r].map((factor, index) => i64.store(memory, factor.get, FACTORS + 8 * index)),
    ];
  });
  return assembler.instantiate(FACTORS + 32);
};

/** Of a number above 0 and below the modulus, which must have no divisor in common with it. */
export type Inverse = (value: bigint) => bigint;

export const createInverse = (modulus: bigint): Inverse => {
  const { memory, functions } = createProgram();
  const steps = functions.steps as () => void;
  const rounds = roundsFor(bitLength(modulus));
  const shift = BigInt(STEPS);
  // Takes off what dividing by 2^STEPS in each round would have.
  const half = (modulus + 1n) / 2n;
  let correction = 1n;
  for (let i = 0; i < STEPS * rounds; i++) correction = (correction * half) % modulus;
  return (value) => {
    let [f, g, d, e] = [modulus, value, 0n, 1n];
    memory.setBigInt64(STATE, -1n, true);
    for (let i = 0; i < rounds; i++) {
      memory.setBigUint64(F, BigInt.asUintN(64, f), true);
      memory.setBigUint64(G, BigInt.asUintN(64, g), true);
      steps();
      const u = memory.getBigInt64(FACTORS, true);
      const v = memory.getBigInt64(FACTORS + 8, true);
      const q = memory.getBigInt64(FACTORS + 16, true);
      const r = memory.getBigInt64(FACTORS + 24, true);
      [f, g, d, e] = [(u * f + v * g) >> shift, (q * f + r * g) >> shift, u * d + v * e, q * d + r * e];
    }
    // g is 0 now, and f is 1 or -1.
    const inverse = ((f * d) % modulus) * correction;
    const rest = inverse % modulus;
    return rest < 0n ? rest + modulus : rest;
  };
};
