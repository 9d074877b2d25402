/** The kinds of transactions that HAPI defines, for tests that hold something against all of them. */
import { readFileSync } from 'node:fs';

export interface BodyKind {
  /** Name of the part of TransactionBody, for example `cryptoTransfer`. */
  readonly name: string;
  readonly type: number;
}

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** What consensus nodes say among themselves (state signatures, hinTS and history proofs, hook dispatches, migrations). */
const isInternal = ({ type }: BodyKind): boolean => (type >= 65 && type <= 72) || type === 76 || type === 81;

/** The parts that HAPI defines for a transaction body, without those that only consensus nodes submit. */
export const bodyKinds = (): BodyKind[] => {
  const proto = readFileSync(new URL('../proto/services/transaction.proto', import.meta.url), 'utf8');
  const body = proto.slice(proto.indexOf('message TransactionBody'));
  const parts = body.slice(body.indexOf('oneof data {'), body.indexOf('}', body.indexOf('oneof data {')));
  return [...parts.matchAll(/^\s*[\w.]+ (\w+) = (\d+)/gm)]
    .map(([, name = '', type]) => ({ name: camelCase(name), type: Number(type) }))
    .filter((kind) => !isInternal(kind));
};
