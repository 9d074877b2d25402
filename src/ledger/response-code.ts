import { ResponseCodeEnum } from '../protobuf/generated/services/response_code.ts';

const names = new Map<number, string>();
const numbers = new Map<string, number>();
for (const [name, value] of Object.entries(ResponseCodeEnum)) {
  if (typeof value !== 'number' || value < 0) continue;
  names.set(value, name);
  numbers.set(name, value);
}

/** Name of a transaction result (`SUCCESS` for 22), `UNKNOWN` for a number that HAPI does not define. */
export const responseCodeName = (code: number): string => names.get(code) ?? 'UNKNOWN';

export const responseCodeNumber = (name: string): number | undefined => numbers.get(name);

const successful: ReadonlySet<number> = new Set([
  ResponseCodeEnum.SUCCESS,
  ResponseCodeEnum.SUCCESS_BUT_MISSING_EXPECTED_OPERATION,
  ResponseCodeEnum.FEE_SCHEDULE_FILE_PART_UPLOADED,
]);

/** Whether a transaction with this result took effect. */
export const isSuccessful = (code: number): boolean => successful.has(code);
