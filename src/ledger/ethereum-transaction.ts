/**
 * Signed Ethereum transactions as their senders wrote them: legacy, with an access list
 * ([EIP-2930](https://eips.ethereum.org/EIPS/eip-2930)), with a fee market
 * ([EIP-1559](https://eips.ethereum.org/EIPS/eip-1559)) and with authorizations
 * ([EIP-7702](https://eips.ethereum.org/EIPS/eip-7702)). All amounts are weibars. Recovers no senders, checks no
 * signatures.
 */
import { encode } from '@ethereumjs/rlp';
import { KagamiError } from '../errors/kagami-error.ts';
import { decodeRlp, type RlpItem } from './rlp.ts';

export interface AccessListEntry {
  readonly address: Uint8Array;
  readonly storageKeys: readonly Uint8Array[];
}

/** Lets an account run the code at `address` (EIP-7702). */
export interface Authorization {
  readonly chainId: Uint8Array;
  readonly address: Uint8Array;
  readonly nonce: bigint;
  readonly yParity: number;
  readonly signatureR: Uint8Array;
  readonly signatureS: Uint8Array;
}

/** Byte strings are as they stand in the transaction, views of its bytes; null for what its type doesn't have. */
export interface EthereumTransaction {
  /** 0 legacy, 1 EIP-2930, 2 EIP-1559, 4 EIP-7702. */
  readonly type: number;
  /**
   * Of a legacy transaction, what its `v` says: minimal signed bytes, null without replay protection
   * ([EIP-155](https://eips.ethereum.org/EIPS/eip-155)).
   */
  readonly chainId: Uint8Array | null;
  readonly nonce: bigint;
  readonly gasPrice: Uint8Array | null;
  readonly maxPriorityFeePerGas: Uint8Array | null;
  readonly maxFeePerGas: Uint8Array | null;
  readonly gasLimit: bigint;
  /** Empty for the creation of a contract. */
  readonly toAddress: Uint8Array;
  readonly value: bigint;
  /** Empty also when the data is in a file. */
  readonly callData: Uint8Array;
  readonly accessList: readonly AccessListEntry[] | null;
  readonly authorizationList: readonly Authorization[] | null;
  /** 0 or 1: the parity of the signature's y. */
  readonly recoveryId: number;
  readonly signatureV: Uint8Array | null;
  readonly signatureR: Uint8Array;
  readonly signatureS: Uint8Array;
}

const LEGACY = 0;
const LEGACY_FIELDS = 9;
const LEGACY_CALL_DATA = 5;

/** How many fields a typed transaction has, and which of them is the call data. */
interface Layout {
  readonly fields: number;
  readonly callData: number;
}

const TYPED: ReadonlyMap<number, Layout> = new Map([
  [1, { fields: 11, callData: 6 }],
  [2, { fields: 12, callData: 7 }],
  [4, { fields: 13, callData: 7 }],
]);

/** RLP lists begin with a byte from here on; types are below. */
const FIRST_LIST_BYTE = 0xc0;

const invalid = (reason: string, cause?: unknown): KagamiError =>
  new KagamiError('ETHEREUM_TRANSACTION_INVALID', `Invalid Ethereum transaction: ${reason}`, {
    details: { reason },
    ...(cause === undefined ? {} : { cause }),
  });

const typeOf = (raw: Uint8Array): number => {
  const [first] = raw;
  if (first === undefined) throw invalid('it has no bytes');
  if (first >= FIRST_LIST_BYTE) return LEGACY;
  if (!TYPED.has(first)) throw invalid(`type ${first} is unknown`);
  return first;
};

const layoutOf = (type: number): Layout => TYPED.get(type) ?? { fields: LEGACY_FIELDS, callData: LEGACY_CALL_DATA };

const fieldsOf = (raw: Uint8Array, type: number): readonly RlpItem[] => {
  let item: RlpItem;
  try {
    item = decodeRlp(raw, type === LEGACY ? 0 : 1);
  } catch (cause) {
    throw invalid(cause instanceof Error ? cause.message : String(cause), cause);
  }
  const expected = layoutOf(type).fields;
  if (item instanceof Uint8Array) throw invalid('it is no list');
  if (item.length !== expected) throw invalid(`type ${type} has ${expected} fields, not ${item.length}`);
  return item;
};

/** Takes the fields of a list one after the other. */
class Fields {
  readonly #items: readonly RlpItem[];
  #next = 0;

  constructor(items: readonly RlpItem[]) {
    this.#items = items;
  }

  bytes(what: string): Uint8Array {
    const item = this.#items[this.#next++];
    if (!(item instanceof Uint8Array)) throw invalid(`the ${what} is no byte string`);
    return item;
  }

  list(what: string): readonly RlpItem[] {
    const item = this.#items[this.#next++];
    if (item === undefined || item instanceof Uint8Array) throw invalid(`the ${what} is no list`);
    return item;
  }

