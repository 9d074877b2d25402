/** Ids of transactions, from the cells of payer and valid start. */
import { type CellPut, cellText, isPlainEntityId } from '../../api/resource/cells.ts';
import { literalBytes } from '../../api/resource/json-bytes.ts';
import { formatEntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';

const start = literalBytes('"0.0.');
const dash = 0x2d;
const quote = 0x22;
const nanosDigits = 9;

/** `"shard.realm.num-seconds-nanoseconds"` */
export const putTransactionId: CellPut = (out, bytes, payer, payerEnd, validStart, validStartEnd) => {
  const secondsEnd = validStartEnd - nanosDigits;
  if (secondsEnd > validStart && bytes[validStart] !== dash && isPlainEntityId(bytes, payer, payerEnd)) {
    out.literal(start);
    out.copy(bytes, payer, payerEnd);
    out.byte(dash);
    out.copy(bytes, validStart, secondsEnd);
    out.byte(dash);
    out.copy(bytes, secondsEnd, validStartEnd);
    out.byte(quote);
    return;
  }
  const time = formatTimestamp(cellText(bytes, validStart, validStartEnd)).replace('.', '-');
  out.text(`"${formatEntityId(cellText(bytes, payer, payerEnd))}-${time}"`);
};
