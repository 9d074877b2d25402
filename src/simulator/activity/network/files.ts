import { KeyList } from '../../../protobuf/generated/services/basic_types.ts';
import { protobufKey } from '../../keys/account-key.ts';
import { fees } from '../../network/fee-schedule.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import { fileId, timestampOf } from '../../records/proto-ids.ts';
import type { Account, SimulatedFile } from '../../state/ledger-entities.ts';
import { remember, removeAt } from '../../state/ledger-state.ts';
import { type Activity, chooseUser } from '../choose.ts';

const HBAR = 100_000_000n;
const NANOS_PER_YEAR = 31_536_000_000_000_000n;
const MAX_FILES = 1_000;
const MAX_FILE_BYTES = 65_536;

const randomText = ({ random }: BlockBuilder, low: number, high: number): Uint8Array =>
  Buffer.from(Buffer.from(random.bytes(random.between(low, high))).toString('base64'));

export const createFile: Activity = (builder) => {
  const { state } = builder;
  const owner = chooseUser(builder, 2n * HBAR);
  if (owner?.key === undefined || state.files.length >= MAX_FILES) return false;
  state.files.push(createFileFor(builder, owner, randomText(builder, 100, 1_500)));
  return true;
};

/** Submits a FileCreate; the owner must have a key. */
export const createFileFor = (
  builder: BlockBuilder,
  owner: Account,
  contents: Uint8Array,
  keepContent = false,
): SimulatedFile => {
  const num = builder.takeNum();
  const memo = `file ${num}`;
  const keys = { keys: owner.key === undefined ? [] : [protobufKey(owner.key)] };
  builder.submit({
    payer: owner,
    fee: fees.file,
    data: {
      $case: 'fileCreate',
      fileCreate: { contents, expirationTime: timestampOf(builder.consensusTime + NANOS_PER_YEAR), keys, memo },
    },
    receipt: { fileID: fileId(num) },
  });
  owner.pinned = true;
  return {
    num,
    owner,
    keyBytes: KeyList.encode(KeyList.fromPartial(keys)).finish(),
    memo,
    size: contents.length,
    systemDeleted: false,
    ...(keepContent && { content: contents }),
  };
};

const chooseFile = (builder: BlockBuilder): SimulatedFile | undefined => {
  const file = builder.random.pick(builder.state.files);
  return file !== undefined && file.owner.balance >= HBAR ? file : undefined;
};

export const appendFile: Activity = (builder) => {
  const file = chooseFile(builder);
  if (file === undefined || file.size > MAX_FILE_BYTES) return false;
  const contents = randomText(builder, 50, 1_000);
  builder.submit({
    payer: file.owner,
    fee: fees.file,
    data: { $case: 'fileAppend', fileAppend: { fileID: fileId(file.num), contents } },
  });
  file.size += contents.length;
  return true;
};

export const updateFile: Activity = (builder) => {
  const file = chooseFile(builder);
  if (file === undefined) return false;
  const memo = `file ${file.num}, updated`;
  const contents = builder.random.chance(0.7) ? randomText(builder, 50, 800) : new Uint8Array();
  builder.submit({
    payer: file.owner,
    fee: fees.file,
    data: {
      $case: 'fileUpdate',
      fileUpdate: { fileID: fileId(file.num), contents, memo },
    },
  });
  file.memo = memo;
  if (contents.length > 0) file.size = contents.length;
  return true;
};

export const deleteFile: Activity = (builder) => {
  const { random, state } = builder;
  if (state.files.length === 0) return false;
  const index = random.below(state.files.length);
  const file = state.files[index] as SimulatedFile;
  if (file.owner.balance < HBAR) return false;
  builder.submit({
    payer: file.owner,
    fee: fees.file,
    data: { $case: 'fileDelete', fileDelete: { fileID: fileId(file.num) } },
  });
  removeAt(state.files, index);
  remember(state.deletedFiles, file);
  return true;
};
