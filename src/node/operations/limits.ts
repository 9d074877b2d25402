import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { demand } from '../transactions/refusal.ts';

const MOST_MEMO_BYTES = 100;
const SHORTEST_RENEWAL_SECONDS = 2_592_000n;
const LONGEST_RENEWAL_SECONDS = 8_000_001n;

/** @throws Refusal MEMO_TOO_LONG, INVALID_ZERO_BYTE_IN_STRING */
export const demandMemo = (memo: string): void => {
  demand(Buffer.byteLength(memo) <= MOST_MEMO_BYTES, ResponseCodeEnum.MEMO_TOO_LONG);
  demand(!memo.includes('\0'), ResponseCodeEnum.INVALID_ZERO_BYTE_IN_STRING);
};

/** @throws Refusal AUTORENEW_DURATION_NOT_IN_RANGE */
export const demandRenewal = (seconds: bigint): void =>
  demand(
    seconds >= SHORTEST_RENEWAL_SECONDS && seconds <= LONGEST_RENEWAL_SECONDS,
    ResponseCodeEnum.AUTORENEW_DURATION_NOT_IN_RANGE,
  );
