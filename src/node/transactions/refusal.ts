import { responseCodeName } from '../../ledger/response-code.ts';

/** A transaction that does nothing, with the network's code for why. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number) {
    super(responseCodeName(code));
    this.name = 'Refusal';
    this.code = code;
  }
}

/** @throws Refusal with this code unless the condition holds */
export function demand(condition: unknown, code: number): asserts condition {
  if (condition !== true) throw new Refusal(code);
}
