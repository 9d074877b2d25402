// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

// Interfaces of the system contracts, as a contract of one's own would declare them.

struct KeyValue {
    bool inheritAccountKey;
    address contractId;
    bytes ed25519;
    bytes secp256k1;
    address delegatableContractId;
}

struct TokenKey {
    uint256 keyType;
    KeyValue value;
}

struct Expiry1 {
    uint32 second;
    address autoRenewAccount;
    uint32 autoRenewPeriod;
}

struct Expiry {
    int64 second;
    address autoRenewAccount;
    int64 autoRenewPeriod;
}

struct FixedFee1 {
    uint32 amount;
    address token;
    bool useHbar;
    bool useCurrentToken;
    address collector;
}

struct FixedFee {
    int64 amount;
    address token;
    bool useHbar;
    bool useCurrentToken;
    address collector;
}

struct FractionalFee1 {
    uint32 numerator;
    uint32 denominator;
    uint32 minimum;
    uint32 maximum;
    bool netOfTransfers;
    address collector;
}

struct FractionalFee {
    int64 numerator;
    int64 denominator;
    int64 minimum;
    int64 maximum;
    bool netOfTransfers;
    address collector;
}

struct RoyaltyFee1 {
    uint32 numerator;
    uint32 denominator;
    uint32 amount;
    address token;
    bool useHbar;
    address collector;
}

struct RoyaltyFee {
    int64 numerator;
    int64 denominator;
    int64 amount;
    address token;
    bool useHbar;
    address collector;
}

struct Token1 {
    string name;
    string symbol;
    address treasury;
    string memo;
    bool finite;
    uint32 maxSupply;
    bool freezeDefault;
    TokenKey[] keys;
    Expiry1 expiry;
}

struct Token2 {
    string name;
    string symbol;
    address treasury;
    string memo;
    bool finite;
    int64 maxSupply;
    bool freezeDefault;
    TokenKey[] keys;
    Expiry1 expiry;
}

struct Token {
    string name;
    string symbol;
    address treasury;
    string memo;
    bool finite;
    int64 maxSupply;
    bool freezeDefault;
    TokenKey[] keys;
    Expiry expiry;
}

struct TokenInfo {
    Token token;
    int64 totalSupply;
    bool deleted;
    bool defaultKycStatus;
    bool pauseStatus;
    FixedFee[] fixedFees;
    FractionalFee[] fractionalFees;
    RoyaltyFee[] royaltyFees;
    string ledgerId;
}

struct FungibleTokenInfo {
    TokenInfo tokenInfo;
    int32 decimals;
}

struct NonFungibleTokenInfo {
    TokenInfo tokenInfo;
    int64 serialNumber;
    address owner;
    int64 creationTime;
    bytes metadata;
    address spender;
}

struct Amount1 {
    address account;
    int64 amount;
}

struct Amount {
    address account;
    int64 amount;
    bool isApproval;
}

struct Serial1 {
    address sender;
    address receiver;
    int64 serialNumber;
}

struct Serial {
    address sender;
    address receiver;
    int64 serialNumber;
    bool isApproval;
}

struct TokenTransfers1 {
    address token;
    Amount1[] amounts;
    Serial1[] serials;
}

struct TokenTransfers {
    address token;
    Amount[] amounts;
    Serial[] serials;
}

struct HbarTransfers {
    Amount[] amounts;
}

struct PendingAirdrop {
    address sender;
    address receiver;
    address token;
    int64 serialNumber;
}

struct SerialNumber {
    address token;
    int64 serialNumber;
}

