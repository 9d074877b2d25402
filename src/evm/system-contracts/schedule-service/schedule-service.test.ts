import { ed25519 } from '@noble/curves/ed25519.js';
import { decodeAbiParameters, encodeFunctionData, getAddress, type Hex, parseAbi, parseAbiParameters } from 'viem';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../ledger/bytes.ts';
import { Key, SignatureMap } from '../../../protobuf/generated/services/basic_types.ts';
import { SchedulableTransactionBody } from '../../../protobuf/generated/services/schedulable_transaction_body.ts';
import type { ScheduleRecord } from '../../state/records.ts';
import { entityRecord, memoryReader } from '../../state/testing/memory-reader.fixture.ts';
import { longZeroHex, World } from '../../state/world.ts';
import type { RunContext, SystemCall } from '../system-contract.ts';
import { createScheduleService } from './schedule-service.ts';

const PAYER = 1001n;
const CONTRACT = 1002n;
const SCHEDULE = 1500n;
const NOW = 1_700_000_000n;
const secretKey = new Uint8Array(32).fill(5);
const publicKey = ed25519.getPublicKey(secretKey);
const payerKey = Key.encode({ key: { $case: 'ed25519', ed25519: publicKey } }).finish();

const abi = parseAbi([
  'struct KeyValue { bool inheritAccountKey; address contractId; bytes ed25519; bytes ecdsa; address delegatable; }',
  'struct TokenKey { uint256 keyType; KeyValue key; }',
  'struct Expiry { int64 second; address autoRenewAccount; int64 autoRenewPeriod; }',
  'struct Token { string name; string symbol; address treasury; string memo; bool finite; int64 maxSupply; bool freezeDefault; TokenKey[] keys; Expiry expiry; }',
  'function scheduleNative(address,bytes,address)',
  'function signSchedule(address,bytes)',
  'function signSchedule()',
  'function authorizeSchedule(address)',
  'function scheduleCall(address,uint256,uint256,uint64,bytes)',
  'function scheduleCallWithPayer(address,address,uint256,uint256,uint64,bytes)',
  'function executeCallOnPayerSignature(address,address,uint256,uint256,uint64,bytes)',
  'function deleteSchedule(address)',
  'function deleteSchedule()',
  'function hasScheduleCapacity(uint256,uint256)',
  'function redirectForScheduleTxn(address,bytes)',
  'function getScheduledCreateFungibleTokenInfo(address)',
  'function getScheduledCreateNonFungibleTokenInfo(address)',
  'function createFungibleToken(Token,int64,int32)',
  'function createNonFungibleToken(Token)',
  'function mintToken(address,int64,bytes[])',
]);

const data = (functionName: string, args: readonly unknown[] = []): Hex =>
  encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]);

const at = (num: bigint): Hex => getAddress(`0x${longZeroHex(num)}`);
const ZERO: Hex = `0x${'0'.repeat(40)}`;
const service = createScheduleService();

const stored = (changes: Partial<ScheduleRecord> = {}): ScheduleRecord => ({
  id: SCHEDULE,
  creatorId: PAYER,
  payerId: PAYER,
  transactionBody: SchedulableTransactionBody.encode(SchedulableTransactionBody.fromPartial({ memo: 'x' })).finish(),
  signatories: [],
  executed: false,
  deleted: false,
  adminKey: payerKey,
  memo: '',
  expirationSeconds: NOW + 60n,
  waitForExpiry: false,
  consensusTimestamp: 1n,
  ...changes,
});

const ledger = (schedule: Partial<ScheduleRecord> = {}) => {
  const statuses: number[] = [];
  const world = new World(
    memoryReader({
      entities: [
        entityRecord(PAYER, { key: payerKey }),
        entityRecord(CONTRACT, { type: 'CONTRACT', key: undefined }),
        entityRecord(SCHEDULE, { type: 'SCHEDULE' }),
      ],
      schedules: [stored(schedule)],
    }),
    { shard: 0n, realm: 0n },
  );
  const run: RunContext = {
    world,
    block: { number: 1n, timestamp: NOW, hash: new Uint8Array(48) },
    network: { chainId: 298n, ledgerId: '0x03' },
    now: NOW * 1_000_000_000n,
    exchangeRate: { hbarEquiv: 1n, centEquiv: 12n },
    gasPriceMilliTinycents: 852_000n,
    payerId: PAYER,
    children: { add: ({ status }) => statuses.push(status) },
  };
  const call = (input: Hex, changes: Partial<SystemCall> = {}) =>
    service.call(
      {
        input: fromHex(input) as Uint8Array,
        sender: longZeroHex(PAYER),
        recipient: longZeroHex(0x16bn),
        value: 0n,
        gas: 5_000_000n,
        isStatic: false,
        isDelegate: false,
        ...changes,
      },
      run,
    );
  const values = async (input: Hex, types: string, changes: Partial<SystemCall> = {}) => {
    const result = await call(input, changes);
    if (result.outcome !== 'success') throw new Error(`The frame ended with ${result.outcome}`);
    return decodeAbiParameters(parseAbiParameters(types), `0x${toHex(result.output)}`);
  };
  return { world, call, values, statuses };
};

