/**
 * What comes out differently when recorded network tests are executed again, by cause. Each entry is `suite/test@item`
 * and what differs; one that no longer differs must go. `replay-snapshots.test.ts` holds every cause to what it says.
 */

/** The network let an account have only a few tokens. */
const limits = [
  'HRCPrecompile/hrcTooManyTokenAssociateShouldFail@10 output',
  'HRCPrecompile/hrcTooManyTokenAssociateShouldFail@12 output',
] as const;

/** The network of these tests gave back at most a twentieth of the limit. */
const leastCharges = [
  'LeakyContractTests/MaxRefundIsMaxGasRefundConfiguredWhenTXGasPriceIsSmaller@2 gas',
  'LeakyContractTests/MaxRefundIsMaxGasRefundConfiguredWhenTXGasPriceIsSmaller@3 gas',
  'LeakyContractTests/CreateMaxRefundIsMaxGasRefundConfiguredWhenTXGasPriceIsSmaller@2 gas',
] as const;

/** Nobody had signed for what a system contract was to change. In simulations keys always sign. */
const signatures = [
  'AtomicCryptoTransferHTS/cryptoTransferEmptyKeyList@9 output, status',
  'AtomicCryptoTransferHTS/cryptoTransferEmptyKeyList@11 output, status',
  'AtomicCryptoTransferHTS/cryptoTransferAllowanceToEOA@11 output, status',
  'ContractBurnHTS/burnFungibleV1andV2WithZeroAndNegativeValues@6 output, status',
  'ContractBurnHTS/burnFungibleV1andV2WithZeroAndNegativeValues@8 output, status',
  'ContractKeysHTS/DelegateCallForAssociatePrecompileSignedWithContractKeyFails@13 output, status',
  'ContractKeysHTS/DelegateCallForDissociatePrecompileSignedWithContractKeyFails@14 output, status',
  'ContractKeysHTS/delegateCallForBurnWithContractKey@14 output, status',
  'ContractKeysHTS/delegateCallForMintWithContractKey@12 output, status',
  'ContractKeysHTS/AssociatePrecompileWithDelegateContractKeyForFungibleVanilla@7 output, status',
  'ContractKeysHTS/AssociatePrecompileWithDelegateContractKeyForFungibleFrozen@7 output, status',
  'ContractKeysHTS/AssociatePrecompileWithDelegateContractKeyForFungibleWithKYC@7 output, status',
  'ContractKeysHTS/AssociatePrecompileWithDelegateContractKeyForNonFungibleVanilla@7 output, status',
  'ContractKeysHTS/AssociatePrecompileWithDelegateContractKeyForNonFungibleFrozen@7 output, status',
  'ContractKeysHTS/AssociatePrecompileWithDelegateContractKeyForNonFungibleWithKYC@7 output, status',
  'ContractMintHTS/RollbackOnFailedMintAfterFungibleTransfer@13 logs, output, status',
  'Ethereum/etx013PrecompileCallFailsWhenSignatureMissingFromBothEthereumAndHederaTxn@8 status',
  'LeakyContractTests/RequiresTopLevelSignatureOrApprovalDependingOnControllingProperty@14 logs, output, status',
  'SigningReqs/AutoRenewAccountCanUseLegacySigActivationIfConfigured@16 created contracts, output, status',
] as const;

/** The same, where the network then looked for an allowance. */
const allowances = [
  'LeakyContractTests/RequiresTopLevelSignatureOrApprovalDependingOnControllingProperty@9 logs, output, status',
  'LeakyContractTests/transferDontWorkWithoutTopLevelSignatures@21 logs, output, status',
  'LeakyContractTests/transferDontWorkWithoutTopLevelSignatures@23 logs, output, status',
  'LeakyContractTests/transferDontWorkWithoutTopLevelSignatures@25 logs, output, status',
  'LeakyContractTests/transferDontWorkWithoutTopLevelSignatures@27 logs, output, status',
] as const;