interface TokenService {
    function cryptoTransfer(TokenTransfers1[] memory tokens) external returns (int64);
    function cryptoTransfer(HbarTransfers memory hbar, TokenTransfers[] memory tokens) external returns (int64);
    function transferTokens(address token, address[] memory accounts, int64[] memory amounts) external returns (int64);
    function transferToken(address token, address sender, address receiver, int64 amount) external returns (int64);
    function transferNFTs(address token, address[] memory senders, address[] memory receivers, int64[] memory serials) external returns (int64);
    function transferNFT(address token, address sender, address receiver, int64 serial) external returns (int64);
    function transferFrom(address token, address sender, address receiver, uint256 amount) external returns (int64);
    function transferFromNFT(address token, address sender, address receiver, uint256 serial) external returns (int64);
    function mintToken(address token, uint64 amount, bytes[] memory metadata) external returns (int64, int64, int64[] memory);
    function mintToken(address token, int64 amount, bytes[] memory metadata) external returns (int64, int64, int64[] memory);
    function burnToken(address token, uint64 amount, int64[] memory serials) external returns (int64, int64);
    function burnToken(address token, int64 amount, int64[] memory serials) external returns (int64, int64);
    function associateToken(address account, address token) external returns (int64);
    function associateTokens(address account, address[] memory tokens) external returns (int64);
    function dissociateToken(address account, address token) external returns (int64);
    function dissociateTokens(address account, address[] memory tokens) external returns (int64);
    function createFungibleToken(Token1 memory token, uint256 supply, uint256 decimals) external payable returns (int64, address);
    function createFungibleToken(Token2 memory token, uint64 supply, uint32 decimals) external payable returns (int64, address);
    function createFungibleToken(Token memory token, int64 supply, int32 decimals) external payable returns (int64, address);
    function createFungibleTokenWithCustomFees(Token1 memory token, uint256 supply, uint256 decimals, FixedFee1[] memory fixedFees, FractionalFee1[] memory fractionalFees) external payable returns (int64, address);
    function createFungibleTokenWithCustomFees(Token2 memory token, uint64 supply, uint32 decimals, FixedFee1[] memory fixedFees, FractionalFee1[] memory fractionalFees) external payable returns (int64, address);
    function createFungibleTokenWithCustomFees(Token memory token, int64 supply, int32 decimals, FixedFee[] memory fixedFees, FractionalFee[] memory fractionalFees) external payable returns (int64, address);
    function createNonFungibleToken(Token1 memory token) external payable returns (int64, address);
    function createNonFungibleToken(Token2 memory token) external payable returns (int64, address);
    function createNonFungibleToken(Token memory token) external payable returns (int64, address);
    function createNonFungibleTokenWithCustomFees(Token1 memory token, FixedFee1[] memory fixedFees, RoyaltyFee1[] memory royaltyFees) external payable returns (int64, address);
    function createNonFungibleTokenWithCustomFees(Token2 memory token, FixedFee1[] memory fixedFees, RoyaltyFee1[] memory royaltyFees) external payable returns (int64, address);
    function createNonFungibleTokenWithCustomFees(Token memory token, FixedFee[] memory fixedFees, RoyaltyFee[] memory royaltyFees) external payable returns (int64, address);
    function deleteToken(address token) external returns (int64);
    function pauseToken(address token) external returns (int64);
    function unpauseToken(address token) external returns (int64);
    function freezeToken(address token, address account) external returns (int64);
    function unfreezeToken(address token, address account) external returns (int64);
    function grantTokenKyc(address token, address account) external returns (int64);
    function revokeTokenKyc(address token, address account) external returns (int64);
    function wipeTokenAccount(address token, address account, uint32 amount) external returns (int64);
    function wipeTokenAccount(address token, address account, int64 amount) external returns (int64);
    function wipeTokenAccountNFT(address token, address account, int64[] memory serials) external returns (int64);
    function approve(address token, address spender, uint256 amount) external returns (int64, bool);
    function approveNFT(address token, address spender, uint256 serial) external returns (int64);
    function allowance(address token, address owner, address spender) external returns (int64, uint256);
    function getApproved(address token, uint256 serial) external returns (int64, address);
    function setApprovalForAll(address token, address operator, bool approved) external returns (int64);
    function isApprovedForAll(address token, address owner, address operator) external returns (int64, bool);
    function isToken(address token) external returns (int64, bool);
    function isFrozen(address token, address account) external returns (int64, bool);
    function isKyc(address token, address account) external returns (int64, bool);
    function getTokenType(address token) external returns (int64, int32);
    function getTokenKey(address token, uint256 keyType) external returns (int64, KeyValue memory);
    function getTokenExpiryInfo(address token) external returns (int64, Expiry memory);
    function getTokenCustomFees(address token) external returns (int64, FixedFee[] memory, FractionalFee[] memory, RoyaltyFee[] memory);
    function getTokenDefaultFreezeStatus(address token) external returns (int64, bool);
    function getTokenDefaultKycStatus(address token) external returns (int64, bool);
    function getTokenInfo(address token) external returns (int64, TokenInfo memory);
    function getFungibleTokenInfo(address token) external returns (int64, FungibleTokenInfo memory);
    function getNonFungibleTokenInfo(address token, int64 serial) external returns (int64, NonFungibleTokenInfo memory);
    function updateTokenInfo(address token, Token1 memory info) external returns (int64);
    function updateTokenInfo(address token, Token2 memory info) external returns (int64);
    function updateTokenInfo(address token, Token memory info) external returns (int64);
    function updateTokenExpiryInfo(address token, Expiry1 memory expiry) external returns (int64);
    function updateTokenExpiryInfo(address token, Expiry memory expiry) external returns (int64);
    function updateTokenKeys(address token, TokenKey[] memory keys) external returns (int64);
    function updateNFTsMetadata(address token, int64[] memory serials, bytes memory metadata) external returns (int64);
    function updateFungibleTokenCustomFees(address token, FixedFee[] memory fixedFees, FractionalFee[] memory fractionalFees) external returns (int64);
    function updateNonFungibleTokenCustomFees(address token, FixedFee[] memory fixedFees, RoyaltyFee[] memory royaltyFees) external returns (int64);
    function airdropTokens(TokenTransfers[] memory tokens) external returns (int64);
    function claimAirdrops(PendingAirdrop[] memory airdrops) external returns (int64);
    function cancelAirdrops(PendingAirdrop[] memory airdrops) external returns (int64);
    function rejectTokens(address owner, address[] memory tokens, SerialNumber[] memory serials) external returns (int64);
}

