/** Faults of a request's members, gathered so that a client hears of all of them at once. */
import { HttpProblem, type ProblemMessage } from '../../api/problem.ts';

/** How many hex digits there may be, without the prefix. */
export interface DigitBounds {
  readonly least?: number;
  readonly most: number;
}

const HEX = /^(?:0[xX])?([0-9a-fA-F]*)$/;
const ADDRESS = /^(?:0x)?([0-9a-fA-F]{40})$/;

export class Violations {
  readonly #messages: ProblemMessage[] = [];

  /** `field`: the member's name in camel case. */
  add(field: string, text: string): void {
    this.#messages.push({ message: 'Bad Request', detail: `${field} field ${text}` });
  }

  /** The digits of a hex text, lower case, without prefix; what is not one is noted. */
  hex(field: string, text: string, { least = 0, most }: DigitBounds): string {
    const digits = HEX.exec(text)?.[1];
    if (digits !== undefined && digits.length >= least && digits.length <= most) return digits.toLowerCase();
    this.add(field, 'invalid hexadecimal string');
    return '';
  }

  /** The digits of an address, which unlike other hex has no capital in its prefix. */
  address(field: string, text: string): string {
    const digits = ADDRESS.exec(text)?.[1];
    if (digits !== undefined) return digits.toLowerCase();
    this.add(field, 'invalid hexadecimal string');
    return '';
  }

  /** @throws HttpProblem 400 when something was noted. */
  throwIfAny(): void {
    if (this.#messages.length > 0) throw new HttpProblem(400, this.#messages);
  }
}
