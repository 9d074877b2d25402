import { describe, expect, it } from 'vitest';
import { KagamiError } from '../../errors/kagami-error.ts';
import { refuse } from '../hapi/operation.ts';
import { entityRecord } from '../state/testing/memory-reader.fixture.ts';
import { boolWord, integerWord } from './abi/encode.ts';
import { tableContract } from './dispatch.ts';
import { modifying, view } from './function-table.ts';
import { fixedGas } from './gas.ts';
import { answered, revertedWithOrdinal, succeeded } from './results.ts';
import {
  address0x,
  ENOUGH_GAS,
  inputOf,
  longZero,
  packedRedirect,
  recordedRun,
  systemCall,
} from './testing/system-call.fixture.ts';

const TOKEN = longZero(2001n);
const WRAPPER = '618dc65e';

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

const contract = tableContract({
  number: 0x167n,
  functions: [
    view<[value: bigint]>('double(uint64)', ([value]) => succeeded(integerWord(value * 2n))),
    modifying('change(uint64)', fixedGas(500n), () => answered('TOKEN_IS_PAUSED')),
    modifying('pay()', fixedGas(500n), (_args, { value }) => succeeded(integerWord(value)), { payable: true }),
    modifying('fail()', fixedGas(500n), () => revertedWithOrdinal('INVALID_TOKEN_ID')),
    modifying('more()', fixedGas(500n), () => ({ ...succeeded(boolWord(true)), extraGas: 700n })),
    modifying('locate()', fixedGas(500n), () => refuse('INVALID_SCHEDULE_ID')),
    modifying('crash()', fixedGas(500n), () => {
      throw new TypeError('a fault');
    }),
    modifying('database()', fixedGas(500n), () => {
      throw new KagamiError('DATABASE_UNAVAILABLE', 'gone');
    }),
    modifying('child()', fixedGas(500n), (_args, _call, { children }) => {
      children.add({ status: 22 });
      return answered('SUCCESS');
    }),
    view('name()', (_args, { target }) => succeeded(bytes(target ?? '')), { route: 'redirect' }),
  ],
  redirect: { selector: 0x618dc65e, hasFacade: async (address) => address === TOKEN },
});

const call = (input: Uint8Array, changes: Parameters<typeof systemCall>[1] = {}, run = recordedRun()) =>
  contract.call(systemCall(input, changes), run);

const halt = (reason: string) => ({ outcome: 'halt', reason });
const emptySuccess = { outcome: 'success', output: new Uint8Array(0), gasUsed: 0n };

describe('dispatch', () => {
  it('decodes, executes, charges and records', async () => {
    const run = recordedRun();
    expect(await call(inputOf('double(uint64)', 21n), {}, run)).toEqual({
      outcome: 'success',
      output: integerWord(42n),
      gasUsed: 2_607n,
    });
    expect(run.records).toEqual([{ status: 22 }]);
  });

  it('halts for short and undecodable input, without a record', async () => {
    const run = recordedRun();
    expect(await call(bytes('010203'), {}, run)).toEqual(halt('INVALID_OPERATION'));
    expect(await call(inputOf('double(uint64)', 21n).subarray(0, 30), {}, run)).toEqual(halt('INVALID_OPERATION'));
    expect(run.records).toEqual([]);
  });

  it('takes an unknown selector for an empty success that costs nothing', async () => {
    const run = recordedRun();
    expect(await call(bytes('01020304'), {}, run)).toEqual(emptySuccess);
    expect(await call(inputOf('name()'), {}, run)).toEqual(emptySuccess);
    expect(run.records).toEqual([]);
  });

  it('lets views into static frames and modifying functions not', async () => {
    const isStatic = { isStatic: true };
    expect(await call(inputOf('double(uint64)', 1n), isStatic)).toMatchObject({ outcome: 'success' });
    expect(await call(inputOf('change(uint64)', 1n), isStatic)).toEqual(halt('ILLEGAL_STATE_CHANGE'));
  });

  it('answers a refused operation in a frame that succeeds, and records its status', async () => {
    const run = recordedRun();
    expect(await call(inputOf('change(uint64)', 1n), {}, run)).toEqual({
      outcome: 'success',
      output: integerWord(265n),
      gasUsed: 500n,
    });
    expect(run.records).toEqual([{ status: 265 }]);
  });

  it('reverts with gas left', async () => {
    const run = recordedRun();
    expect(await call(inputOf('fail()'), {}, run)).toEqual({
      outcome: 'revert',
      output: integerWord(167n),
      gasUsed: 500n,
    });
    expect(run.records).toEqual([{ status: 167 }]);
  });

  it('halts where gas does not suffice, and records that', async () => {
    const run = recordedRun();
    expect(await call(inputOf('double(uint64)', 1n), { gas: 2_606n }, run)).toEqual(halt('INSUFFICIENT_GAS'));
    expect(await call(inputOf('more()'), { gas: 1_199n }, run)).toEqual(halt('INSUFFICIENT_GAS'));
    expect(run.records).toEqual([{ status: 30 }, { status: 30 }]);
    expect(await call(inputOf('more()'), { gas: 1_200n }, run)).toMatchObject({ outcome: 'success', gasUsed: 1_200n });
  });

  it('reverts with the name of a status that escaped, and takes all gas', async () => {
    const run = recordedRun();
    expect(await call(inputOf('locate()'), {}, run)).toEqual({
      outcome: 'revert',
      output: new TextEncoder().encode('INVALID_SCHEDULE_ID'),
      gasUsed: ENOUGH_GAS,
    });
    expect(run.records).toEqual([{ status: 201 }]);
  });

  it('halts for a fault, and lets failures of the database and refused records through', async () => {
    expect(await call(inputOf('crash()'))).toEqual(halt('PRECOMPILE_ERROR'));
    await expect(call(inputOf('database()'))).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    const full = recordedRun(
      {},
      {
        children: {
          add: () => {
            throw new RangeError('MAX_CHILD_RECORDS_EXCEEDED');
          },
        },
      },
    );
    await expect(call(inputOf('child()'), {}, full)).rejects.toThrow('MAX_CHILD_RECORDS_EXCEEDED');
    await expect(call(inputOf('double(uint64)', 1n), {}, full)).rejects.toThrow('MAX_CHILD_RECORDS_EXCEEDED');
  });

  it('takes value only where it is a fee', async () => {
    expect(await call(inputOf('pay()'), { value: 5n })).toMatchObject({ outcome: 'success', output: integerWord(5n) });
    expect(await call(inputOf('change(uint64)', 1n), { value: 5n })).toEqual(halt('INVALID_CONTRACT_ID'));
  });
});