const reverted = (status: string) => ({
  outcome: 'revert',
  output: new TextEncoder().encode(status),
  gasUsed: 5_000_000n,
});

describe('scheduled calls', () => {
  const later = [at(CONTRACT), NOW + 100n, 200_000n, 5n, '0x01020304'];

  it('are stored with their contract, gas, value and data, signed by the caller', async () => {
    const { values, world, statuses } = ledger();
    const answer = await values(data('scheduleCall', later), 'int64,address', { sender: longZeroHex(CONTRACT) });
    expect(answer).toEqual([22n, at(2501n)]);
    expect(statuses).toEqual([22]);
    const schedule = await world.schedule(2501n);
    expect(schedule).toMatchObject({ payerId: CONTRACT, waitForExpiry: true, expirationSeconds: NOW + 100n });
    expect(schedule?.signatories).toEqual([schedule?.adminKey]);
    const body = SchedulableTransactionBody.decode(schedule?.transactionBody ?? new Uint8Array());
    expect(body.data).toMatchObject({
      contractCall: {
        contractID: { contract: { contractNum: CONTRACT } },
        gas: 200_000n,
        amount: 5n,
        functionParameters: new Uint8Array([1, 2, 3, 4]),
      },
    });
  });

  it('are paid by whom they name, and wait for the time or not', async () => {
    const { values, world } = ledger();
    const paid = [later[0], at(PAYER), ...later.slice(1)];
    const options = { sender: longZeroHex(CONTRACT) };
    await values(data('scheduleCallWithPayer', paid), 'int64,address', options);
    await values(data('executeCallOnPayerSignature', paid), 'int64,address', options);
    expect(await world.schedule(2501n)).toMatchObject({ payerId: PAYER, waitForExpiry: true });
    expect(await world.schedule(2502n)).toMatchObject({ payerId: PAYER, waitForExpiry: false });
  });

  it('answer why they are refused', async () => {
    const { values } = ledger();
    const past = [later[0], NOW, ...later.slice(2)];
    const far = [later[0], 1n << 200n, ...later.slice(2)];
    expect(await values(data('scheduleCall', past), 'int64,address')).toEqual([307n, ZERO]);
    expect(await values(data('scheduleCall', far), 'int64,address')).toEqual([306n, ZERO]);
  });

  it('cost a tenth of a dollar, and asking for room is a view without a record', async () => {
    const { call, values, statuses } = ledger();
    expect(await call(data('scheduleCall', later))).toMatchObject({ gasUsed: 1_409_649n });
    statuses.length = 0;
    const ask = (second: bigint, gas: bigint) =>
      values(data('hasScheduleCapacity', [second, gas]), 'bool', { isStatic: true });
    expect(await ask(NOW + 1n, 15_000_000n)).toEqual([true]);
    expect(await ask(NOW, 1n)).toEqual([false]);
    expect(await ask(NOW + 1n, 15_000_001n)).toEqual([false]);
    expect(statuses).toEqual([]);
  });
});

describe('signatures', () => {
  const message = fromHex(`${'0'.repeat(32)}${SCHEDULE.toString(16).padStart(16, '0')}`) as Uint8Array;
  const signatureMap = (signature: Uint8Array): Hex => {
    const pair = { pubKeyPrefix: publicKey, signature: { $case: 'ed25519', ed25519: signature } as const };
    return `0x${toHex(SignatureMap.encode({ sigPair: [pair] }).finish())}`;
  };

  it('are checked', async () => {
    const { values, world } = ledger();
    const good = signatureMap(ed25519.sign(message, secretKey));
    const bad = signatureMap(ed25519.sign(new Uint8Array(24), secretKey));
    expect(await values(data('signSchedule', [at(SCHEDULE), bad]), 'int64')).toEqual([205n]);
    expect(await values(data('signSchedule', [at(SCHEDULE), good]), 'int64')).toEqual([22n]);
    expect(await values(data('signSchedule', [at(SCHEDULE), good]), 'int64')).toEqual([205n]);
    expect(await values(data('signSchedule', [at(SCHEDULE), '0xff']), 'int64')).toEqual([50n]);
    expect((await world.schedule(SCHEDULE))?.signatories.map(toHex)).toEqual([toHex(publicKey)]);
  });

  it('come from the caller, directly and through the facade', async () => {
    const direct = ledger();
    expect(await direct.values(data('authorizeSchedule', [at(SCHEDULE)]), 'int64')).toEqual([22n]);
    const facade = ledger();
    const input = data('redirectForScheduleTxn', [at(SCHEDULE), data('signSchedule')]);
    const redirected = { recipient: longZeroHex(SCHEDULE), isDelegate: true };
    expect(await facade.values(input, 'int64', redirected)).toEqual([22n]);
    expect((await facade.world.schedule(SCHEDULE))?.signatories.map(toHex)).toEqual([toHex(publicKey)]);
  });

  it('are refused for schedules that are unknown, done or gone', async () => {
    expect(await ledger().call(data('authorizeSchedule', [at(9n)]))).toEqual(reverted('INVALID_SCHEDULE_ID'));
    expect(await ledger({ executed: true }).values(data('authorizeSchedule', [at(SCHEDULE)]), 'int64')).toEqual([213n]);
    expect(await ledger({ deleted: true }).values(data('authorizeSchedule', [at(SCHEDULE)]), 'int64')).toEqual([212n]);
  });
});