/** Transfers by functions that are no ERC's, and custom fees, emit Transfer events since; they did not then. */
const events = [
  'AtomicCryptoTransferHTS/cryptoTransferForFungibleTokenOnly@19 logs',
  'AtomicCryptoTransferHTS/cryptoTransferForNonFungibleTokenOnly@20 logs',
  'AtomicCryptoTransferHTS/cryptoTransferHBarFungibleNft@26 logs',
  'AtomicCryptoTransferHTS/cryptoTransferForFungibleTokenWithFees@19 logs',
  'ContractKeysHTS/callForTransferWithContractKey@14 logs',
  'ContractKeysHTS/callForTransferWithDelegateContractKey@14 logs',
  'ContractMintHTS/TransferNftAfterNestedMint@15 logs',
  'CryptoTransferHTS/NonNestedCryptoTransferForFungibleTokenWithMultipleReceivers@16 logs',
  'CryptoTransferHTS/NonNestedCryptoTransferForNonFungibleToken@14 logs',
  'CryptoTransferHTS/NonNestedCryptoTransferForMultipleNonFungibleTokens@21 logs',
  'CryptoTransferHTS/NonNestedCryptoTransferForFungibleAndNonFungibleToken@22 logs',
  'CryptoTransferHTS/NonNestedCryptoTransferForFungibleTokenWithMultipleSendersAndReceiversAndNonFungibleTokens@24 logs',
  'CryptoTransferHTS/RepeatedTokenIdsAreAutomaticallyConsolidated@13 logs',
  'CryptoTransferHTS/HapiTransferFromForFungibleTokenWithCustomFeesWithBothApproveForAllAndAssignedSpender@25 logs',
  'DelegatePrecompile/delegateCallForTransfer@20 logs',
  'LeakyContractTests/RequiresTopLevelSignatureOrApprovalDependingOnControllingProperty@11 logs',
  'LeakyContractTests/RequiresTopLevelSignatureOrApprovalDependingOnControllingProperty@16 logs',
  'LeakyContractTests/transferWorksWithTopLevelSignatures@21 logs',
  'LeakyContractTests/transferWorksWithTopLevelSignatures@23 logs',
  'LeakyContractTests/transferWorksWithTopLevelSignatures@25 logs',
  'LeakyContractTests/transferWorksWithTopLevelSignatures@27 logs',
] as const;

/** Keys and custom fees of a new token cost more since than these tests sent. */
const creationPrices = ['LeakyContractTests/nonFungibleTokenCreateWithFeesHappyPath@15 output, status'] as const;

/** Automatic associations cost gas since, more than these tests gave. */
const associationPrices = [
  'AtomicCryptoTransferHTS/cryptoTransferAllowanceNft@15 gas, output, status',
  'AtomicCryptoTransferHTS/cryptoTransferAllowanceToContractFromContract@17 gas, output, status',
  'CryptoTransferHTS/hapiTransferFromForFungibleToken@12 gas, logs, output, status',
  'CryptoTransferHTS/hapiTransferFromForNFT@13 gas, logs, output, status',
] as const;

/** The tests keep transactions without their blocks, whose number, time and hash these contracts log. */
const blocks = [
  'Block/returnsCorrectBlockProperties@6 logs',
  'Block/returnsCorrectBlockProperties@7 logs',
  'Block/returnsTimestampOfTheBlock@6 logs',
  'Block/returnsTimestampOfTheBlock@7 logs',
] as const;

/** Networks show deleted tokens; simulations, as the reference has them, know nothing that is deleted. */
const deletedTokens = [
  'TokenInfoHTS/getInfoOnDeletedFungibleTokenWorks@15 output, status',
  'TokenInfoHTS/getInfoOnDeletedFungibleTokenWorks@17 output, status',
  'TokenInfoHTS/getInfoOnDeletedNonFungibleTokenFails@16 output, status',
] as const;

/** No record tells which file a failed creation took its code from. */
const unknownCode = [
  'Traceability/traceabilityE2EScenario18@2 created contracts, status',
  'Traceability/traceabilityE2EScenario20@2 created contracts, gas, status',
] as const;

/** A contract that destroys itself while it is created is recorded as created, and stays in the tables. */
const selfDestroyed = ['SelfDestruct/hscsEvm008SelfDestructInConstructorWorks@3 created contracts'] as const;

/** Running out of child records ended with its name as revert data; it ends with none since. */
const exhaustion = ['LeakyContractTests/getErc20TokenNameExceedingLimits@7 output'] as const;

/** Nothing in the record establishes why. Most of these tests changed the network's settings, as their names say. */
const unexplained = [
  'CryptoTransferHTS/HapiTransferFromForFungibleTokenWithCustomFeesWithBothApproveForAllAndAssignedSpender@27 logs',
  'LeakyContractTests/TemporarySStoreRefundTest@3 gas',
  'LeakyContractTests/lazyCreateThroughPrecompileNotSupportedWhenFlagDisabled@10 gas',
  'LeakyContractTests/evmLazyCreateViaSolidityCallTooManyCreatesFails@6 gas, output, status',
  'LeakyContractTests/erc20TransferFromDoesNotWorkIfFlagIsDisabled@12 gas, output',
  'LeakyContractTests/WhitelistPositiveCase@11 gas, logs',
  'LeakyContractTests/transferErc20TokenFromErc721TokenFails@12 gas',
  'LeakyContractTests/someErc721GetApprovedScenariosPass@13 output',
  'LeakyContractTests/someErc721OwnerOfScenariosPass@11 output',
  'LeakyContractTests/canMergeCreate2ChildWithHollowAccountAndSelfDestructInConstructor@8 created contracts, gas, logs',
] as const;

export const expectedDifferences = {
  limits,
  leastCharges,
  signatures,
  allowances,
  events,
  creationPrices,
  associationPrices,
  blocks,
  deletedTokens,
  unknownCode,
  selfDestroyed,
  exhaustion,
  unexplained,
} as const satisfies Readonly<Record<string, readonly string[]>>;
