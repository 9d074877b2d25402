/** From operations to the data of a transaction and back: transfers of hbar, and the creation of an account. */
import { CryptoCreateTransactionBody } from '../../protobuf/generated/services/crypto_create.ts';
import { CryptoTransferTransactionBody } from '../../protobuf/generated/services/crypto_transfer.ts';
import type { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { hbarAmount, tinybarsOf } from '../amount.ts';
import type { Operation } from '../blocks/operations.ts';
import { CRYPTOCREATEACCOUNT, CRYPTOTRANSFER } from '../operation-names.ts';
import type { JsonObject } from '../request.ts';
import { rosettaError } from '../rosetta-error.ts';
import { accountIdOf, type ConstructionNetwork, formatAccount, parseAccount, parseAccountNumber } from './accounts.ts';
import { formatKey, parseKey } from './public-key.ts';
import type { RequestedOperation, RequestedOperations } from './requested-operations.ts';

export interface ConstructedData {
  readonly data: NonNullable<TransactionBody['data']>;
  /** Addresses as sent; the first one pays. */
  readonly signers: readonly [string, ...string[]];
}

const TINYBARS = 100_000_000n;

/** What a transaction may cost at most, in tinybars. */
export const maxFeeOf = (type: RequestedOperations['type']): bigint =>
  type === CRYPTOTRANSFER ? TINYBARS : 5n * TINYBARS;

const transfersOf = (operations: readonly RequestedOperation[], network: ConstructionNetwork): ConstructedData => {
  const signers = new Set<string>();
  let total = 0n;
  const accountAmounts = operations.map(({ account, amount }) => {
    const accountID = accountIdOf(parseAccount(account), network);
    if (amount === undefined) throw rosettaError('invalidOperations');
    const tinybars = tinybarsOf(amount);
    if (tinybars === 0n) throw rosettaError('invalidOperationsAmount');
    if (tinybars < 0n) signers.add(account);
    total += tinybars;
    return { accountID, amount: tinybars };
  });
  const [payer, ...others] = signers;
  if (total !== 0n || payer === undefined) throw rosettaError('invalidOperationsTotal');
  const cryptoTransfer = CryptoTransferTransactionBody.fromPartial({ transfers: { accountAmounts } });
  return { data: { $case: 'cryptoTransfer', cryptoTransfer }, signers: [payer, ...others] };
};

/** @throws RosettaError 126 when it is of another type */
const optionalOf = <T extends string | number>(metadata: JsonObject, name: string, kind: 'string' | 'number') => {
  const value = metadata[name] ?? undefined;
  const isWrong = kind === 'number' ? !Number.isSafeInteger(value) : typeof value !== kind;
  if (value !== undefined && isWrong) throw rosettaError('invalidOperationMetadata');
  return value as T | undefined;
};

const DEFAULT_AUTO_RENEW_SECONDS = 7_890_000n;
const MAX_INT32 = 2_147_483_647;

const creationOf = (operations: RequestedOperations['operations'], network: ConstructionNetwork): ConstructedData => {
  const [{ account, amount, metadata }, ...others] = operations;
  if (others.length > 0) throw rosettaError('invalidOperations');
  parseAccount(account);
  if (amount === undefined) throw rosettaError('invalidOperations');
  const tinybars = tinybarsOf(amount);
  if (tinybars > 0n) throw rosettaError('invalidOperationsAmount');
  const keyText = optionalOf<string>(metadata, 'key', 'string');
  const key = keyText === undefined ? undefined : parseKey(keyText);
  if (key === undefined) throw rosettaError('invalidOperationMetadata');
  const period = optionalOf<number>(metadata, 'auto_renew_period', 'number') ?? 0;
  const associations = optionalOf<number>(metadata, 'max_automatic_token_associations', 'number') ?? 0;
  if (Math.abs(associations) > MAX_INT32) throw rosettaError('invalidOperationMetadata');
  const proxy = optionalOf<string>(metadata, 'proxy_account_id', 'string');
  let proxyAccountID: ReturnType<typeof accountIdOf> | undefined;
  try {
    proxyAccountID = proxy === undefined || proxy === '' ? undefined : accountIdOf(parseAccountNumber(proxy), network);
  } catch (cause) {
    throw rosettaError('invalidOperationMetadata', { cause });
  }
  const cryptoCreateAccount = CryptoCreateTransactionBody.fromPartial({
    key,
    initialBalance: -tinybars,
    ...(proxyAccountID && { proxyAccountID }),
    autoRenewPeriod: { seconds: period > 0 ? BigInt(period) : DEFAULT_AUTO_RENEW_SECONDS },
    memo: optionalOf<string>(metadata, 'memo', 'string') ?? '',
    maxAutomaticTokenAssociations: associations,
  });
  return { data: { $case: 'cryptoCreateAccount', cryptoCreateAccount }, signers: [account] };
};

/** @throws RosettaError 102, 104, 105, 126, 130, 134 */
export const constructData = (
  { type, operations }: RequestedOperations,
  network: ConstructionNetwork,
): ConstructedData => (type === CRYPTOTRANSFER ? transfersOf(operations, network) : creationOf(operations, network));

export interface ParsedData {
  readonly operations: readonly Operation[];
  readonly signers: readonly string[];
}

const operation = (index: number, type: string, address: string, tinybars: bigint): Operation => ({
  operation_identifier: { index },
  type,
  account: { address },
  amount: hbarAmount(tinybars),
});

const required = <T>(value: T | undefined): T => {
  if (value === undefined) throw rosettaError('invalidTransaction');
  return value;
};

const parseTransfers = ({ transfers }: CryptoTransferTransactionBody): ParsedData => {
  const operations = (transfers?.accountAmounts ?? []).map(({ accountID, amount }, index) =>
    operation(index, CRYPTOTRANSFER, required(formatAccount(accountID)), amount),
  );
  const senders = operations
    .filter(({ amount }) => amount?.value.startsWith('-'))
    .map(({ account }) => account.address);
  return { operations, signers: [...new Set(senders)] };
};

const parseCreation = (created: CryptoCreateTransactionBody, payer: string): ParsedData => {
  const { autoRenewPeriod, maxAutomaticTokenAssociations, proxyAccountID } = created;
  const proxy = proxyAccountID && formatAccount(proxyAccountID);
  const metadata = {
    key: required(created.key && formatKey(created.key)),
    memo: created.memo,
    ...(autoRenewPeriod && autoRenewPeriod.seconds > 0n ? { auto_renew_period: Number(autoRenewPeriod.seconds) } : {}),
    ...(maxAutomaticTokenAssociations === 0 ? {} : { max_automatic_token_associations: maxAutomaticTokenAssociations }),
    ...(proxy === undefined || /\.0$/.test(proxy) ? {} : { proxy_account_id: proxy }),
  };
  return {
    operations: [{ ...operation(0, CRYPTOCREATEACCOUNT, payer, -created.initialBalance), metadata }],
    signers: [payer],
  };
};

/** @throws RosettaError 121, 133 */
export const parseData = ({ data, transactionID }: TransactionBody): ParsedData => {
  const payer = required(formatAccount(transactionID?.accountID));
  if (data?.$case === 'cryptoTransfer') return parseTransfers(data.cryptoTransfer);
  if (data?.$case === 'cryptoCreateAccount') return parseCreation(data.cryptoCreateAccount, payer);
  throw rosettaError('transactionInvalidType');
};
