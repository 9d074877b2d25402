/** `/construction/*`: from a key and operations to a transaction in the hands of a node. */
import type { Database } from '../../database/connection.ts';
import { fromHex, toHex } from '../../ledger/bytes.ts';
import { formatEntityId } from '../../ledger/entity-id.ts';
import { sha384 } from '../../ledger/hash.ts';
import { Key } from '../../protobuf/generated/services/basic_types.ts';
import { aliasAddress, parseAddress } from '../accounts/address.ts';
import { hbarAmount } from '../amount.ts';
import type { Endpoint } from '../endpoint.ts';
import { operationTypes } from '../operation-names.ts';
import { isObject, type JsonObject, objectsOf, optionalObject, textOf } from '../request.ts';
import { malformed, rosettaError } from '../rosetta-error.ts';
import { createNodes, type NodesOptions } from './nodes.ts';
import { payloadsEndpoint, VALID_SECONDS } from './payloads.ts';
import { parseEd25519Key, verifyEd25519 } from './public-key.ts';
import { isConstructible, requestedOperations } from './requested-operations.ts';
import { submit } from './submission.ts';
import { type FrozenTransaction, formatTransaction, parseTransaction } from './transaction-bytes.ts';
import { constructData, maxFeeOf, parseData } from './transaction-data.ts';

export interface ConstructionEndpointOptions extends NodesOptions {
  readonly database: Pick<Database, 'transaction'>;
  /** Nanoseconds since the epoch. */
  readonly clock: () => bigint;
  readonly submitTimeoutMs: number;
}

const derive = (request: JsonObject): object => {
  const publicKey = optionalObject(request, 'public_key');
  if (publicKey === undefined) throw malformed('PublicKey cannot be nil');
  const key = parseEd25519Key(textOf(publicKey, 'hex_bytes'));
  if (textOf(publicKey, 'curve_type') !== 'edwards25519' || key === undefined) throw rosettaError('invalidPublicKey');
  const address = aliasAddress(Key.encode({ key: { $case: 'ed25519', ed25519: key } }).finish());
  return { account_identifier: { address } };
};

const preprocess = (request: JsonObject, options: ConstructionEndpointOptions): object => {
  const operations = requestedOperations(request);
  const { signers } = constructData(operations, options);
  const [payer] = signers;
  return {
    options: {
      ...optionalObject(request, 'metadata'),
      operation_type: operations.type,
      ...(parseAddress(payer).kind === 'alias' ? { account_aliases: payer } : {}),
    },
    required_public_keys: signers.map((address) => ({ address })),
  };
};

const aliasSql = `select id from entity where alias = $1 and deleted is not true and type in ('ACCOUNT', 'CONTRACT')
  order by id limit 1`;

/** `alias:shard.realm.num`, with commas between them. @throws RosettaError 100, 102, 136, 138 */
const accountMapOf = async (aliases: unknown, options: ConstructionEndpointOptions): Promise<string> => {
  if (typeof aliases !== 'string') throw rosettaError('invalidOptions');
  if (!options.online) throw rosettaError('endpointNotSupportedOffline');
  const addresses = aliases.split(',').map((text) => {
    const address = parseAddress(text);
    if (address.kind !== 'alias') throw rosettaError('invalidAccount');
    return { text, alias: Buffer.from(address.alias) };
  });
  const pairs: string[] = [];
  await options.database.transaction(
    async (client) => {
      for (const { text, alias } of addresses) {
        const [row] = await client.query<{ id: string }>(aliasSql, [alias], 'rosetta-alias');
        if (row === undefined) throw rosettaError('accountNotFound');
        pairs.push(`${text}:${formatEntityId(row.id)}`);
      }
    },
    { readOnly: true },
  );
  return pairs.join(',');
};

