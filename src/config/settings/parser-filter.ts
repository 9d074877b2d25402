import { list, text } from '../setting.ts';

/** One of `...parser.include` or `...parser.exclude`: it means the transactions that fulfil everything it gives. */
const filter = {
  entity: list(
    text('', 'Entity id (`0.0.1001`).'),
    [],
    'Transactions whose main entity, payer, or anyone or any token in the transfers of their record is one of these; ' +
      'empty: all.',
  ),
  transaction: list(
    text('', 'Name of a transaction type (`CRYPTOTRANSFER`).'),
    [],
    'Transactions of one of these types; empty: all.',
  ),
  expression: text(
    '',
    'Transactions for which this expression over `transactionBody` and `transactionRecord` is true, for example ' +
      '`transactionBody.cryptoTransfer.transfers.accountAmounts.size() > 2` or `transactionRecord.receipt.status == 22`. ' +
      'One that meets a missing field is false. It is written in CEL (the Common Expression Language), not in SpEL as for ' +
      'the reference mirror node: fields have their names in the .proto files in camel case, lists also with `List` ' +
      'behind (`accountAmountsList`); there are no getters (`has(transactionBody.cryptoTransfer)` for ' +
      '`hasCryptoTransfer()`), no classes (`T(...)`) and no selections (`list.exists(x, ...)` for `list.?[...]`); unset ' +
      'messages are missing instead of empty; enumerations are their numbers, bytes are `b"..."`. Empty: all.',
  ),
};

const FOR_PROOF =
  'Later files are proven by what transactions of the types FILEUPDATE, FILEAPPEND and NODESTAKEUPDATE say: keep these.';

/** `...parser.include` and `...parser.exclude`. */
export const parserFilterSettings = {
  include: list(
    filter,
    [],
    `Filters of which a transaction must match at least one to be stored; empty: all are stored. ${FOR_PROOF}`,
  ),
  exclude: list(filter, [], `Filters of which a transaction must match none to be stored. ${FOR_PROOF}`),
};