describe('deletion', () => {
  it('works directly and through the facade', async () => {
    const direct = ledger();
    const result = await direct.call(data('deleteSchedule', [at(SCHEDULE)]));
    expect(result).toMatchObject({ outcome: 'success', gasUsed: 71_622n });
    expect((await direct.world.schedule(SCHEDULE))?.deleted).toBe(true);
    const facade = ledger();
    const input = data('redirectForScheduleTxn', [at(SCHEDULE), data('deleteSchedule')]);
    const redirected = { recipient: longZeroHex(SCHEDULE), isDelegate: true };
    expect(await facade.values(input, 'int64', redirected)).toEqual([22n]);
  });

  it('is refused without an admin key', async () => {
    const { values } = ledger({ adminKey: undefined });
    expect(await values(data('deleteSchedule', [at(SCHEDULE)]), 'int64')).toEqual([202n]);
  });
});

describe('scheduled token creation', () => {
  const token = {
    name: 'Later',
    symbol: 'LT',
    treasury: at(PAYER),
    memo: 'm',
    finite: true,
    maxSupply: 1_000n,
    freezeDefault: false,
    keys: [
      {
        keyType: 16n,
        key: { inheritAccountKey: true, contractId: ZERO, ed25519: '0x', ecdsa: '0x', delegatable: ZERO },
      },
    ],
    expiry: { second: 0n, autoRenewAccount: at(PAYER), autoRenewPeriod: 7_776_000n },
  } as const;
  const key = '(bool,address,bytes,bytes,address)';
  const struct = `(string,string,address,string,bool,int64,bool,(uint256,${key})[],(int64,address,int64))`;
  const info = `(${struct},int64,bool,bool,bool,(int64,address,bool,bool,address)[],(int64,int64,int64,int64,bool,address)[],(int64,int64,int64,address,bool,address)[],string)`;

  it('can be looked at before it happens', async () => {
    const { values, call } = ledger();
    const creation = data('createFungibleToken', [token, 500n, 2]);
    const scheduled = await values(data('scheduleNative', [at(0x167n), creation, at(PAYER)]), 'int64,address');
    expect(scheduled).toEqual([22n, at(2501n)]);
    const [status, shown] = (await values(
      data('getScheduledCreateFungibleTokenInfo', [at(2501n)]),
      `int64,(${info},int32)`,
      { isStatic: true },
    )) as unknown as [bigint, [[readonly unknown[], bigint, ...unknown[]], number]];
    expect(status).toBe(22n);
    expect(shown[1]).toBe(2);
    expect(shown[0][0].slice(0, 7)).toEqual(['Later', 'LT', at(PAYER), 'm', true, 1_000n, false]);
    expect(shown[0][1]).toBe(500n);
    expect(await call(data('getScheduledCreateNonFungibleTokenInfo', [at(2501n)]))).toEqual(
      reverted('INVALID_SCHEDULE_ID'),
    );
  });

  it('shows a non-fungible one with its treasury as owner', async () => {
    const { values, call } = ledger();
    const creation = data('createNonFungibleToken', [token]);
    await values(data('scheduleNative', [at(0x167n), creation, at(PAYER)]), 'int64,address');
    const [status, shown] = (await values(
      data('getScheduledCreateNonFungibleTokenInfo', [at(2501n)]),
      `int64,(${info},int64,address,int64,bytes,address)`,
    )) as unknown as [bigint, unknown[]];
    expect(status).toBe(22n);
    expect(shown.slice(1)).toEqual([0n, at(PAYER), 0n, '0x', at(PAYER)]);
    expect(await call(data('getScheduledCreateFungibleTokenInfo', [at(9n)]))).toEqual(reverted('RECORD_NOT_FOUND'));
  });

  it('is for known payers, the token service, and creations and updates only', async () => {
    const { call } = ledger();
    const creation = data('createFungibleToken', [token, 500n, 2]);
    const mint = data('mintToken', [at(9n), 1n, []]);
    const native = (target: bigint, inner: Hex, payer: bigint) =>
      call(data('scheduleNative', [at(target), inner, at(payer)]));
    expect(await native(0x167n, creation, 9_009n)).toEqual(reverted('INVALID_ACCOUNT_ID'));
    expect(await native(0x16an, creation, PAYER)).toEqual(reverted('INVALID_CONTRACT_ID'));
    expect(await native(0x167n, mint, PAYER)).toMatchObject({ outcome: 'success', output: new Uint8Array() });
  });
});
