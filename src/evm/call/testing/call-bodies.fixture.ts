/** Bodies of contract calls as clients send them. */
import { HttpProblem } from '../../../api/problem.ts';
import { type CallRequest, parseCallBody } from '../call-body.ts';

export const ALICE = '00000000000000000000000000000000000003e9';
export const CONTRACT = '67d8d32e9bf1a9968a5ff53b87d777aa8ebbee69';

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

export const bodyOf = (members: object): Uint8Array => bytesOf(JSON.stringify(members));

export const parsed = (members: object, skipInitCodeCheck = false): CallRequest =>
  parseCallBody(bodyOf(members), { skipInitCodeCheck });

/** The details of the 400 that a parse ends with. */
export const refusalOf = (parse: () => unknown): readonly (string | undefined)[] => {
  try {
    parse();
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 400) return error.messages.map(({ detail }) => detail);
    throw error;
  }
  throw new Error('nothing was refused');
};