  /** An unsigned number of any size in its shortest form. */
  number(what: string): bigint {
    return unsigned(this.bytes(what), what);
  }

  /** An unsigned number of at most 64 bits. */
  uint64(what: string): bigint {
    const bytes = this.bytes(what);
    if (bytes.length > 8) throw invalid(`the ${what} has more than 64 bits`);
    return unsigned(bytes, what);
  }

  parity(): number {
    const parity = this.number('parity');
    if (parity > 1n) throw invalid('the parity is neither 0 nor 1');
    return Number(parity);
  }
}

const unsigned = (bytes: Uint8Array, what: string): bigint => {
  if (bytes[0] === 0) throw invalid(`the ${what} begins with zeros`);
  return bytes.length === 0
    ? 0n
    : BigInt(`0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`);
};

/** Shortest big-endian two's complement of a number that isn't negative: a leading zero byte where the high bit is set. */
export const signedBytes = (value: bigint): Uint8Array => {
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return new Uint8Array((bytes[0] as number) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]));
};

const legacyChainId = (v: bigint): Uint8Array | null => (v > 34n ? signedBytes((v - 35n) / 2n) : null);

const decodeLegacy = (fields: Fields): EthereumTransaction => {
  const common = {
    type: LEGACY,
    nonce: fields.uint64('nonce'),
    gasPrice: fields.bytes('gas price'),
    gasLimit: fields.uint64('gas limit'),
    toAddress: fields.bytes('recipient'),
    value: fields.number('value'),
    callData: fields.bytes('call data'),
  };
  const signatureV = fields.bytes('v');
  const v = unsigned(signatureV, 'v');
  return {
    ...common,
    chainId: legacyChainId(v),
    maxPriorityFeePerGas: null,
    maxFeePerGas: null,
    accessList: null,
    authorizationList: null,
    recoveryId: v % 2n === 1n ? 0 : 1,
    signatureV,
    signatureR: fields.bytes('r'),
    signatureS: fields.bytes('s'),
  };
};

const accessListEntry = (item: RlpItem): AccessListEntry => {
  if (item instanceof Uint8Array || item.length !== 2) throw invalid('an entry of the access list has another form');
  const fields = new Fields(item);
  const address = fields.bytes('address of an access list');
  const storageKeys = fields.list('list of storage keys').map((key) => {
    if (!(key instanceof Uint8Array)) throw invalid('a storage key is no byte string');
    return key;
  });
  return { address, storageKeys };
};

const AUTHORIZATION_FIELDS = 6;

const authorization = (item: RlpItem): Authorization => {
  if (item instanceof Uint8Array || item.length !== AUTHORIZATION_FIELDS) {
    throw invalid('an authorization has another form');
  }
  const fields = new Fields(item);
  return {
    chainId: fields.bytes('chain id of an authorization'),
    address: fields.bytes('address of an authorization'),
    nonce: fields.uint64('nonce of an authorization'),
    yParity: fields.parity(),
    signatureR: fields.bytes('r of an authorization'),
    signatureS: fields.bytes('s of an authorization'),
  };
};

const decodeTyped = (type: number, fields: Fields): EthereumTransaction => {
  const hasGasPrice = type === 1;
  return {
    type,
    chainId: fields.bytes('chain id'),
    nonce: fields.uint64('nonce'),
    gasPrice: hasGasPrice ? fields.bytes('gas price') : null,
    maxPriorityFeePerGas: hasGasPrice ? null : fields.bytes('priority fee'),
    maxFeePerGas: hasGasPrice ? null : fields.bytes('maximum fee'),
    gasLimit: fields.uint64('gas limit'),
    toAddress: fields.bytes('recipient'),
    value: fields.number('value'),
    callData: fields.bytes('call data'),
    accessList: fields.list('access list').map(accessListEntry),
    authorizationList: type === 4 ? fields.list('authorization list').map(authorization) : null,
    recoveryId: fields.parity(),
    signatureV: null,
    signatureR: fields.bytes('r'),
    signatureS: fields.bytes('s'),
  };
};

/** @throws KagamiError ETHEREUM_TRANSACTION_INVALID, and nothing else whatever the bytes are. */
export const decodeEthereumTransaction = (raw: Uint8Array): EthereumTransaction => {
  const type = typeOf(raw);
  const fields = new Fields(fieldsOf(raw, type));
  return type === LEGACY ? decodeLegacy(fields) : decodeTyped(type, fields);
};

/**
 * The bytes of the transaction with other call data: what the sender signed when the data was sent in a file.
 * @throws KagamiError ETHEREUM_TRANSACTION_INVALID
 */
export const withCallData = (raw: Uint8Array, callData: Uint8Array): Uint8Array => {
  const type = typeOf(raw);
  const fields = [...fieldsOf(raw, type)];
  fields[layoutOf(type).callData] = callData;
  const list = encode(fields as Parameters<typeof encode>[0]);
  return type === LEGACY ? list : new Uint8Array(Buffer.concat([Buffer.of(type), list]));
};
