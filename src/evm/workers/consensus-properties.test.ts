import { describe, expect, it } from 'vitest';
import { createSystemContracts } from '../system-contracts/system-contracts.ts';
import { consensusPropertiesOf, isFunctionOff } from './consensus-properties.ts';

const propertiesOf = (properties: Readonly<Record<string, string>>) => consensusPropertiesOf(properties);

describe('properties of consensus nodes', () => {
  it('set nothing where there are none', () => {
    expect(propertiesOf({})).toEqual({ mostCallData: 131_072, mostInitCode: 131_072, functionsOff: new Set() });
  });

  it('count as environment variables write them', () => {
    expect(propertiesOf({ 'contracts-chainid': '7', 'jumbotransactions-ethereummaxcalldatasize': '10' })).toMatchObject(
      {
        chainId: 7n,
        mostCallData: 10,
      },
    );
  });

  it.each([
    [{ 'jumboTransactions.ethereumMaxCallDataSize': '200000' }, 200_000, 200_000],
    [{ 'jumboTransactions.maxTxnSize': '1000' }, 1_000, 1_000],
    [{ 'jumboTransactions.maxTxnSize': '133120' }, 131_072, 131_072],
    [{ 'jumboTransactions.isEnabled': 'false' }, 6_144, 6_144],
    [{ 'jumboTransactions.isEnabled': 'FALSE', 'hedera.transaction.maxBytes': '5000' }, 5_000, 5_000],
    [{ 'jumboTransactions.allowedHederaFunctionalities': 'EthereumTransaction, ContractCall' }, 131_072, 6_144],
  ])('bound the size of call data and init code: %j', (properties, mostCallData, mostInitCode) => {
    expect(propertiesOf(properties as Record<string, string>)).toMatchObject({ mostCallData, mostInitCode });
  });

  it('turn functions of system contracts off, each of which there is', () => {
    const flags = [
      'contracts.precompile.atomicCryptoTransfer.enabled',
      'contracts.precompile.hrcFacade.associate.enabled',
      'contracts.systemContract.accountService.isAuthorizedEnabled',
      'contracts.systemContract.accountService.isAuthorizedRawEnabled',
      'contracts.systemContract.airdropTokens.enabled',
      'contracts.systemContract.cancelAirdrops.enabled',
      'contracts.systemContract.claimAirdrops.enabled',
      'contracts.systemContract.rejectTokens.enabled',
      'contracts.systemContract.scheduleService.authorizeSchedule.enabled',
      'contracts.systemContract.scheduleService.scheduleCall.enabled',
      'contracts.systemContract.scheduleService.scheduleNative.enabled',
      'contracts.systemContract.scheduleService.signSchedule.enabled',
      'contracts.systemContract.setUnlimitedAutoAssociations.enabled',
      'contracts.systemContract.updateCustomFees.enabled',
    ];
    const { functionsOff } = propertiesOf(Object.fromEntries(flags.map((flag) => [flag, 'false'])));
    const found = new Set<string>();
    createSystemContracts((number, entry) => {
      const isOff = isFunctionOff(functionsOff, number, entry);
      if (isOff) for (const text of [entry.name, entry.signature]) found.add(`${number} ${text}`);
      return isOff;
    });
    expect([...functionsOff].filter((text) => !found.has(text))).toEqual([]);
    expect(functionsOff.size).toBe(27);
  });

  it('turn off whole contracts, and nothing that is said to be on', () => {
    const { functionsOff } = propertiesOf({
      'contracts.systemContract.accountService.enabled': 'false',
      'contracts.systemContract.airdropTokens.enabled': 'true',
    });
    const entry = { name: 'hbarApprove', signature: 'hbarApprove(address,address,int256)' };
    expect(isFunctionOff(functionsOff, 362n, entry)).toBe(true);
    expect(isFunctionOff(functionsOff, 359n, entry)).toBe(false);
    expect(functionsOff.size).toBe(1);
  });

  it('are taken over where they mean nothing, or say what holds anyway', () => {
    const properties = {
      'contracts.sidecars': '',
      'contracts.throttle.throttleByGas': 'false',
      'executor.disableThrottles': 'true',
      'fees.simpleFeesEnabled': 'true',
      'nodes.gossipFqdnRestricted': 'false',
      'tss.hintsEnabled': 'false',
      'contracts.allowCreate2': 'true',
    };
    expect(propertiesOf(properties)).toEqual(propertiesOf({}));
  });

  it.each([
    [{ 'contracts.allowCreate2': 'false' }, 'always true'],
    [{ 'contracts.systemContract.hts.addresses': '359,364' }, 'always 359'],
    [{ 'contracts.maxKvPairs.individual': '5' }, 'no property that simulations follow'],
    [{ 'jumboTransactions.ethereumMaxCallDataSise': '5' }, 'no property that simulations follow'],
    [{ 'jumboTransactions.ethereumMaxCallDataSize': '524289' }, 'up to 524288'],
    [{ 'jumboTransactions.ethereumMaxCallDataSize': 'much' }, 'up to 524288'],
    [{ 'jumboTransactions.isEnabled': 'no' }, 'true or false'],
    [{ 'contracts.maxRefundPercentOfGasLimit': '101' }, 'up to 100'],
    [{ 'ledger.id': 'x' }, 'bytes in hex'],
  ])('are refused where they cannot be followed: %j', (properties, reason) => {
    expect(() => propertiesOf(properties as Record<string, string>)).toThrow(reason);
  });
});
