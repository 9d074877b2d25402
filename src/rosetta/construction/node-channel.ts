/**
 * Calls to nodes. Nodes speak TLS on one port and plain text on the others. Their certificates are self-signed: what
 * vouches for one is its hash in the address book.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { connect } from 'node:tls';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';

export const PLAIN_PORT = 50_211;
export const TLS_PORT = 50_212;

export const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1));

export interface NodeCall {
  /** `host:port` */
  readonly address: string;
  /** SHA-384 of the node's certificate as PEM, hex digits; undefined: whatever certificate is taken. */
  readonly certificateHash: string | undefined;
  readonly path: string;
  readonly bytes: Uint8Array;
  /** For the whole call. */
  readonly timeoutMs: number;
}

/** Why a node could not be asked, as `STATUS: text`. */
export class NodeCallFailure extends Error {
  override readonly name = 'NodeCallFailure';
}

const PEM_LINE = /.{1,64}/g;

const pemOf = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${(der.toString('base64').match(PEM_LINE) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`;

const isHashOf = (hash: string, pem: string): boolean => {
  const expected = Buffer.from(hash.replace(/^0x/i, ''), 'hex');
  const actual = createHash('sha384').update(pem).digest();
  return expected.length === actual.length && timingSafeEqual(expected, actual);
};

/** The certificate that the node presents, as PEM. @throws NodeCallFailure */
const presentedCertificate = ({ address, timeoutMs }: NodeCall): Promise<string> =>
  new Promise((resolve, reject) => {
    const port = portOf(address);
    const host = address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
    // Nothing is sent on this connection.
    const socket = connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    const fail = (text: string): void => {
      socket.destroy();
      reject(new NodeCallFailure(`UNAVAILABLE: ${text}`));
    };
    socket.setTimeout(timeoutMs, () => fail('the node did not answer in time'));
    socket.once('error', (error) => fail(error.message));
    socket.once('secureConnect', () => {
      const { raw } = socket.getPeerCertificate();
      if (raw === undefined) fail('the node has no certificate');
      else resolve(pemOf(raw));
      socket.destroy();
    });
  });

const credentialsFor = async (call: NodeCall) => {
  if (portOf(call.address) !== TLS_PORT) return credentials.createInsecure();
  const certificate = await presentedCertificate(call);
  const { certificateHash: hash } = call;
  if (hash !== undefined && !isHashOf(hash, certificate)) {
    throw new NodeCallFailure('UNAVAILABLE: the certificate of the node is not that of the address book');
  }
  // From here on only this certificate will do; the names in it are none that nodes are reached by.
  return credentials.createSsl(Buffer.from(certificate), null, null, { checkServerIdentity: () => undefined });
};

/**
 * Makes one attempt, and gives what `decode` makes of the answer.
 * @throws NodeCallFailure
 */
export const callNode = async <T>(call: NodeCall, decode: (bytes: Buffer) => T): Promise<T | undefined> => {
  const deadline = Date.now() + call.timeoutMs;
  const client = new Client(call.address, await credentialsFor(call), {
    'grpc.enable_retries': 0,
    // The name in the handshake, which may not be a number.
    'grpc.ssl_target_name_override': 'localhost',
  });
  try {
    return await new Promise((resolve, reject) => {
      client.makeUnaryRequest<Uint8Array, T>(
        call.path,
        (message) => Buffer.from(message),
        decode,
        call.bytes,
        { deadline },
        (error: ServiceError | null, answer) => {
          if (error === null) resolve(answer);
          else reject(new NodeCallFailure(`${status[error.code] ?? 'UNKNOWN'}: ${error.details}`, { cause: error }));
        },
      );
    });
  } finally {
    client.close();
  }
};
