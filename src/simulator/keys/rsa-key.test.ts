import { createPublicKey, sign, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { sha384 } from '../../ledger/hash.ts';
import { rsaKeyFromSeed } from './rsa-key.ts';

it('makes the same 3072-bit key from the same seed, and it signs', async () => {
  const [key, again, other] = await Promise.all([
    rsaKeyFromSeed('kagami', 'node/0'),
    rsaKeyFromSeed('kagami', 'node/0'),
    rsaKeyFromSeed('kagami', 'node/1'),
  ]);
  expect(key.asymmetricKeyDetails).toMatchObject({ modulusLength: 3_072, publicExponent: 65_537n });
  const text = (value: typeof key) => value.export({ type: 'pkcs8', format: 'pem' });
  expect(text(again)).toBe(text(key));
  expect(text(other)).not.toBe(text(key));
  const hash = sha384(Buffer.from('a file'));
  const signature = sign('sha384', hash, key);
  expect(verify('sha384', hash, createPublicKey(key), signature)).toBe(true);
  expect(verify('sha384', hash, createPublicKey(other), signature)).toBe(false);
});
