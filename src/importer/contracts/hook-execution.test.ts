import { describe, expect, it } from 'vitest';
import type { RecordItem } from '../record-item.ts';
import {
  account,
  alias,
  bytes,
  contract,
  type ItemFields,
  itemOf,
  T,
} from '../transactions/testing/handled.fixture.ts';
import { contractOutput, stateChanges } from './testing/contract-output.fixture.ts';

const NO_BYTES = new Uint8Array(0);
const keyOf = (hex: string): Uint8Array => bytes(hex.padStart(64, '0'));
const hook = (hookId: bigint) => ({ id: { $case: 'hookId' as const, hookId } });

const preTx = (num: bigint, id: bigint) => ({
  accountID: account(num),
  hookCall: { $case: 'preTxAllowanceHook' as const, preTxAllowanceHook: hook(id) },
});
const prePostTx = (num: bigint, id: bigint) => ({
  accountID: account(num),
  hookCall: { $case: 'prePostTxAllowanceHook' as const, prePostTxAllowanceHook: hook(id) },
});

type Transfer = Extract<NonNullable<ItemFields['data']>, { $case?: 'cryptoTransfer' }>['cryptoTransfer'];

const transferOf = (cryptoTransfer: Transfer): RecordItem =>
  itemOf({ data: { $case: 'cryptoTransfer', cryptoTransfer: cryptoTransfer as object } });

/** The call of the hook system contract that the transfer set off as its `position`th child. */
const execution = (
  parent: RecordItem,
  position: bigint,
  ...sidecars: ReturnType<typeof stateChanges>[]
): RecordItem => {
  const timestamp = parent.consensusTimestamp + position;
  return itemOf({
    data: { $case: 'contractCall', contractCall: { contractID: contract(365n) } },
    parent,
    receipt: { contractID: contract(365n) },
    record: {
      body: { $case: 'contractCallResult', contractCallResult: { contractID: contract(365n) } },
      parentConsensusTimestamp: { seconds: T / 1_000_000_000n, nanos: 1 },
    },
    sidecars,
    timestamp,
  });
};

const CHANGE = stateChanges(365n, ['01', '', '02']);

/** Owner and hook of each of `count` executions that the transfer sets off. */
const turnsOf = (transfer: RecordItem, count: number, known: Record<string, bigint> = {}) => {
  const executions = Array.from({ length: count }, (_, index) => execution(transfer, BigInt(index + 1), CHANGE));
  const { batch, problems } = contractOutput([transfer, ...executions], { known });
  const turns = batch.rows('hook_storage_change').map(({ owner_id, hook_id }) => `${owner_id}/${hook_id}`);
  return { turns, problems };
};