describe('redirects', () => {
  const name = inputOf('name()');
  const packed = packedRedirect(WRAPPER, TOKEN, name);
  const named = { outcome: 'success', output: bytes(TOKEN), gasUsed: 2_607n };

  it('come packed or as arguments', async () => {
    expect(await call(packed)).toEqual(named);
    const wrapped = inputOf(
      'redirectForToken(address,bytes)',
      address0x(TOKEN),
      `0x${Buffer.from(name).toString('hex')}`,
    );
    expect(await call(wrapped)).toEqual(named);
  });

  it('serve their own functions only', async () => {
    expect(await call(packedRedirect(WRAPPER, TOKEN, inputOf('double(uint64)', 1n)))).toEqual(emptySuccess);
  });

  it('halt for an input that is too short', async () => {
    expect(await call(bytes(WRAPPER))).toEqual(halt('INVALID_OPERATION'));
    expect(await call(packedRedirect(WRAPPER, TOKEN, bytes('0102')))).toEqual(halt('INVALID_OPERATION'));
  });

  it('are the one way to delegate, and only for the entity itself', async () => {
    const delegating = { isDelegate: true, recipient: TOKEN };
    expect(await call(packed, delegating)).toEqual(named);
    expect(await call(packed, { ...delegating, recipient: longZero(5000n) })).toEqual(halt('PRECOMPILE_ERROR'));
    const other = longZero(5000n);
    const pretended = packedRedirect(WRAPPER, other, name);
    expect(await call(pretended, { isDelegate: true, recipient: other })).toEqual(halt('PRECOMPILE_ERROR'));
    expect(await call(inputOf('double(uint64)', 1n), delegating)).toEqual(halt('PRECOMPILE_ERROR'));
    expect(await call(bytes('0102'), delegating)).toEqual(halt('PRECOMPILE_ERROR'));
  });

  it('are not needed by two old contracts, at either of their addresses', async () => {
    const alias = 'ab'.repeat(20);
    const run = () => recordedRun({ entities: [entityRecord(1_461_860n, { type: 'CONTRACT', evmAddress: alias })] });
    const double = inputOf('double(uint64)', 4n);
    for (const recipient of [longZero(1_062_787n), longZero(1_461_860n), alias]) {
      const result = await call(double, { isDelegate: true, recipient }, run());
      expect(result).toMatchObject({ outcome: 'success', output: integerWord(8n) });
    }
  });
});

describe('tables', () => {
  it('refuse two entries with one selector', () => {
    const entry = view('name()', () => succeeded(boolWord(true)));
    expect(() => tableContract({ number: 1n, functions: [entry, entry] })).toThrow('have one selector');
  });
});
