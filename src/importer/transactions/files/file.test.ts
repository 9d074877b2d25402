import { describe, expect, it } from 'vitest';
import { ResponseCodeEnum } from '../../../protobuf/generated/services/response_code.ts';
import {
  bytes,
  ED25519,
  handle,
  handleFailed,
  type ItemFields,
  itemOf,
  SINCE_T,
  T,
} from '../testing/handled.fixture.ts';

const file = (fileNum: bigint) => ({ fileNum });
const FILE = { id: 1500n, type: 'FILE', timestamp_range: SINCE_T };
const contentsRow = (entityId: bigint, type: number, contents: string) => ({
  table: 'file_data',
  row: { consensus_timestamp: T, entity_id: entityId, file_data: bytes(contents), transaction_type: type },
});

describe('file create', () => {
  const create: ItemFields = {
    data: {
      $case: 'fileCreate',
      fileCreate: {
        contents: bytes('c0de'),
        expirationTime: { seconds: 2_000_000_000n, nanos: 7 },
        keys: { keys: [ED25519.key] },
        memo: 'm',
      },
    },
    receipt: { fileID: file(1500n) },
  };

  it('creates the entity and keeps the contents', () => {
    const handled = handle(itemOf(create));
    expect(handled.entityId).toBe(1500n);
    expect(handled.all).toEqual([
      {
        table: 'entity',
        row: {
          ...FILE,
          created_timestamp: T,
          deleted: false,
          expiration_timestamp: 2_000_000_000_000_000_007n,
          key: bytes(`0a22${Buffer.from(ED25519.bytes).toString('hex')}`),
          memo: 'm',
          public_key: '',
        },
      },
      contentsRow(1500n, 17, 'c0de'),
    ]);
    expect(handleFailed(create).all).toEqual([]);
  });
});

describe('file append', () => {
  const append = (num: bigint): ItemFields => ({
    data: { $case: 'fileAppend', fileAppend: { fileID: file(num), contents: bytes('01') } },
  });

  it('adds a piece of contents and no version of the entity', () => {
    expect(handle(itemOf(append(1500n))).all).toEqual([contentsRow(1500n, 16, '01')]);
  });

  it('keeps user files, system files and address books by their own rules', () => {
    const kept = (num: bigint, persist: object) => handle(itemOf(append(num)), { persist }).all.length === 1;
    expect(kept(1000n, { files: false, systemFiles: true })).toBe(false);
    expect(kept(999n, { files: false, systemFiles: true })).toBe(true);
    expect(kept(112n, { files: false, systemFiles: false })).toBe(false);
    expect(kept(112n, { files: true, systemFiles: false })).toBe(true);
    expect(kept(101n, { files: false, systemFiles: false })).toBe(true);
    expect(kept(102n, { files: false, systemFiles: false })).toBe(true);
  });

  it('takes an uploaded part of the fee schedule for a success', () => {
    const item = itemOf({ ...append(111n), status: ResponseCodeEnum.FEE_SCHEDULE_FILE_PART_UPLOADED });
    expect(handle(item).all).toEqual([contentsRow(111n, 16, '01')]);
  });
});

describe('file update', () => {
  const update = (body: object): ItemFields => ({
    data: { $case: 'fileUpdate', fileUpdate: { fileID: file(1500n), ...body } },
  });

  it('changes what is given and always adds a row of contents, even an empty one', () => {
    expect(handle(itemOf(update({}))).all).toEqual([
      { table: 'entity', row: { ...FILE, deleted: false } },
      contentsRow(1500n, 19, ''),
    ]);
    expect(handle(itemOf(update({ memo: '', expirationTime: { seconds: 1n }, keys: {} }))).rows('entity')).toEqual([
      { ...FILE, deleted: false, expiration_timestamp: 1_000_000_000n, key: bytes(''), memo: '', public_key: '' },
    ]);
    expect(handleFailed(update({ memo: 'x' })).all).toEqual([]);
  });
});

describe('file and system delete', () => {
  it('end the file', () => {
    const data = { $case: 'fileDelete' as const, fileDelete: { fileID: file(1500n) } };
    expect(handle(itemOf({ data })).all).toEqual([{ table: 'entity', row: { ...FILE, deleted: true } }]);
    expect(handleFailed({ data }).all).toEqual([]);
  });

  it('end and bring back files and contracts', () => {
    const id = { $case: 'fileID' as const, fileID: file(1500n) };
    const systemDelete = { data: { $case: 'systemDelete' as const, systemDelete: { id } } };
    const systemUndelete = { data: { $case: 'systemUndelete' as const, systemUndelete: { id } } };
    expect(handle(itemOf(systemDelete)).rows('entity')).toEqual([{ ...FILE, deleted: true }]);
    expect(handle(itemOf(systemUndelete)).rows('entity')).toEqual([{ ...FILE, deleted: false }]);

    const address = bytes('cc'.repeat(20));
    const contractID = { contract: { $case: 'evmAddress' as const, evmAddress: address } };
    const contractDelete = {
      data: { $case: 'systemDelete' as const, systemDelete: { id: { $case: 'contractID' as const, contractID } } },
    };
    const handled = handle(itemOf(contractDelete), { known: { ['cc'.repeat(20)]: 1600n } });
    expect(handled.entityId).toBe(1600n);
    expect(handled.rows('entity')).toEqual([{ id: 1600n, type: 'CONTRACT', timestamp_range: SINCE_T, deleted: true }]);
    expect(handleFailed(systemDelete).all).toEqual([]);
  });

  it('have no entity without an id', () => {
    const handled = handle(itemOf({ data: { $case: 'systemDelete', systemDelete: {} } }));
    expect(handled.entityId).toBe(0n);
    expect(handled.all).toEqual([]);
  });
});
