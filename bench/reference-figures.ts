/**
 * What the reference mirror node did on a ledger of a million transactions: 32 connections, answer cache off, a quiet
 * machine of two cores whose yardstick (yardstick.ts) is given with it.
 */

/** Pool of ten: statements per second, microseconds of Node's CPU for each. */
export const referenceYardstick = { rate: 13_571, client: 64 } as const;

export interface ReferenceFigure {
  /** Requests per second. */
  readonly rate: number;
  /** Microseconds of CPU per request of Node and PostgreSQL; absent where it was not measured. */
  readonly cpu?: { readonly node: number; readonly postgres: number };
}

/** By the names of rest-endpoints.ts. */
export const referenceFigures: Readonly<Record<string, ReferenceFigure>> = {
  '/transactions?limit=25': { rate: 381, cpu: { node: 1_685, postgres: 1_485 } },
  '/transactions?limit=100': { rate: 144 },
  '/transactions?account.id=': { rate: 389, cpu: { node: 1_100, postgres: 1_525 } },
  '/accounts?limit=25': { rate: 443 },
  '/accounts/{id}': { rate: 424, cpu: { node: 1_355, postgres: 2_280 } },
  '/blocks?limit=25': { rate: 762 },
  '/blocks/{number}': { rate: 1_660, cpu: { node: 400, postgres: 210 } },
};
