/** Keys of tokens as contracts pass them. */
import { decodeEntityId, type EntityId } from '../../../../ledger/entity-id.ts';
import { Key } from '../../../../protobuf/generated/services/basic_types.ts';
import { refuse } from '../../../hapi/operation.ts';
import type { AddressHex, TokenKeyName } from '../../../state/records.ts';
import type { World } from '../../../state/world.ts';
import type { KeyValueTuple } from '../../abi/abi-type.ts';
import { tokenKeyBits } from '../token-key-bits.ts';
import { ZERO_ADDRESS } from './addressed.ts';

export type TokenKeyTuple = readonly [keyType: bigint, value: KeyValueTuple];

/** `(uint256 keyType, KeyValue)[]` */
export const TOKEN_KEYS = '(uint256,(bool,address,bytes,bytes,address))[]';

/** Id that no contract has. */
const NOBODY: EntityId = 0n;

const encoded = (key: NonNullable<Key['key']>): Uint8Array => Key.encode({ key }).finish();

const contractKey = async (
  world: World,
  address: AddressHex,
  form: 'contractID' | 'delegatableContractId',
): Promise<Uint8Array> => {
  const { shard, realm, num } = decodeEntityId((await world.idAt(address)) ?? NOBODY);
  const id = { shardNum: shard, realmNum: realm, contract: { $case: 'contractNum', contractNum: num } } as const;
  return form === 'contractID'
    ? encoded({ $case: 'contractID', contractID: id })
    : encoded({ $case: 'delegatableContractId', delegatableContractId: id });
};

/** The key of the account that asks; a contract without one is its own key. */
const inheritedKey = async (world: World, callerId: EntityId, caller: AddressHex): Promise<Uint8Array> =>
  (await world.entity(callerId))?.key ?? contractKey(world, caller, 'contractID');

/** A key value that names several keys is none, like one that names no key. */
export const namesOneKey = ([
  inheritAccountKey,
  contractId,
  ed25519,
  ecdsa,
  delegatableContractId,
]: KeyValueTuple): boolean => {
  const isNamed = [
    inheritAccountKey,
    contractId !== ZERO_ADDRESS,
    ed25519.length === 32,
    ecdsa.length === 33,
    delegatableContractId !== ZERO_ADDRESS,
  ];
  return isNamed.filter(Boolean).length === 1;
};

const keyOf = async (
  [inheritAccountKey, contractId, ed25519, ecdsa, delegatableContractId]: KeyValueTuple,
  world: World,
  callerId: EntityId,
  caller: AddressHex,
): Promise<Uint8Array> => {
  if (inheritAccountKey) return inheritedKey(world, callerId, caller);
  if (contractId !== ZERO_ADDRESS) return contractKey(world, contractId, 'contractID');
  if (ed25519.length === 32) return encoded({ $case: 'ed25519', ed25519 });
  if (ecdsa.length === 33) return encoded({ $case: 'ECDSASecp256k1', ECDSASecp256k1: ecdsa });
  if (delegatableContractId !== ZERO_ADDRESS) return contractKey(world, delegatableContractId, 'delegatableContractId');
  return refuse('KEY_NOT_PROVIDED');
};

/** Serialized keys by what they are for; one element may name several purposes. */
export const tokenKeysOf = async (
  tuples: readonly TokenKeyTuple[],
  world: World,
  callerId: EntityId,
  caller: AddressHex,
): Promise<Partial<Record<TokenKeyName, Uint8Array>>> => {
  const keys: Partial<Record<TokenKeyName, Uint8Array>> = {};
  for (const [types, value] of tuples) {
    const key = await keyOf(value, world, callerId, caller);
    for (const [bit, name] of tokenKeyBits) if ((types & bit) !== 0n) keys[name] = key;
  }
  return keys;
};
