import { flag, integer } from '../setting.ts';

const repair = (what: string) => ({
  enabled: flag(true, `${what} Only for \`mainnet\`.`),
  checksum: integer(1, 'A repair is done once; another number has it done again.'),
});

/** `...importer.migration.*`: repairs of known faults in the streams of mainnet, by the reference's names. */
export const repairSettings = {
  errataMigration: repair(
    'Adds 113 transactions of 2019 to 2023 that the streams lack, and marks transfers of 2019 that never happened.',
  ),
  blockNumberMigration: repair('Numbers blocks as the network does, where they were counted from a later one.'),
  fixStakedBeforeEnabledMigration: repair('Resets staking that was asked for before the network had it (HAPI 0.27).'),
  mergeDuplicateBlocksMigration: repair('Makes one block of the two that bear the number 44029066.'),
  syntheticTokenAllowanceOwnerMigration: repair(
    'Gives token allowances that contracts granted before HAPI 0.37 to the contract as their owner.',
  ),
  syntheticNftAllowanceOwnerMigration: repair(
    'Gives NFT allowances that contracts granted before HAPI 0.37 to the contract as their owner.',
  ),
  syntheticCryptoTransferApprovalMigration: repair(
    'Marks transfers that contracts made by approval between 31 March and 8 June 2023 (before HAPI 0.38).',
  ),
};
