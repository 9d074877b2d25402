import { describe, expect, it } from 'vitest';
import { readSignatureFile } from './signature-file.ts';
import { verifySignatureFile } from './signature-verification.ts';
import { makeNodes, recordName } from './testing/network.fixture.ts';
import { writeSignatureFileV4, writeSignatureFileV5, writeSignatureFileV6 } from './write/signature-file.ts';

const [node, other] = makeNodes(2);
if (node === undefined || other === undefined) throw new Error('no test nodes');
const NAME = recordName(1_700_000_000_000_000_000n, '.rcd_sig');
const fileHash = Buffer.alloc(48, 1);
const metadataHash = Buffer.alloc(48, 2);
const content = { fileHash, metadataHash, privateKey: node.privateKey };
const files = { 4: writeSignatureFileV4(content), 5: writeSignatureFileV5(content), 6: writeSignatureFileV6(content) };

describe('signature files', () => {
  it.each([4, 5, 6] as const)('reads and verifies version %i', async (version) => {
    const signature = readSignatureFile(NAME, files[version]);
    expect(signature).toMatchObject({ name: NAME, version });
    expect(Buffer.from(signature.file.hash)).toEqual(fileHash);
    expect(signature.metadata && Buffer.from(signature.metadata.hash)).toEqual(version === 4 ? null : metadataHash);
    await verifySignatureFile(signature, node.publicKey, 'node 0');
    await expect(verifySignatureFile(signature, other.publicKey, 'node 1')).rejects.toMatchObject({
      code: 'STREAM_BAD_SIGNATURE',
      message: expect.stringContaining('the file signature is not one of node 1'),
    });
  });

  it.each([5, 6] as const)('refuses version %i when only the metadata signature is wrong', async (version) => {
    const signature = readSignatureFile(NAME, files[version]);
    const swapped = {
      ...signature,
      metadata: { hash: fileHash, signature: signature.metadata?.signature ?? fileHash },
    };
    await expect(verifySignatureFile(swapped, node.publicKey, 'node 0')).rejects.toMatchObject({
      message: expect.stringContaining('the metadata signature'),
    });
  });

  it.each([
    ['version 4 with a byte too many', Buffer.concat([files[4], Buffer.of(1)]), 'STREAM_TRAILING_BYTES'],
    ['version 4 cut', files[4].subarray(0, 100), 'STREAM_TRUNCATED'],
    ['version 5 without metadata', files[5].subarray(0, 5 + 68 + 24 + 256), 'STREAM_TRUNCATED'],
    ['version 5 with a byte too many', Buffer.concat([files[5], Buffer.of(1)]), 'STREAM_TRAILING_BYTES'],
    ['version 6 cut', files[6].subarray(0, 300), 'STREAM_TRUNCATED'],
    ['version 6 with an unknown field', Buffer.concat([files[6], Buffer.of(24, 1)]), 'STREAM_MALFORMED'],
    [
      'the pre-release layout of version 5',
      Buffer.from('0000000500000001f422da83a251741e', 'hex'),
      'STREAM_UNKNOWN_VERSION',
    ],
    ['an unknown version', Buffer.concat([Buffer.of(7), files[6]]), 'STREAM_UNKNOWN_VERSION'],
    ['nothing', Buffer.alloc(0), 'STREAM_TRUNCATED'],
    ['a huge file', Buffer.alloc(1 << 20, 6), 'STREAM_OVERSIZED'],
  ])('refuses %s', (_what, bytes, code) => {
    expect(() => readSignatureFile(NAME, bytes)).toThrowError(
      expect.objectContaining({ code, details: expect.objectContaining({ file: NAME }) }),
    );
  });

  it('refuses a wrong checksum', () => {
    const bytes = Buffer.from(files[5]);
    bytes.writeInt32BE(0, 5 + 68 + 20);
    expect(() => readSignatureFile(NAME, bytes)).toThrow('checksum of the file signature is 0, must be -155');
  });

  it('refuses the name of a data file', () => {
    expect(() => readSignatureFile(NAME.replace('_sig', ''), files[6])).toThrowError(
      expect.objectContaining({ code: 'STREAM_WRONG_NAME' }),
    );
  });
});
