import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { recordedTransaction } from './recorded-transaction.ts';
import {
  ALIAS,
  ALIASED,
  BEGINNING,
  CONTRACT_CALL,
  CONTRACT_CREATE,
  ETHEREUM,
  PAYER,
  RecordedLedger,
  SECOND,
} from './testing/recorded-ledger.fixture.ts';

const CONTRACT = 2_001n;
const CODE_FILE = 3_001n;
const AT = BEGINNING + 50n * SECOND;
const EVM_ADDRESS = 'c0'.repeat(20);
const payerAddress = `${'0'.repeat(37)}3e9`;
const contractAddress = `${'0'.repeat(37)}7d1`;
const code = Uint8Array.of(0x60, 1, 0x60, 2);
const args = Uint8Array.of(0xaa, 0xbb);

let target: TestDatabase;
let ledger: RecordedLedger;
beforeAll(async () => {
  target = await createTestDatabase();
  ledger = new RecordedLedger(target.database);
});
beforeEach(async () => {
  await ledger.clear();
  await ledger.begin();
});
afterAll(() => target?.drop());

const recorded = async () => {
  const found = await recordedTransaction(target.database, AT);
  if (found === undefined) throw new Error('nothing is recorded');
  return found;
};
const dataOf = async () => [...(await recorded()).transaction.data];

it('is none without a contract result', async () => {
  await ledger.transaction(AT, CONTRACT_CALL);
  expect(await recordedTransaction(target.database, AT)).toBeUndefined();
});

describe('a call', () => {
  it('has what its result says', async () => {
    await ledger.contract({ id: CONTRACT });
    await ledger.result({
      at: AT,
      type: CONTRACT_CALL,
      contractId: CONTRACT,
      gas: 77_000n,
      amount: 5n,
      parameters: args,
    });
    expect(await recorded()).toEqual({
      consensusTimestamp: AT,
      contractId: CONTRACT,
      status: 'SUCCESS',
      succeeded: true,
      gasUsed: 0n,
      transaction: { from: payerAddress, to: contractAddress, value: 5n, gas: 77_000n, data: Buffer.from(args) },
    });
  });

  it('names accounts and contracts as contracts know them', async () => {
    await ledger.contract({ id: CONTRACT, evmAddress: EVM_ADDRESS });
    await ledger.result({ at: AT, type: CONTRACT_CALL, contractId: CONTRACT, senderId: ALIASED });
    expect((await recorded()).transaction).toMatchObject({ from: ALIAS, to: EVM_ADDRESS, value: 0n });
  });

  it('whose transaction was not kept is one of its contract', async () => {
    await ledger.result({ at: AT, contractId: CONTRACT, parameters: args });
    expect((await recorded()).transaction).toMatchObject({ to: contractAddress, data: Buffer.from(args) });
  });
});

describe('an Ethereum transaction', () => {
  const ethereum = (changes: object, parameters?: Uint8Array) =>
    Promise.all([
      ledger.result({
        at: AT,
        type: ETHEREUM,
        contractId: CONTRACT,
        senderId: ALIASED,
        amount: 3n,
        ...(parameters === undefined ? {} : { parameters }),
      }),
      ledger.ethereum({ at: AT, to: EVM_ADDRESS, ...changes }),
    ]);

  it('has its own receiver and data', async () => {
    await ethereum({ callData: code }, args);
    expect((await recorded()).transaction).toEqual({
      from: ALIAS,
      to: EVM_ADDRESS,
      value: 3n,
      gas: 100_000n,
      data: Buffer.from(code),
    });
  });

  it('takes data out of the file that it names, as that was then', async () => {
    await ethereum({ callDataId: CODE_FILE });
    await ledger.file(CODE_FILE, BEGINNING + 1n, 17, 'ffff');
    await ledger.file(CODE_FILE, BEGINNING + 2n, 19, '0xAA');
    await ledger.file(CODE_FILE, BEGINNING + 3n, 19, '');
    await ledger.file(CODE_FILE, BEGINNING + 4n, 16, 'bb\n');
    await ledger.file(CODE_FILE, AT + 1n, 19, 'cc');
    await ledger.file(CODE_FILE + 1n, BEGINNING + 5n, 16, 'dd');
    expect(await dataOf()).toEqual([...args]);
  });

  it('prefers data of its own to a file', async () => {
    await ethereum({ callData: code, callDataId: CODE_FILE });
    await ledger.file(CODE_FILE, BEGINNING + 1n, 17, 'ffff');
    expect(await dataOf()).toEqual([...code]);
  });

  it('without any data has that of its result', async () => {
    await ethereum({ callData: new Uint8Array() }, args);
    expect(await dataOf()).toEqual([...args]);
  });

  it.each([undefined, ''])('without a receiver creates (%j)', async (to) => {
    await ledger.contract({ id: CONTRACT, createdAt: AT, evmAddress: EVM_ADDRESS });
    await ethereum({ to, callData: code });
    const { transaction, contractId } = await recorded();
    expect([transaction.to, contractId, [...transaction.data]]).toEqual([undefined, CONTRACT, [...code]]);
    expect(transaction.newAddress).toBe(EVM_ADDRESS);
  });
});

describe('a creation', () => {
  const created = (changes: object, parameters = args) =>
    Promise.all([
      ledger.contract({ id: CONTRACT, createdAt: AT, ...changes }),
      ledger.result({ at: AT, type: CONTRACT_CREATE, contractId: CONTRACT, parameters }),
    ]);

  it('has the init code of the transaction, and the arguments behind it', async () => {
    await created({ initcode: code });
    expect((await recorded()).transaction.to).toBeUndefined();
    expect(await dataOf()).toEqual([...code, ...args]);
  });

  it('has the init code that a sidecar shows, which ends with the arguments', async () => {
    await created({ initcode: Uint8Array.of(...code, ...args) });
    expect(await dataOf()).toEqual([...code, ...args]);
  });

  it('has the init code of its file, and the arguments behind it', async () => {
    await created({ fileId: CODE_FILE });
    await ledger.file(CODE_FILE, BEGINNING + 1n, 17, '6001');
    await ledger.file(CODE_FILE, BEGINNING + 2n, 16, '6002');
    expect(await dataOf()).toEqual([...code, ...args]);
  });

  it('without arguments is the code alone', async () => {
    await created({ initcode: code }, new Uint8Array());
    expect(await dataOf()).toEqual([...code]);
  });

  it('that failed has the init code that its result kept', async () => {
    await ledger.result({ at: AT, type: CONTRACT_CREATE, contractId: 0n, parameters: args, failedInitcode: code });
    expect(await dataOf()).toEqual([...code]);
    expect((await recorded()).contractId).toBe(0n);
  });

  it('of which no code is known has the arguments', async () => {
    await created({});
    expect(await dataOf()).toEqual([...args]);
  });
});

it('comes from its sender, whoever paid for it', async () => {
  await ledger.contract({ id: CONTRACT });
  await ledger.result({ at: AT, type: CONTRACT_CALL, contractId: CONTRACT, payerId: ALIASED, senderId: PAYER });
  expect((await recorded()).transaction.from).toBe(payerAddress);
});
