import type { Chain } from '../../config/chain.ts';
import {
  CurrentAndNextFeeSchedule,
  HederaFunctionality,
  ServicesConfigurationList,
} from '../../protobuf/generated/services/basic_types.ts';
import { ThrottleDefinitions } from '../../protobuf/generated/services/throttle_definitions.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { exchangeRateBytes } from './exchange-rates.ts';
import { addressBookBytes, type SimulatedNetwork } from './simulated-network.ts';
import { systemFiles } from './system-accounts.ts';

/** A file of the network, by its number. */
export interface SystemFile {
  readonly num: bigint;
  readonly contents: Uint8Array;
}

/** Content of the files that the network keeps about itself, in the order in which genesis writes them. */
export const systemFileContents = (network: SimulatedNetwork, state: LedgerState, chain: Chain): SystemFile[] => [
  { num: systemFiles.addressBook, contents: addressBookBytes(network) },
  { num: systemFiles.nodeDetails, contents: addressBookBytes(network) },
  { num: systemFiles.feeSchedule, contents: feeScheduleBytes() },
  { num: systemFiles.exchangeRates, contents: exchangeRateBytes(state) },
  { num: systemFiles.applicationProperties, contents: configurationBytes(applicationProperties(chain)) },
  { num: systemFiles.apiPermissions, contents: configurationBytes(apiPermissions()) },
  { num: systemFiles.throttles, contents: throttleBytes() },
];

const FEE_SCHEDULE_EXPIRY = { seconds: 4_102_444_800n };

/** Prices per functionality in thousandths of a tinycent: gas for contracts, a constant for the rest. */
const prices: readonly {
  readonly name: keyof typeof HederaFunctionality;
  readonly constant: bigint;
  readonly gas: bigint;
}[] = [
  { name: 'CryptoTransfer', constant: 1_000_000n, gas: 0n },
  { name: 'CryptoCreate', constant: 500_000_000n, gas: 0n },
  { name: 'CryptoUpdate', constant: 2_200_000n, gas: 0n },
  { name: 'CryptoDelete', constant: 50_000_000n, gas: 0n },
  { name: 'ConsensusCreateTopic', constant: 100_000_000n, gas: 0n },
  { name: 'ConsensusSubmitMessage', constant: 8_000_000n, gas: 0n },
  { name: 'TokenCreate', constant: 10_000_000_000n, gas: 0n },
  { name: 'TokenMint', constant: 20_000_000n, gas: 0n },
  { name: 'TokenAssociateToAccount', constant: 500_000_000n, gas: 0n },
  { name: 'FileCreate', constant: 500_000_000n, gas: 0n },
  { name: 'ScheduleCreate', constant: 100_000_000n, gas: 0n },
  { name: 'ContractCall', constant: 0n, gas: 852_000n },
  { name: 'ContractCreate', constant: 0n, gas: 852_000n },
  { name: 'EthereumTransaction', constant: 0n, gas: 852_000n },
];

const feeScheduleBytes = (): Uint8Array => {
  const schedule = {
    transactionFeeSchedule: prices.map(({ name, constant, gas }) => {
      const feeData = {
        nodedata: { min: 0n, max: 1_000_000_000_000_000n, constant: constant / 20n },
        networkdata: { min: 0n, max: 1_000_000_000_000_000n, constant: constant / 4n },
        servicedata: { min: 0n, max: 1_000_000_000_000_000n, constant: constant - constant / 20n - constant / 4n, gas },
      };
      return { hederaFunctionality: HederaFunctionality[name], feeData, fees: [feeData] };
    }),
    expiryTime: FEE_SCHEDULE_EXPIRY,
  };
  return CurrentAndNextFeeSchedule.encode(
    CurrentAndNextFeeSchedule.fromPartial({ currentFeeSchedule: schedule, nextFeeSchedule: schedule }),
  ).finish();
};

const applicationProperties = ({ chainId, ledgerId }: Chain): readonly (readonly [string, string])[] => [
  ['contracts.chainId', chainId.toString()],
  ['contracts.maxGasPerSec', '15000000'],
  ['contracts.maxRefundPercentOfGasLimit', '100'],
  ['contracts.sidecars', 'CONTRACT_STATE_CHANGE,CONTRACT_BYTECODE,CONTRACT_ACTION'],
  ['hedera.recordStream.isEnabled', 'true'],
  ['hedera.recordStream.logPeriod', '2'],
  ['hedera.recordStream.recordFileVersion', '6'],
  ['hedera.recordStream.sidecarMaxSizeMb', '256'],
  ['hedera.transaction.maxValidDuration', '180'],
  ['ledger.id', ledgerId],
  ['ledger.totalTinyBarFloat', '5000000000000000000'],
  ['staking.isEnabled', 'true'],
  ['staking.periodMins', '1440'],
  ['tokens.maxPerAccount', '1000'],
];

const apiPermissions = (): (readonly [string, string])[] =>
  [
    'cryptoCreate',
    'cryptoTransfer',
    'cryptoUpdate',
    'cryptoDelete',
    'createTopic',
    'submitMessage',
    'tokenCreate',
    'tokenMint',
    'tokenBurn',
    'createFile',
    'appendContent',
    'createContract',
    'contractCallMethod',
    'scheduleCreate',
    'scheduleSign',
    'utilPrng',
  ].map((name) => [name, '0-*'] as const);

const configurationBytes = (settings: readonly (readonly [string, string])[]): Uint8Array =>
  ServicesConfigurationList.encode(
    ServicesConfigurationList.fromPartial({ nameValue: settings.map(([name, value]) => ({ name, value })) }),
  ).finish();

const throttleBytes = (): Uint8Array =>
  ThrottleDefinitions.encode(
    ThrottleDefinitions.fromPartial({
      throttleBuckets: [
        {
          name: 'ThroughputLimits',
          burstPeriodMs: 15_000n,
          throttleGroups: [
            {
              operations: [HederaFunctionality.CryptoTransfer, HederaFunctionality.ConsensusSubmitMessage],
              milliOpsPerSec: 10_500_000n,
            },
            { operations: [HederaFunctionality.ContractCall], milliOpsPerSec: 350_000n },
          ],
        },
        {
          name: 'CreationLimits',
          burstPeriodMs: 15_000n,
          throttleGroups: [
            {
              operations: [HederaFunctionality.CryptoCreate, HederaFunctionality.ConsensusCreateTopic],
              milliOpsPerSec: 5_000n,
            },
          ],
        },
      ],
    }),
  ).finish();
