/** Keys that a frame's sender signs with. */
import { decodeEntityId, type EntityId } from '../../../ledger/entity-id.ts';
import { Key } from '../../../protobuf/generated/services/basic_types.ts';
import type { World } from '../../state/world.ts';

/** Serialized key under which a contract itself signs. */
const contractKey = (id: EntityId): Uint8Array => {
  const { shard, realm, num } = decodeEntityId(id);
  const contract = { $case: 'contractNum', contractNum: num } as const;
  const contractID = { shardNum: shard, realmNum: realm, contract };
  return Key.encode({ key: { $case: 'contractID', contractID } }).finish();
};

/** Serialized key of a caller: a contract signs as itself, an account with its own key. */
export const callerKey = async (world: World, callerId: EntityId): Promise<Uint8Array | undefined> => {
  const caller = await world.entity(callerId);
  return caller?.type === 'CONTRACT' ? contractKey(callerId) : caller?.key;
};

const collect = (key: Key | undefined, found: Uint8Array[]): void => {
  switch (key?.key?.$case) {
    case 'ed25519':
      found.push(key.key.ed25519);
      break;
    case 'ECDSASecp256k1':
      found.push(key.key.ECDSASecp256k1);
      break;
    case 'contractID':
    case 'delegatableContractId':
      found.push(Key.encode(key).finish());
      break;
    case 'keyList':
      for (const member of key.key.keyList.keys) collect(member, found);
      break;
    case 'thresholdKey':
      for (const member of key.key.thresholdKey.keys?.keys ?? []) collect(member, found);
      break;
    default:
  }
};

/** Simple keys by which a serialized key signs: raw public keys, and contract keys as they are serialized. */
export const signingKeys = (key: Uint8Array | undefined): readonly Uint8Array[] => {
  if (key === undefined) return [];
  const found: Uint8Array[] = [];
  collect(Key.decode(key), found);
  return found;
};
