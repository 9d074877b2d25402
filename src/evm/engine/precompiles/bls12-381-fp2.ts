import type { Assembler, Code } from './assembler.ts';
import {
  carriedSum,
  copied,
  fp2Product,
  fp2Square,
  laneProduct,
  laneSquare,
  looseSum as looseSumOf,
  type Multiple,
  reducedSum,
} from './bls12-381-limbs.ts';

/** Operations on pairs of elements, each lane by itself, and on elements of Fp2. */
export const defineFp2 = (assembler: Assembler) => {
  const binary = (name: string, make: (...args: Parameters<typeof fp2Product>) => Code) =>
    assembler.define(name, 3, (locals) => {
      const [result, a, b] = locals.parameters(3) as [Code, Code, Code];
      return make(locals, result, a, b);
    });
  const unary = (name: string, make: (...args: Parameters<typeof fp2Square>) => Code) =>
    assembler.define(name, 2, (locals) => {
      const [result, a] = locals.parameters(2) as [Code, Code];
      return make(locals, result, a);
    });
  type Terms = readonly (readonly [factor: number, of?: 'xi' | 'conjugate'])[];
  const sum = (make: typeof reducedSum, name: string, terms: Terms) =>
    assembler.define(name, terms.length + 1, (locals) => {
      const [result, ...pairs] = locals.parameters(terms.length + 1) as [Code, ...Code[]];
      const multiples = terms.map(([factor, ...of], index): Multiple => [factor, pairs[index] as Code, ...of]);
      return make(locals, result, multiples);
    });
  /**
   * A sum of the pairs at the addresses that follow the result's, for products: whole elements of Fp12, which are
   * multiplied again and again, would grow.
   */
  const linear = (name: string, ...terms: Terms) => sum(carriedSum, name, terms);
  /** The same for further sums, or of more than seven. */
  const reducedLinear = (name: string, ...terms: Terms) => sum(reducedSum, name, terms);
  return {
    multiplyLanes: binary('multiplyLanes', laneProduct),
    squareLanes: unary('squareLanesOnce', laneSquare),
    multiply: binary('multiplyFp2', fp2Product),
    square: unary('squareFp2', fp2Square),
    ...{ linear, reducedLinear },
    copy: unary('copy', (_, ...args) => copied(...args)),
    /** A sum that is not reduced: a factor of one product. */
    looseSum: binary('looseSum', (_, ...args) => looseSumOf(...args)),
    add: linear('addFp2', [1], [1]),
    addTimesXi: linear('addTimesXi', [1], [1, 'xi']),
    minusTwo: linear('minusTwo', [1], [-1], [-1]),
  };
};

export type Fp2 = ReturnType<typeof defineFp2>;