interface TokenFacade {
    function name() external returns (string memory);
    function symbol() external returns (string memory);
    function decimals() external returns (uint8);
    function totalSupply() external returns (uint256);
    function balanceOf(address account) external returns (uint256);
    function ownerOf(uint256 serial) external returns (address);
    function tokenURI(uint256 serial) external returns (string memory);
    function getApproved(uint256 serial) external returns (address);
    function isApprovedForAll(address owner, address operator) external returns (bool);
    function allowance(address owner, address spender) external returns (uint256);
    function approve(address spender, uint256 amount) external;
    function transfer(address receiver, uint256 amount) external returns (bool);
    function transferFrom(address sender, address receiver, uint256 amount) external;
    function setApprovalForAll(address operator, bool approved) external returns (int64);
    function associate() external returns (int64);
    function dissociate() external returns (int64);
    function isAssociated() external returns (bool);
    function claimAirdropFT(address sender) external returns (int64);
    function claimAirdropNFT(address sender, int64 serial) external returns (int64);
    function cancelAirdropFT(address receiver) external returns (int64);
    function cancelAirdropNFT(address receiver, int64 serial) external returns (int64);
    function rejectTokenFT() external returns (int64);
    function rejectTokenNFTs(int64[] memory serials) external returns (int64);
}

interface ExchangeRate {
    function tinycentsToTinybars(uint256 tinycents) external returns (uint256);
    function tinybarsToTinycents(uint256 tinybars) external returns (uint256);
}

interface Pseudorandom {
    function getPseudorandomSeed() external returns (bytes32);
}

interface AccountService {
    function getEvmAddressAlias(address account) external returns (int64, address);
    function getHederaAccountNumAlias(address account) external returns (int64, address);
    function isValidAlias(address account) external returns (bool);
    function hbarAllowance(address owner, address spender) external returns (int64, int256);
    function hbarApprove(address owner, address spender, int256 amount) external returns (int64);
    function isAuthorizedRaw(address account, bytes memory message, bytes memory signature) external returns (bool);
    function isAuthorized(address account, bytes memory message, bytes memory signatureMap) external returns (int64, bool);
}

interface AccountFacade {
    function hbarAllowance(address spender) external returns (int64, int256);
    function hbarApprove(address spender, int256 amount) external returns (int64);
    function setUnlimitedAutomaticAssociations(bool enabled) external returns (int64);
}

interface ScheduleService {
    function scheduleNative(address target, bytes memory data, address payer) external returns (int64, address);
    function scheduleCall(address to, uint256 expirySecond, uint256 gasLimit, uint64 value, bytes memory data) external returns (int64, address);
    function scheduleCallWithPayer(address to, address payer, uint256 expirySecond, uint256 gasLimit, uint64 value, bytes memory data) external returns (int64, address);
    function executeCallOnPayerSignature(address to, address payer, uint256 expirySecond, uint256 gasLimit, uint64 value, bytes memory data) external returns (int64, address);
    function hasScheduleCapacity(uint256 expirySecond, uint256 gasLimit) external returns (bool);
    function getScheduledCreateFungibleTokenInfo(address schedule) external returns (int64, FungibleTokenInfo memory);
    function getScheduledCreateNonFungibleTokenInfo(address schedule) external returns (int64, NonFungibleTokenInfo memory);
    function signSchedule(address schedule, bytes memory signatureMap) external returns (int64);
    function authorizeSchedule(address schedule) external returns (int64);
    function deleteSchedule(address schedule) external returns (int64);
}

interface ScheduleFacade {
    function signSchedule() external returns (int64);
    function deleteSchedule() external returns (int64);
}

// Passes calls on and tells how they ended.
contract Forwarder {
    receive() external payable {}

    function forwardCall(address target, uint256 gasLimit, uint256 value, bytes calldata data)
        external
        payable
        returns (bool, bytes memory)
    {
        return target.call{gas: gasLimit, value: value}(data);
    }

    function forwardStaticCall(address target, uint256 gasLimit, bytes calldata data)
        external
        view
        returns (bool, bytes memory)
    {
        return target.staticcall{gas: gasLimit}(data);
    }

    function forwardDelegateCall(address target, uint256 gasLimit, bytes calldata data)
        external
        payable
        returns (bool, bytes memory)
    {
        return target.delegatecall{gas: gasLimit}(data);
    }
}
