import { beforeAll, describe, expect, it } from 'vitest';
import { compileContracts, contractNamed } from './testing/solidity.fixture.ts';
import { code } from './testing/system-cases.fixture.ts';
import {
  ALICE,
  at,
  BARE,
  BOB,
  CALLER,
  CALLER_ADDRESS,
  CAROL,
  NEW_ALIAS,
  NEXT,
  NOW,
  systemLedger,
  TAXED,
  TREASURY,
  toHex,
  UNITS,
} from './testing/system-ledger.fixture.ts';
import { bytesOf, createRuns, functionOf, inputOf, outputsOf, type Runs } from './testing/system-run.fixture.ts';

const contracts = compileContracts('steps.sol', 'system-contracts.sol');
const steps = contractNamed(contracts, 'Steps');
const ledger = systemLedger(steps.runtimeCode);
let runs: Runs;
beforeAll(async () => {
  runs = await createRuns(contracts);
});

const NEW_ADDRESS = `0x${NEW_ALIAS}`;

/** Calls the contract as Alice; gives what it answers, and the run. */
const ask = async (signature: string, args: readonly unknown[], value = 0n) => {
  const item = functionOf(steps, signature);
  const outcome = await runs.run(ledger, { data: bytesOf(inputOf(item, args)), value });
  return { ...outcome, values: outcome.status === 'SUCCESS' ? outputsOf(item, toHex(outcome.output)) : [] };
};

describe('a contract in one call', () => {
  it('creates a token, mints, associates and gives away', async () => {
    const { status, values, world, logs } = await ask('issue(address)', [at(ALICE)], 1_100_000_000n);
    expect(status).toBe('SUCCESS');
    expect(values).toEqual([at(NEXT), 150n, 120n, 30n, 'MADE']);
    expect(await world.tokenRelation(ALICE, NEXT)).toMatchObject({ balance: 30n, frozen: false, kycGranted: true });
    expect((await world.token(NEXT))?.treasuryId).toBe(CALLER);
    // What was transferred is told in the token's name.
    expect(logs.map(({ address, topics, data }) => [`0x${address}`, topics.length, BigInt(toHex(data))])).toEqual([
      [at(NEXT), 3, 30n],
    ]);
  });

  it('mints serials, gives one away, has one approved and freezes the receiver', async () => {
    const { values } = await ask('exhibit(address)', [at(ALICE)], 1_100_000_000n);
    expect(values).toEqual([at(ALICE), CALLER_ADDRESS, at(ALICE), 'two', code('ACCOUNT_FROZEN_FOR_TOKEN')]);
  });

  it('schedules the creation of a token, asks about it, and takes it back', async () => {
    const { values, world } = await ask('scheduleTokenAndAsk()', []);
    expect(values).toEqual([at(NEXT), 'Made here', 70n, 3n, code('NO_NEW_VALID_SIGNATURES'), code('SUCCESS')]);
    expect((await world.schedule(NEXT))?.deleted).toBe(true);
  });

  it('schedules a call of itself, and deletes it once', async () => {
    const { values } = await ask('scheduleSelf(uint256)', [NOW + 50n]);
    expect(values).toEqual([at(NEXT), code('SUCCESS'), code('SCHEDULE_ALREADY_DELETED')]);
  });

  it('takes back what a reverted frame did to tokens, and nothing else', async () => {
    const { values, world, childStatuses } = await ask('mintAround(address)', [at(UNITS)]);
    expect(values).toEqual([1_003n, 1_003n, 50n, 'changed my mind']);
    expect(await world.tokenRelation(TREASURY, UNITS)).toMatchObject({ balance: 843n });
    expect(childStatuses).toEqual([]);
  });

  it('fails with the statuses of the operations that failed', async () => {
    const { status, output, childStatuses } = await ask('insist(address,address)', [at(ALICE), at(UNITS)]);
    expect(status).toBe('CONTRACT_REVERT_EXECUTED');
    expect(BigInt(toHex(output.slice(4)))).toBe(code('INVALID_TOKEN_MINT_AMOUNT'));
    expect(childStatuses).toEqual(['TOKEN_ALREADY_ASSOCIATED_TO_ACCOUNT', 'INVALID_TOKEN_MINT_AMOUNT']);
  });

  it('pays custom fees with a transfer', async () => {
    const { values, world } = await ask('payTaxed(address,address,uint256)', [at(TAXED), at(ALICE), 50n]);
    // Three units on top for Carol; a tenth of what Alice gets for Bob.
    expect(values).toEqual([true, 47n, 45n, 3n, 5n]);
    expect([
      (await world.tokenRelation(CAROL, TAXED))?.balance,
      (await world.tokenRelation(BOB, TAXED))?.balance,
    ]).toEqual([3n, 5n]);
  });

  it('may ask fifty times, and no more', async () => {
    expect((await ask('ask(uint256)', [50n])).values).toEqual([50n]);
    expect(await ask('ask(uint256)', [51n])).toMatchObject({
      status: 'MAX_CHILD_RECORDS_EXCEEDED',
      gasUsed: 15_000_000n,
    });
    // No caller can catch that.
    expect((await ask('askAndCatch(uint256)', [51n])).status).toBe('MAX_CHILD_RECORDS_EXCEEDED');
  });
});

describe('an address without an account', () => {
  it('gets one with the units and tinybars that are sent to it', async () => {
    const { values, world } = await ask('give(address,address)', [at(BARE), NEW_ADDRESS], 9n);
    expect(values).toEqual([code('SUCCESS'), 7n, 9n, code('SUCCESS'), at(NEXT)]);
    expect(await world.entityAt(NEW_ALIAS)).toMatchObject({ id: NEXT, type: 'ACCOUNT', balance: 9n });
  });

  it('gets one with value alone, for the gas of an account', async () => {
    const { values, gasUsed } = await ask('createAccountByValue(address)', [NEW_ADDRESS], 5n);
    expect(values).toEqual([0n, 5n]);
    // 586,854 for the account, 34,000 for the call with value to a new address, 21,000 for the transaction.
    expect(gasUsed).toBeGreaterThan(586_854n + 34_000n + 21_000n);
    expect(gasUsed).toBeLessThan(650_000n);
  });
});

describe('an account', () => {
  it('takes on unlimited automatic associations when anyone asks it to', async () => {
    const item = functionOf(contractNamed(contracts, 'AccountFacade'), 'setUnlimitedAutomaticAssociations(bool)');
    const { world } = await runs.run(ledger, {
      from: CALLER_ADDRESS.slice(2),
      to: at(ALICE).slice(2),
      data: bytesOf(inputOf(item, [true])),
    });
    expect((await world.entity(ALICE))?.maxAutomaticAssociations).toBe(-1);
    expect((await world.entity(CALLER))?.maxAutomaticAssociations).toBe(0);
  });
});
