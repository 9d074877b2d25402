/** Files, and the deletions that only the network's own accounts may order. */
import { HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import { keyCountOf } from '../key-count.ts';
import { unknownTransactionType } from '../problems.ts';
import { extra, type Price, price } from './price.ts';

const isSystemFile = (number: bigint): boolean => number >= 1n && number <= 1000n;

export const filePrices: readonly Price[] = [
  price('fileCreate', HederaFunctionality.FileCreate, ({ keys, contents }) => [
    extra('KEYS', keyCountOf(keys?.keys ?? [])),
    extra('STATE_BYTES', contents.length),
  ]),
  price('fileUpdate', HederaFunctionality.FileUpdate, ({ fileID, keys, contents }, { body, state }) => {
    if (state !== undefined) {
      if (fileID === undefined || body.transactionID?.accountID === undefined) throw unknownTransactionType();
      if (isSystemFile(fileID.fileNum)) return 'free';
    }
    return [
      ...(keys === undefined ? [] : [extra('KEYS', keyCountOf(keys.keys))]),
      extra('STATE_BYTES', contents.length),
    ];
  }),
  price('fileAppend', HederaFunctionality.FileAppend, ({ contents }) => [extra('STATE_BYTES', contents.length)]),
  price('fileDelete', HederaFunctionality.FileDelete),
  price('systemDelete', HederaFunctionality.SystemDelete, () => 'free'),
  price('systemUndelete', HederaFunctionality.SystemUndelete, () => 'free'),
];
