import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { demand } from '../transactions/refusal.ts';
import { queryKind, USUAL_PRICE } from './query-kind.ts';

const INCLUDED_BYTES = 1_000n;
const PRICE_OF_FURTHER_BYTE = 10_000n;

/** What is in a file of the network's own. */
export const fileContents = queryKind({
  name: 'fileGetContents',
  price: USUAL_PRICE,
  find: ({ fileID }, context) => {
    const isLocal = fileID?.shardNum === 0n && fileID.realmNum === 0n;
    const file = isLocal ? context.systemFiles().find(({ num }) => num === fileID.fileNum) : undefined;
    demand(file !== undefined, ResponseCodeEnum.INVALID_FILE_ID);
    const further = BigInt(file.contents.length) - INCLUDED_BYTES;
    return {
      answer: { fileContents: { fileID, contents: file.contents } },
      tinycents: USUAL_PRICE + (further > 0n ? further * PRICE_OF_FURTHER_BYTE : 0n),
    };
  },
});