describe('storage that the execution of a hook used', () => {
  const transfer = transferOf({ transfers: { accountAmounts: [preTx(1009n, 4n)] } });

  it('is that of the hook', () => {
    const change = stateChanges(365n, ['01', '00aa', '0bb0'], ['02', 'aa', '0000'], ['03', '00']);
    const { batch, staged, touched, problems } = contractOutput([transfer, execution(transfer, 1n, change)]);
    const row = { consensus_timestamp: T + 1n, owner_id: 1009n, hook_id: 4n };
    expect(batch.rows('hook_storage_change')).toEqual([
      { ...row, deleted: false, key: bytes('01'), value_read: bytes('aa'), value_written: bytes('0bb0') },
      { ...row, deleted: true, key: bytes('02'), value_read: bytes('aa'), value_written: NO_BYTES },
      { ...row, deleted: false, key: bytes('03'), value_read: NO_BYTES, value_written: null },
    ]);
    const state = { owner_id: 1009n, hook_id: 4n, created_timestamp: T + 1n, modified_timestamp: T + 1n };
    expect(staged('hook_storage')).toEqual([
      { ...state, deleted: false, key: keyOf('01'), value: bytes('0bb0') },
      { ...state, deleted: true, key: keyOf('02'), value: NO_BYTES },
    ]);
    expect(batch.rows('contract_state_change')).toEqual([]);
    expect(staged('contract_state')).toEqual([]);
    expect(touched).not.toContain(1009n);
    expect(problems).toEqual([]);
  });

  it('has one row for a slot that the sidecar names twice', () => {
    const change = stateChanges(365n, ['01', 'aa', 'bb'], ['01', 'bb'], ['01', 'bb', '']);
    const { batch } = contractOutput([transfer, execution(transfer, 1n, change)]);
    expect(batch.rows('hook_storage_change')).toMatchObject([
      { value_read: bytes('aa'), value_written: NO_BYTES, deleted: true },
    ]);
  });

  it('leaves that of other contracts to them', () => {
    const { batch, problems } = contractOutput([
      transfer,
      execution(transfer, 1n, stateChanges(7n, ['01', 'aa', '02'])),
    ]);
    expect(batch.rows('contract_state_change')).toMatchObject([{ contract_id: 7n }]);
    expect(batch.rows('hook_storage_change')).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('is ordinary storage when no transfer set the call off', () => {
    const call = { $case: 'contractCall', contractCall: { contractID: contract(365n) } } as const;
    const { batch } = contractOutput([itemOf({ data: call, sidecars: [CHANGE] })]);
    expect(batch.rows('contract_state_change')).toMatchObject([{ contract_id: 365n }]);
    expect(batch.rows('hook_storage_change')).toEqual([]);
  });
});

describe('which hook was executed', () => {
  const nft = (name: 'sender' | 'receiver' | 'both', ids: readonly [bigint, bigint], isAround = false) => {
    const call = (id: bigint, side: 'Sender' | 'Receiver') =>
      isAround
        ? { $case: `prePostTx${side}AllowanceHook`, [`prePostTx${side}AllowanceHook`]: hook(id) }
        : { $case: `preTx${side}AllowanceHook`, [`preTx${side}AllowanceHook`]: hook(id) };
    return {
      senderAccountID: account(21n),
      receiverAccountID: account(22n),
      ...(name === 'receiver' ? {} : { senderAllowanceHookCall: call(ids[0], 'Sender') }),
      ...(name === 'sender' ? {} : { receiverAllowanceHookCall: call(ids[1], 'Receiver') }),
    } as object;
  };

  it('follows from the order in which the transfer names them: first before, then around, then after', () => {
    const transfer = transferOf({
      transfers: { accountAmounts: [prePostTx(11n, 1n), preTx(12n, 2n), { accountID: account(13n) }] },
      tokenTransfers: [
        { transfers: [preTx(14n, 3n), prePostTx(15n, 4n)], nftTransfers: [nft('both', [5n, 6n])] },
        { nftTransfers: [nft('both', [7n, 8n], true), nft('receiver', [0n, 9n]), nft('sender', [10n, 0n])] },
      ],
    });
    const { turns, problems } = turnsOf(transfer, 14);
    expect(turns).toEqual([
      ...['12/2', '14/3', '21/5', '22/6', '22/9', '21/10'],
      ...['11/1', '15/4', '21/7', '22/8'],
      ...['11/1', '15/4', '21/7', '22/8'],
    ]);
    expect(problems).toEqual([]);
  });

  it('takes one turn for each state change of an execution', () => {
    const transfer = transferOf({ transfers: { accountAmounts: [preTx(11n, 1n), preTx(12n, 2n)] } });
    const { batch } = contractOutput([transfer, execution(transfer, 1n, CHANGE, CHANGE)]);
    expect(batch.rows('hook_storage_change').map(({ owner_id }) => owner_id)).toEqual([11n, 12n]);
  });

  it('is looked for in the nearest transfer above', () => {
    const transfer = transferOf({ transfers: { accountAmounts: [preTx(11n, 1n)] } });
    const between = itemOf({ parent: transfer, timestamp: T + 1n, data: { $case: 'utilPrng', utilPrng: {} } });
    const { batch } = contractOutput([transfer, between, execution(between, 1n, CHANGE)]);
    expect(batch.rows('hook_storage_change')).toMatchObject([{ owner_id: 11n, hook_id: 1n }]);
  });

  it('knows owners by alias', () => {
    const owner = { ...preTx(0n, 1n), accountID: alias(bytes('ab'.repeat(20))) };
    const transfer = transferOf({ transfers: { accountAmounts: [owner] } });
    expect(turnsOf(transfer, 1, { ['ab'.repeat(20)]: 31n }).turns).toEqual(['31/1']);
  });

  it('is unknown when the transfer names no more, or no known owner', () => {
    const unknown = { ...preTx(0n, 1n), accountID: alias(bytes('ab'.repeat(20))) };
    const transfer = transferOf({ transfers: { accountAmounts: [unknown, preTx(11n, 2n)] } });
    expect(turnsOf(transfer, 3)).toEqual({
      turns: ['11/2'],
      problems: Array(2).fill('No transfer names the hook that was executed'),
    });
    const prng = itemOf({ data: { $case: 'utilPrng', utilPrng: {} } });
    expect(turnsOf(prng, 1).problems).toEqual(['No transfer names the hook that was executed']);
  });
});
