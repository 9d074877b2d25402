/**
 * What comes out differently when recorded network tests are executed again, by cause. Each entry is `suite/test@item`
 * and what differs; one that no longer differs must go.
 */

/** `LeakyContractTests` and some others changed the network's settings while they ran. */
const settings = [
  'HRCPrecompile/hrcTooManyTokenAssociateShouldFail@10 output',
  'HRCPrecompile/hrcTooManyTokenAssociateShouldFail@12 output',
  'LeakyContractTests/ResultSizeAffectsFees@2 gas charged',
  'LeakyContractTests/ResultSizeAffectsFees@3 gas charged',
  'LeakyContractTests/ResultSizeAffectsFees@4 gas charged',
  'LeakyContractTests/TemporarySStoreRefundTest@2 gas charged',
  'LeakyContractTests/TemporarySStoreRefundTest@3 gas charged',
  'LeakyContractTests/TemporarySStoreRefundTest@4 gas charged',
  'LeakyContractTests/CreateMinChargeIsTXGasUsedByContractCreate@2 gas charged',
  'LeakyContractTests/MaxRefundIsMaxGasRefundConfiguredWhenTXGasPriceIsSmaller@2 gas charged',
  'LeakyContractTests/MaxRefundIsMaxGasRefundConfiguredWhenTXGasPriceIsSmaller@3 gas charged',
  'LeakyContractTests/CreateMaxRefundIsMaxGasRefundConfiguredWhenTXGasPriceIsSmaller@2 gas charged',
  'LeakyContractTests/lazyCreateThroughPrecompileNotSupportedWhenFlagDisabled@10 gas charged',
  'LeakyContractTests/evmLazyCreateViaSolidityCallTooManyCreatesFails@6 gas charged, status',
  'LeakyContractTests/erc20TransferFromDoesNotWorkIfFlagIsDisabled@12 gas charged',
  'LeakyContractTests/WhitelistPositiveCase@11 gas charged, logs',
  'LeakyContractTests/RequiresTopLevelSignatureOrApprovalDependingOnControllingProperty@9 logs, status',
] as const;

/** Nobody had signed for what a system contract was to change. In simulations keys always sign. */
const signatures = [
  'AtomicCryptoTransferHTS/cryptoTransferEmptyKeyList@11 status',
  'AtomicCryptoTransferHTS/cryptoTransferEmptyKeyList@9 status',
  'AtomicCryptoTransferHTS/cryptoTransferAllowanceToEOA@11 status',
  'ContractBurnHTS/burnFungibleV1andV2WithZeroAndNegativeValues@6 status',
  'ContractBurnHTS/burnFungibleV1andV2WithZeroAndNegativeValues@8 status',
  'ContractKeysHTS/AssociatePrecompileWithDelegateContractKeyForFungibleFrozen@7 status',
  'ContractKeysHTS/AssociatePrecompileWithDelegateContractKeyForFungibleVanilla@7 status',
  'ContractKeysHTS/AssociatePrecompileWithDelegateContractKeyForFungibleWithKYC@7 status',
  'ContractKeysHTS/AssociatePrecompileWithDelegateContractKeyForNonFungibleFrozen@7 status',
  'ContractKeysHTS/AssociatePrecompileWithDelegateContractKeyForNonFungibleVanilla@7 status',
  'ContractKeysHTS/AssociatePrecompileWithDelegateContractKeyForNonFungibleWithKYC@7 status',
  'ContractKeysHTS/DelegateCallForAssociatePrecompileSignedWithContractKeyFails@13 status',
  'ContractKeysHTS/DelegateCallForDissociatePrecompileSignedWithContractKeyFails@14 status',
  'ContractKeysHTS/delegateCallForBurnWithContractKey@14 status',
  'ContractKeysHTS/delegateCallForMintWithContractKey@12 status',
  'ContractMintHTS/RollbackOnFailedMintAfterFungibleTransfer@13 logs, status',
  'Ethereum/etx013PrecompileCallFailsWhenSignatureMissingFromBothEthereumAndHederaTxn@8 status',
  'LeakyContractTests/RequiresTopLevelSignatureOrApprovalDependingOnControllingProperty@14 logs, status',
  'SigningReqs/AutoRenewAccountCanUseLegacySigActivationIfConfigured@16 created contracts, status',
] as const;

/** The same, where the network then looked for an allowance. */
const signaturesByOtherNames = [
  'LeakyContractTests/transferDontWorkWithoutTopLevelSignatures@21 logs, status',
  'LeakyContractTests/transferDontWorkWithoutTopLevelSignatures@23 logs, status',
  'LeakyContractTests/transferDontWorkWithoutTopLevelSignatures@25 logs, status',
  'LeakyContractTests/transferDontWorkWithoutTopLevelSignatures@27 logs, status',
] as const;

