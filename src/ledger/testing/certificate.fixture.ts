/** Self-signed certificates as nodes have them (X.509 by hand: Node.js reads certificates but makes none). */
import { generateKeyPairSync, sign } from 'node:crypto';

const SEQUENCE = 0x30;

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};

const ED25519 = der(SEQUENCE, Buffer.from([0x06, 0x03, 0x2b, 0x65, 0x70]));
const COMMON_NAME = Buffer.from([0x06, 0x03, 0x55, 0x04, 0x03]);

export interface Certificate {
  /** PEM */
  readonly certificate: string;
  /** PEM */
  readonly key: string;
}

export const selfSignedCertificate = (commonName: string): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const name = der(SEQUENCE, der(0x31, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from(commonName)))));
  const time = (text: string): Buffer => der(0x17, Buffer.from(text));
  const content = der(
    SEQUENCE,
    der(0x02, Buffer.from([1])),
    ED25519,
    name,
    der(SEQUENCE, time('200101000000Z'), time('490101000000Z')),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
  );
  const signature = der(0x03, Buffer.from([0]), sign(null, content, privateKey));
  const lines =
    der(SEQUENCE, content, ED25519, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
};
