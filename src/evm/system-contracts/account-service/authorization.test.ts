import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { keccak256 } from '../../../ledger/hash.ts';
import { Key, SignatureMap } from '../../../protobuf/generated/services/basic_types.ts';
import { entityRecord } from '../../state/testing/memory-reader.fixture.ts';
import {
  address0x,
  ENOUGH_GAS,
  inputOf,
  longZero,
  outputHex,
  outputText,
  recordedRun,
  systemCall,
} from '../testing/system-call.fixture.ts';
import { createAccountService } from './account-service.ts';

const ED = 1001n;
const ECDSA = 1002n;
const LIST = 1003n;
const HOLLOW = 1004n;
const CONTRACT = 1005n;
const THRESHOLD = 1006n;
const ALIASED_ED = 1007n;
const alias = 'aa'.repeat(20);
const hollowAlias = 'bb'.repeat(20);
const edAlias = 'dd'.repeat(20);

const edSecret = new Uint8Array(32).fill(1);
const ecdsaSecret = new Uint8Array(32).fill(2);
const edPublic = ed25519.getPublicKey(edSecret);
const ecdsaPublic = secp256k1.getPublicKey(ecdsaSecret);
const edKey: Key = { key: { $case: 'ed25519', ed25519: edPublic } };
const ecdsaKey: Key = { key: { $case: 'ECDSASecp256k1', ECDSASecp256k1: ecdsaPublic } };
const contractKey: Key = {
  key: {
    $case: 'contractID',
    contractID: { shardNum: 0n, realmNum: 0n, contract: { $case: 'contractNum', contractNum: CONTRACT } },
  },
};
const encoded = (key: Key): Uint8Array => Key.encode(key).finish();
const list = (...keys: Key[]): Key => ({ key: { $case: 'keyList', keyList: { keys } } });
const threshold = (count: number, ...keys: Key[]): Key => ({
  key: { $case: 'thresholdKey', thresholdKey: { threshold: count, keys: { keys } } },
});

