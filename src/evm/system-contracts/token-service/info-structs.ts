/** Structs of token information as views return them: first variants, at 0x167 the only ones. */
import { toHex } from '../../../ledger/bytes.ts';
import { type ContractID, Key } from '../../../protobuf/generated/services/basic_types.ts';
import type { AddressHex, CustomFees, TokenRecord } from '../../state/records.ts';
import type { AbiValue, KeyValueTuple } from '../abi/abi-type.ts';
import { longZeroOrNone, ZERO_ADDRESS } from './lookups.ts';
import { tokenKeyBits } from './token-key-bits.ts';

export const KEY_VALUE = '(bool,address,bytes,bytes,address)';

// Wider than the 32 bits that the interface declares for some numbers: the words are the same, and none is refused.
export const FIXED_FEE = '(int64,address,bool,bool,address)';
export const FRACTIONAL_FEE = '(int64,int64,int64,int64,bool,address)';
export const ROYALTY_FEE = '(int64,int64,int64,address,bool,address)';
export const EXPIRY = '(int64,address,int64)';
const TOKEN = `(string,string,address,string,bool,int64,bool,(uint256,${KEY_VALUE})[],${EXPIRY})`;

export const TOKEN_INFO = `(${TOKEN},int64,bool,bool,bool,${FIXED_FEE}[],${FRACTIONAL_FEE}[],${ROYALTY_FEE}[],string)`;
export const FUNGIBLE_TOKEN_INFO = `(${TOKEN_INFO},int32)`;
export const NON_FUNGIBLE_TOKEN_INFO = `(${TOKEN_INFO},int64,address,int64,bytes,address)`;

const NO_BYTES = new Uint8Array(0);

export const emptyKeyValue: KeyValueTuple = [false, ZERO_ADDRESS, NO_BYTES, NO_BYTES, ZERO_ADDRESS];

/** What the shown token is when there is none. */
export const absentToken: TokenRecord = {
  id: 0n,
  type: 'FUNGIBLE_COMMON',
  name: '',
  symbol: '',
  decimals: 0,
  totalSupply: 0n,
  supplyType: 'INFINITE',
  maxSupply: 0n,
  treasuryId: undefined,
  deleted: false,
  paused: false,
  freezeDefault: false,
  kycDefault: false,
  keys: {},
  memo: '',
  metadata: NO_BYTES,
  createdTimestamp: 0n,
  expirySeconds: 0n,
  autoRenewPeriodSeconds: 0n,
  autoRenewAccountId: undefined,
  customFees: { fixed: [], fractional: [], royalty: [] },
};

const contractAddress = ({ contract }: ContractID): AddressHex => {
  if (contract?.$case === 'evmAddress') return toHex(contract.evmAddress).padStart(40, '0');
  return contract === undefined ? ZERO_ADDRESS : contract.contractNum.toString(16).padStart(40, '0');
};

/** A serialized key as a struct; lists and thresholds show as empty, as does an absent key. */
export const keyValue = (key: Uint8Array | undefined): KeyValueTuple => {
  const value = key === undefined ? undefined : Key.decode(key).key;
  const [inherit, contract, ed25519, ecdsa, delegatable] = emptyKeyValue;
  switch (value?.$case) {
    case 'ed25519':
      return [inherit, contract, value.ed25519, ecdsa, delegatable];
    case 'ECDSASecp256k1':
      return [inherit, contract, ed25519, value.ECDSASecp256k1, delegatable];
    case 'contractID':
      return [inherit, contractAddress(value.contractID), ed25519, ecdsa, delegatable];
    case 'delegatableContractId':
      return [inherit, contract, ed25519, ecdsa, contractAddress(value.delegatableContractId)];
    default:
      return emptyKeyValue;
  }
};

/** The token's key by its bit; undefined for an absent key and an unknown bit. */
export const keyOfBit = (token: TokenRecord, bit: bigint): Uint8Array | undefined => {
  const name = tokenKeyBits.find(([known]) => known === bit)?.[1];
  return name === undefined ? undefined : token.keys[name];
};

export const expiry = (token: TokenRecord): AbiValue => [
  token.expirySeconds,
  longZeroOrNone(token.autoRenewAccountId),
  token.autoRenewPeriodSeconds,
];

/** Fixed, fractional and royalty fees. */
export const customFees = ({ fixed, fractional, royalty }: CustomFees): readonly [AbiValue, AbiValue, AbiValue] => [
  fixed.map(({ amount, denominatingTokenId, collectorId }) => [
    amount,
    longZeroOrNone(denominatingTokenId),
    denominatingTokenId === undefined,
    false,
    longZeroOrNone(collectorId),
  ]),
  fractional.map(({ numerator, denominator, minimum, maximum, netOfTransfers, collectorId }) => [
    numerator,
    denominator,
    minimum,
    maximum,
    netOfTransfers,
    longZeroOrNone(collectorId),
  ]),
  royalty.map(({ numerator, denominator, fallback, collectorId }) => [
    numerator,
    denominator,
    fallback?.amount ?? 0n,
    longZeroOrNone(fallback?.denominatingTokenId),
    fallback?.denominatingTokenId === undefined,
    longZeroOrNone(collectorId),
  ]),
];

export const tokenInfo = (token: TokenRecord, ledgerId: string): AbiValue => [
  [
    token.name,
    token.symbol,
    longZeroOrNone(token.treasuryId),
    token.memo,
    token.supplyType === 'FINITE',
    token.maxSupply,
    token.freezeDefault,
    tokenKeyBits.map(([bit, name]) => [bit, keyValue(token.keys[name])]),
    expiry(token),
  ],
  token.totalSupply,
  token.deleted,
  token.kycDefault,
  token.paused,
  ...customFees(token.customFees),
  ledgerId,
];