/** Transfers by functions that are no ERC's, and custom fees, emit Transfer events since; they did not then. */
const events = [
  'AtomicCryptoTransferHTS/cryptoTransferForFungibleTokenOnly@19 logs',
  'AtomicCryptoTransferHTS/cryptoTransferForFungibleTokenWithFees@19 logs',
  'AtomicCryptoTransferHTS/cryptoTransferForNonFungibleTokenOnly@20 logs',
  'AtomicCryptoTransferHTS/cryptoTransferHBarFungibleNft@26 logs',
  'ContractKeysHTS/callForTransferWithContractKey@14 logs',
  'ContractKeysHTS/callForTransferWithDelegateContractKey@14 logs',
  'ContractMintHTS/TransferNftAfterNestedMint@15 logs',
  'CryptoTransferHTS/HapiTransferFromForFungibleTokenWithCustomFeesWithBothApproveForAllAndAssignedSpender@25 logs',
  'CryptoTransferHTS/NonNestedCryptoTransferForFungibleAndNonFungibleToken@22 logs',
  'CryptoTransferHTS/NonNestedCryptoTransferForFungibleTokenWithMultipleReceivers@16 logs',
  'CryptoTransferHTS/NonNestedCryptoTransferForFungibleTokenWithMultipleSendersAndReceiversAndNonFungibleTokens@24 logs',
  'CryptoTransferHTS/NonNestedCryptoTransferForMultipleNonFungibleTokens@21 logs',
  'CryptoTransferHTS/NonNestedCryptoTransferForNonFungibleToken@14 logs',
  'CryptoTransferHTS/RepeatedTokenIdsAreAutomaticallyConsolidated@13 logs',
  'DelegatePrecompile/delegateCallForTransfer@20 logs',
  'LeakyContractTests/RequiresTopLevelSignatureOrApprovalDependingOnControllingProperty@11 logs',
  'LeakyContractTests/RequiresTopLevelSignatureOrApprovalDependingOnControllingProperty@16 logs',
  'LeakyContractTests/transferWorksWithTopLevelSignatures@21 logs',
  'LeakyContractTests/transferWorksWithTopLevelSignatures@23 logs',
  'LeakyContractTests/transferWorksWithTopLevelSignatures@25 logs',
  'LeakyContractTests/transferWorksWithTopLevelSignatures@27 logs',
] as const;

/** The network then emitted what was asked for; now it emits what moved, in which a fee of the token is one with it. */
const netEvents = [
  'CryptoTransferHTS/HapiTransferFromForFungibleTokenWithCustomFeesWithBothApproveForAllAndAssignedSpender@27 logs',
] as const;

/** Prices that came later: for automatic associations, and for keys and custom fees of a new token. */
const prices = [
  'AtomicCryptoTransferHTS/cryptoTransferAllowanceNft@15 gas charged, output, status',
  'AtomicCryptoTransferHTS/cryptoTransferAllowanceToContractFromContract@17 gas charged, output, status',
  'CryptoTransferHTS/hapiTransferFromForFungibleToken@12 gas charged, logs, output, status',
  'CryptoTransferHTS/hapiTransferFromForNFT@13 gas charged, logs, output, status',
  'LeakyContractTests/nonFungibleTokenCreateWithFeesHappyPath@15 output, status',
] as const;

/** Calls of system contracts that failed took other parts of the gas then: 11 to 24 in 1,455,000 where frames nest. */
const gasOfFailures = [
  'ContractKeysHTS/StaticCallForAssociatePrecompileFails@12 gas charged',
  'ContractKeysHTS/StaticCallForDissociatePrecompileFails@13 gas charged',
  'ContractKeysHTS/staticCallForBurnWithContractKey@14 gas charged',
  'ContractKeysHTS/staticCallForBurnWithDelegateContractKey@14 gas charged',
  'ContractKeysHTS/staticCallForMintWithContractKey@12 gas charged',
  'ContractKeysHTS/staticCallForMintWithDelegateContractKey@12 gas charged',
  'ContractKeysHTS/staticCallForTransferWithContractKey@20 gas charged',
  'ContractKeysHTS/staticCallForTransferWithDelegateContractKey@20 gas charged',
  'LeakyContractTests/transferErc20TokenFromErc721TokenFails@12 gas charged',
] as const;

/** The account of the token service counted as empty then, so that value sent to it cost 25,000 gas more. */
const emptyServiceAccount = [
  'CreatePrecompile/tokenCreateWithEmptyKeysReverts@12 gas charged',
  'CreatePrecompile/tokenCreateWithFixedFeeWithMultiplePaymentsReverts@12 gas charged',
  'CreatePrecompile/tokenCreateWithKeyWithMultipleKeyValuesReverts@12 gas charged',
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
  'Traceability/traceabilityE2EScenario20@2 created contracts, gas charged, status',
] as const;

/** A contract that destroys itself while it is created is recorded as created, and stays in the tables. */
const selfDestroyed = [
  'LeakyContractTests/canMergeCreate2ChildWithHollowAccountAndSelfDestructInConstructor@8 created contracts, gas charged, logs',
  'SelfDestruct/hscsEvm008SelfDestructInConstructorWorks@3 created contracts',
] as const;

export const expectedDifferences: Readonly<Record<string, readonly string[]>> = {
  settings,
  signatures,
  signaturesByOtherNames,
  events,
  netEvents,
  prices,
  gasOfFailures,
  emptyServiceAccount,
  blocks,
  deletedTokens,
  unknownCode,
  selfDestroyed,
};