const service = createAccountService();
const hex = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`;
const at = (num: bigint) => address0x(longZero(num));
const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const answer = (...values: readonly bigint[]) => `0x${values.map(word).join('')}`;

const newRun = () =>
  recordedRun({
    entities: [
      entityRecord(ED, { key: encoded(edKey) }),
      entityRecord(ECDSA, { key: encoded(ecdsaKey), evmAddress: alias }),
      entityRecord(LIST, { key: encoded(list(edKey, ecdsaKey)) }),
      entityRecord(HOLLOW, { key: undefined, evmAddress: hollowAlias }),
      entityRecord(CONTRACT, { key: undefined, type: 'CONTRACT' }),
      entityRecord(THRESHOLD, { key: encoded(threshold(1, contractKey, list(edKey), ecdsaKey)) }),
      entityRecord(ALIASED_ED, { key: encoded(edKey), evmAddress: edAlias }),
    ],
  });

const message = new TextEncoder().encode('agreed');
const hash = keccak256(message);
const edSignature = ed25519.sign(message, edSecret);
const ecdsaSignature = secp256k1.sign(hash, ecdsaSecret, { prehash: false });
const withRecovery = (...value: number[]): Uint8Array => new Uint8Array([...ecdsaSignature, ...value]);

describe('isAuthorizedRaw', () => {
  const ask = (address: string, data: Uint8Array, signature: Uint8Array, changes = {}, run = newRun()) =>
    service.call(
      systemCall(inputOf('isAuthorizedRaw(address,bytes,bytes)', address, hex(data), hex(signature)), changes),
      run,
    );

  it('checks ED25519 signatures over the bytes given', async () => {
    const run = newRun();
    const result = await ask(at(ED), message, edSignature, {}, run);
    expect(result).toMatchObject({ outcome: 'success', gasUsed: 3_000n });
    expect(outputHex(result)).toBe(answer(1n));
    expect(run.records).toEqual([{ status: 22 }]);
    expect(outputHex(await ask(at(ED), hash, edSignature))).toBe(answer(0n));
    expect(outputHex(await ask(address0x(edAlias), message, edSignature))).toBe(answer(1n));
  });

  it('checks secp256k1 signatures over a hash, with any form of recovery value', async () => {
    for (const value of [[0], [1], [27], [28], [37], [2, 0x79]]) {
      const result = await ask(address0x(alias), hash, withRecovery(...value));
      expect(result).toMatchObject({ outcome: 'success', gasUsed: 3_000n });
      expect(outputHex(result)).toBe(answer(1n));
    }
    expect(outputHex(await ask(address0x(alias), hash, withRecovery(5)))).toBe(answer(0n));
    expect(outputHex(await ask(address0x(alias), keccak256(hash), withRecovery(27)))).toBe(answer(0n));
    expect(outputHex(await ask(address0x(alias), hash, new Uint8Array(65).fill(27)))).toBe(answer(0n));
  });

  it.each([
    ['a short signature', at(ED), message, new Uint8Array(63), 'INVALID_TRANSACTION_BODY'],
    ['a long signature', at(ED), message, new Uint8Array(73), 'INVALID_TRANSACTION_BODY'],
    ['a hash of another length', address0x(alias), message, withRecovery(27), 'INVALID_TRANSACTION_BODY'],
    ['a long-zero address with a secp256k1 signature', at(ECDSA), hash, withRecovery(27), 'INVALID_ACCOUNT_ID'],
    ['an unknown alias', address0x('cc'.repeat(20)), hash, withRecovery(27), 'INVALID_ACCOUNT_ID'],
    ['an unknown account', at(4000n), message, edSignature, 'INVALID_ACCOUNT_ID'],
    ['a hollow account', address0x(hollowAlias), message, edSignature, 'INVALID_TRANSACTION_BODY'],
    ['a number in place of an alias', at(ALIASED_ED), message, edSignature, 'INVALID_ACCOUNT_ID'],
    ['a list of keys', at(LIST), message, edSignature, 'INVALID_TRANSACTION_BODY'],
    ['a threshold key', at(THRESHOLD), message, edSignature, 'INVALID_TRANSACTION_BODY'],
    ['a key of the other kind', address0x(alias), message, edSignature, 'INVALID_SIGNATURE_TYPE_MISMATCHING_KEY'],
    ['a contract', at(CONTRACT), message, edSignature, 'INVALID_SIGNATURE_TYPE_MISMATCHING_KEY'],
  ])('reverts for %s and takes all gas', async (_case, address, data, signature, status) => {
    const result = await ask(address, data, signature);
    expect(result).toMatchObject({ outcome: 'revert', gasUsed: ENOUGH_GAS });
    expect(outputText(result)).toBe(status);
  });

  it('reverts for too little gas, halts for a secp256k1 signature of another key and in static frames', async () => {
    const poor = await ask(at(ED), message, edSignature, { gas: 2_999n });
    expect(poor).toMatchObject({ outcome: 'revert', gasUsed: 2_999n });
    expect(outputText(poor)).toBe('INSUFFICIENT_GAS');
    expect(await ask(address0x(edAlias), hash, withRecovery(27))).toEqual({
      outcome: 'halt',
      reason: 'PRECOMPILE_ERROR',
    });
    expect(await ask(at(ED), message, edSignature, { isStatic: true })).toMatchObject({ outcome: 'halt' });
  });
});

describe('isAuthorized', () => {
  const edPair = { pubKeyPrefix: edPublic.slice(0, 4), signature: { $case: 'ed25519' as const, ed25519: edSignature } };
  const ecdsaPair = {
    pubKeyPrefix: ecdsaPublic,
    signature: { $case: 'ECDSASecp256k1' as const, ECDSASecp256k1: withRecovery(28) },
  };
  const wrongPair = {
    ...edPair,
    pubKeyPrefix: new Uint8Array(0),
    signature: { $case: 'ed25519' as const, ed25519: new Uint8Array(64) },
  };
  const map = (...sigPair: SignatureMap['sigPair']): Uint8Array => SignatureMap.encode({ sigPair }).finish();
  const ask = (address: string, signatures: Uint8Array, changes = {}) =>
    service.call(
      systemCall(inputOf('isAuthorized(address,bytes,bytes)', address, hex(message), hex(signatures)), changes),
      newRun(),
    );

  it.each([
    ['a simple key', at(ED), map(edPair), 1n, 3_000n],
    ['the best prefix', at(ED), map(wrongPair, edPair), 1n, 3_000n],
    ['a wrong signature', at(ED), map(wrongPair), 0n, 3_000n],
    ['no signature', at(ED), map(), 0n, 3_000n],
    ['a signature of the other kind', at(ED), map(ecdsaPair), 0n, 3_000n],
    ['an alias', address0x(alias), map(ecdsaPair), 1n, 3_000n],
    ['a whole list', at(LIST), map(edPair, ecdsaPair), 1n, 6_000n],
    ['half a list', at(LIST), map(edPair), 0n, 6_000n],
    ['a threshold', at(THRESHOLD), map(edPair), 1n, 6_000n],
    ['a threshold without signatures', at(THRESHOLD), map(wrongPair), 0n, 6_000n],
    ['a hollow account', address0x(hollowAlias), map(edPair), 0n, 0n],
    ['a contract', at(CONTRACT), map(edPair), 0n, 0n],
  ])('answers for %s', async (_case, address, signatures, signed, gasUsed) => {
    const result = await ask(address, signatures);
    expect(result).toMatchObject({ outcome: 'success', gasUsed });
    expect(outputHex(result)).toBe(answer(22n, signed));
  });

  it('tells problems in a frame that succeeds and takes all gas', async () => {
    const unknown = await ask(at(4000n), map(edPair));
    expect(unknown).toMatchObject({ outcome: 'success', gasUsed: ENOUGH_GAS });
    expect(outputHex(unknown)).toBe(answer(15n, 0n));
    expect(outputHex(await ask(at(ALIASED_ED), map(edPair)))).toBe(answer(15n, 0n));
    const unparsable = await ask(at(ED), new Uint8Array([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff]));
    expect(unparsable).toMatchObject({ outcome: 'success', gasUsed: ENOUGH_GAS });
    expect(outputHex(unparsable)).toBe(answer(50n, 0n));
  });

  it('needs gas for every key, and a frame that is not static', async () => {
    expect(await ask(at(LIST), map(edPair), { gas: 5_999n })).toEqual({ outcome: 'halt', reason: 'INSUFFICIENT_GAS' });
    expect(await ask(at(ED), map(edPair), { isStatic: true })).toMatchObject({ outcome: 'halt' });
  });
});