const combine = (request: JsonObject): object => {
  const text = textOf(request, 'unsigned_transaction');
  if (text === '') throw malformed('UnsignedTransaction cannot be empty');
  const signatures = objectsOf(request, 'signatures');
  if (signatures.length === 0) throw rosettaError('noSignature');
  const { bodyBytes, signatures: present } = parseTransaction(text);
  const pairs = signatures.map((signature) => {
    if (textOf(signature, 'signature_type') !== 'ed25519') throw rosettaError('invalidSignatureType');
    const publicKey = isObject(signature.public_key) ? textOf(signature.public_key, 'hex_bytes') : '';
    const key = parseEd25519Key(publicKey);
    if (key === undefined) throw rosettaError('invalidPublicKey');
    const ed25519 = fromHex(textOf(signature, 'hex_bytes'));
    if (ed25519 === undefined || !verifyEd25519(key, bodyBytes, ed25519)) throw rosettaError('invalidSignature');
    return { pubKeyPrefix: key, signature: { $case: 'ed25519', ed25519 } } as const;
  });
  return { signed_transaction: formatTransaction(bodyBytes, [...present, ...pairs]) };
};

const parse = (request: JsonObject): object => {
  const text = textOf(request, 'transaction');
  if (text === '') throw malformed('Transaction cannot be empty');
  const { body } = parseTransaction(text);
  const { operations, signers } = parseData(body);
  return {
    operations,
    account_identifier_signers: request.signed === true ? signers.map((address) => ({ address })) : [],
    metadata: body.memo === '' ? {} : { memo: body.memo },
  };
};

const signedTransactionOf = (request: JsonObject, absent: string): FrozenTransaction => {
  const text = textOf(request, 'signed_transaction');
  if (text === '') throw malformed(absent);
  return parseTransaction(text);
};

const identifierOf = ({ signedTransactionBytes }: FrozenTransaction): object => ({
  transaction_identifier: { hash: `0x${toHex(sha384(signedTransactionBytes))}` },
});

export const constructionEndpoints = (options: ConstructionEndpointOptions): readonly Endpoint[] => {
  const { clock, online } = options;
  const readNodes = createNodes(options);

  const metadataOf = async (request: JsonObject): Promise<object> => {
    const { account_aliases: aliases, ...asked } = optionalObject(request, 'options') ?? {};
    const type = asked.operation_type;
    if (typeof type !== 'string') throw rosettaError('invalidOptions');
    if (!isConstructible(type)) {
      throw rosettaError(operationTypes.includes(type) ? 'operationTypeUnsupported' : 'invalidOperationType');
    }
    const accountMap = aliases === undefined ? undefined : await accountMapOf(aliases, options);
    const nodes = await readNodes();
    const node = nodes[Math.floor(Math.random() * nodes.length)];
    if (node === undefined) throw rosettaError('nodeAccountIdsEmpty');
    return {
      metadata: {
        ...asked,
        ...(accountMap === undefined ? {} : { account_map: accountMap }),
        node_account_id: node.account,
        valid_until_nanos: (clock() + VALID_SECONDS * 1_000_000_000n).toString(),
      },
      suggested_fee: [hbarAmount(maxFeeOf(type))],
    };
  };

  const submitted = async (request: JsonObject): Promise<object> => {
    if (!online) throw rosettaError('endpointNotSupportedOffline');
    const transaction = signedTransactionOf(request, 'ConstructionSubmitRequest.SignedTransaction is empty');
    await submit(transaction, await readNodes(), options.submitTimeoutMs);
    return identifierOf(transaction);
  };

  const endpoint = (name: string, serve: Endpoint['serve']): Endpoint => ({
    paths: [`/construction/${name}`],
    offline: true,
    serve,
  });
  return [
    endpoint('derive', derive),
    endpoint('preprocess', (request) => preprocess(request, options)),
    endpoint('metadata', metadataOf),
    payloadsEndpoint({ clock, shard: options.shard, realm: options.realm }),
    endpoint('combine', combine),
    endpoint('parse', parse),
    endpoint('hash', (request) => identifierOf(signedTransactionOf(request, 'SignedTransaction cannot be empty'))),
    endpoint('submit', submitted),
  ];
};
