import { type KeyObject, sign } from 'node:crypto';
import { HashAlgorithm } from '../../protobuf/generated/streams/hash_object.ts';
import { SignatureFile, type SignatureObject, SignatureType } from '../../protobuf/generated/streams/signature_file.ts';
import {
  SHA384_WITH_RSA,
  SIGNATURE_CHECKSUM_BASE,
  SIGNATURE_CLASS_ID,
  SIGNATURE_CLASS_VERSION,
  V4_SIGNATURE_MARKER,
} from '../signature-file.ts';
import { hashObjectBytes, int32s, uint64 } from './record-file-v5.ts';

export interface SignatureFileContent {
  readonly fileHash: Uint8Array;
  readonly metadataHash: Uint8Array;
  /** RSA private key of the node. */
  readonly privateKey: KeyObject;
}

/** Signs a record file v6. One RSA signature of 3072 bits takes about a millisecond; there are two. */
export const writeSignatureFileV6 = ({ fileHash, metadataHash, privateKey }: SignatureFileContent): Uint8Array => {
  const message = SignatureFile.encode(
    SignatureFile.fromPartial({
      fileSignature: signatureObject(fileHash, privateKey),
      metadataSignature: signatureObject(metadataHash, privateKey),
    }),
  ).finish();
  return Buffer.concat([Buffer.of(6), message]);
};

const signatureObject = (hash: Uint8Array, privateKey: KeyObject): Omit<SignatureObject, '_unknownFields'> => {
  const signature = sign('sha384', hash, privateKey);
  return {
    type: SignatureType.SHA_384_WITH_RSA,
    length: signature.length,
    checksum: SIGNATURE_CHECKSUM_BASE - signature.length,
    signature,
    hashObject: { algorithm: HashAlgorithm.SHA_384, length: hash.length, hash },
  };
};

/** Signs a record file v5. */
export const writeSignatureFileV5 = ({ fileHash, metadataHash, privateKey }: SignatureFileContent): Uint8Array =>
  Buffer.concat([
    Buffer.of(5),
    int32s(1),
    ...[fileHash, metadataHash].flatMap((hash) => {
      const signature = sign('sha384', hash, privateKey);
      const { length } = signature;
      return [
        hashObjectBytes(hash),
        uint64(SIGNATURE_CLASS_ID),
        int32s(SIGNATURE_CLASS_VERSION, SHA384_WITH_RSA, length, SIGNATURE_CHECKSUM_BASE - length),
        signature,
      ];
    }),
  ]);

/** Signs a record file v1 or v2, whose signature files have version 4. */
export const writeSignatureFileV4 = ({
  fileHash,
  privateKey,
}: Omit<SignatureFileContent, 'metadataHash'>): Uint8Array => {
  const signature = sign('sha384', fileHash, privateKey);
  return Buffer.concat([Buffer.of(4), fileHash, Buffer.of(V4_SIGNATURE_MARKER), int32s(signature.length), signature]);
};
