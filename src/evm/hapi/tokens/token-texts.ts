import { MEMO_BYTES, TOKEN_NAME_BYTES, TOKEN_SYMBOL_BYTES } from '../limits.ts';
import { refuse, type Status } from '../operation.ts';

const checkText = (text: string, most: number, tooLong: Status): void => {
  if (Buffer.byteLength(text) > most) refuse(tooLong);
  if (text.includes('\0')) refuse('INVALID_ZERO_BYTE_IN_STRING');
};

/** Refuses texts of more bytes than the network takes, and those with a zero byte. */
export const checkTexts = ({
  name,
  symbol,
  memo,
}: {
  readonly name: string;
  readonly symbol: string;
  readonly memo: string;
}): void => {
  checkText(memo, MEMO_BYTES, 'MEMO_TOO_LONG');
  checkText(symbol, TOKEN_SYMBOL_BYTES, 'TOKEN_SYMBOL_TOO_LONG');
  checkText(name, TOKEN_NAME_BYTES, 'TOKEN_NAME_TOO_LONG');
};
