/** `COPY ... TO STDOUT` as a query of the driver: rows in binary form, handed on as they come. */
import pg from 'pg';
import { BinaryValues } from './binary-values.ts';
import { databaseError } from './database-error.ts';

/** What the form begins with, before the length of a header that may be longer one day. */
const SIGNATURE_BYTES = 15;
const LENGTH_BYTES = 4;
const COUNT_BYTES = 2;
/** In place of a row's count of columns. */
const NO_MORE_ROWS = -1;

type CopyData = (message: { readonly chunk: Buffer }) => void;

/**
 * Runs a statement that gives rows, and hands on the values of each in their order; its memory is valid only meanwhile.
 * Parameters have to be part of the text.
 * @throws KagamiError what the server or the connection fails with; whatever `onRow` throws, when the statement is over
 */
export const copyOut = async (
  driver: pg.ClientBase,
  text: string,
  onRow: (values: BinaryValues) => void,
): Promise<void> => {
  let fault: { readonly error: unknown } | undefined;
  let isFirst = true;
  // The server sends one message for each row, and what stands before the first one with it.
  const take: CopyData = ({ chunk }) => {
    let start = 0;
    if (isFirst) {
      isFirst = false;
      start = SIGNATURE_BYTES + LENGTH_BYTES + chunk.readInt32BE(SIGNATURE_BYTES);
    }
    if (fault !== undefined || chunk.length < start + COUNT_BYTES || chunk.readInt16BE(start) === NO_MORE_ROWS) return;
    try {
      onRow(new BinaryValues(chunk.subarray(start + COUNT_BYTES)));
    } catch (error) {
      fault = { error };
    }
  };
  await new Promise<void>((resolve, reject) => {
    const query = Object.assign(new pg.Query(`copy (${text}) to stdout (format binary)`), {
      handleCopyData: take,
      callback: (error: unknown) => (error ? reject(databaseError(error)) : resolve()),
    });
    driver.query(query);
  });
  if (fault !== undefined) throw fault.error;
};
