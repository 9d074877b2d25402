/**
 * Expressions over a transaction, in the Common Expression Language: no loops without end, no access to anything but what
 * they are given. Owns how our decoded messages look to an expression.
 */
import { Environment } from '@marcbachmann/cel-js';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { RecordItem } from '../record-item.ts';

/** Whether a transaction fulfils an expression; one that cannot be answered for it is not fulfilled. */
export type ItemExpression = (item: RecordItem) => boolean;

const environment = new Environment()
  .registerVariable('transactionBody', 'dyn')
  .registerVariable('transactionRecord', 'dyn');

const YES_OR_NO: ReadonlySet<string | undefined> = new Set(['bool', 'dyn']);

/**
 * @param setting path of the setting that holds the expression
 * @throws KagamiError CONFIG_INVALID for one that is no CEL, or whose result can be neither true nor false
 */
export const compileExpression = (text: string, setting: string): ItemExpression => {
  const refuse = (reason: string): KagamiError =>
    new KagamiError('CONFIG_INVALID', `${setting} is no usable expression: ${reason}`, { details: { setting } });
  let evaluate: ReturnType<Environment['parse']>;
  try {
    evaluate = environment.parse(text);
  } catch (fault) {
    throw refuse(fault instanceof Error ? fault.message : String(fault));
  }
  const { valid, type, error } = evaluate.check();
  if (!valid) throw refuse(error?.message ?? 'it has no type');
  if (!YES_OR_NO.has(type)) throw refuse(`it gives ${type}, not true or false`);
  return ({ body, record }) => {
    try {
      return evaluate({ transactionBody: messageView(body), transactionRecord: messageView(record) }) === true;
    } catch {
      return false;
    }
  };
};

const isMessage = (value: unknown): value is { readonly $case?: unknown } =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array) && !Array.isArray(value);

/**
 * A message as expressions see it: members of a oneof are members of the message, unset ones are absent (`has()` tells),
 * integers are `int` whatever their width, and lists have their name with `List` behind it as well.
 */
const messageView = (message: object): Record<string, unknown> => {
  const view: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(message)) {
    if (value === undefined || name === UNKNOWN_FIELDS) continue;
    if (isMessage(value) && typeof value.$case === 'string') {
      view[value.$case] = fieldView((value as Readonly<Record<string, unknown>>)[value.$case]);
      continue;
    }
    view[name] = fieldView(value);
    if (Array.isArray(value)) view[`${name}List`] = view[name];
  }
  return view;
};

/** Where the codec keeps what it has no names for. */
const UNKNOWN_FIELDS = '_unknownFields';

const fieldView = (value: unknown): unknown => {
  if (typeof value === 'number') return BigInt(value);
  if (Array.isArray(value)) return value.map(fieldView);
  // The language knows no subclasses of byte arrays.
  if (value instanceof Uint8Array) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return isMessage(value) ? messageView(value) : value;
};
