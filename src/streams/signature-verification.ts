import { type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import type { SignatureFile, SignedHash } from './signature-file.ts';
import { streamError } from './stream-error.ts';

const verifyInPool = promisify(
  (key: KeyObject, { hash, signature }: SignedHash, done: (error: Error | null, valid?: boolean) => void): void =>
    verify('sha384', hash, key, signature, done),
);

/**
 * Verifies a node's signature file with that node's RSA key: SHA384withRSA over the 48 hash bytes, which the algorithm
 * hashes once more. Runs on the thread pool, about 50 microseconds for each signature.
 * @throws KagamiError STREAM_BAD_SIGNATURE when the file signature, or in v5 and v6 the metadata signature, is not valid.
 */
export const verifySignatureFile = async (signature: SignatureFile, key: KeyObject, signer: string): Promise<void> => {
  const [fileValid, metadataValid] = await Promise.all([
    verifyInPool(key, signature.file),
    signature.metadata === null ? true : verifyInPool(key, signature.metadata),
  ]);
  if (fileValid && metadataValid) return;
  throw streamError('STREAM_BAD_SIGNATURE', {
    file: signature.name,
    rule: `the ${fileValid ? 'metadata' : 'file'} signature is not one of ${signer}`,
  });
};
