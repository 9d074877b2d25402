/** Accounts as REST shows them, written from the texts of account-page.ts. */
import { keyObjectJson } from '../../api/json.ts';
import { encodeAlias } from '../../ledger/alias.ts';
import { toHex } from '../../ledger/bytes.ts';
import { decodeEntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { EVM_ADDRESS_LENGTH, longZeroAddress } from '../../ledger/evm-address.ts';
import { formatTimestamp, NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { tokenBalancesJson } from '../balances/token-balances.ts';
import type { PackedAccount } from './account-page.ts';

export interface AccountJsonOptions {
  /** Shows the balance, or null in its place. */
  readonly showBalance: boolean;
  /** `response.enableDelegationAddress` */
  readonly showDelegationAddress: boolean;
}

const noNode = '-1';
const noPeriod = '-1';
const secondsPerDay = 86_400n;
/** `\x` and two digits a byte. */
const packedEvmAddressLength = 2 + 2 * EVM_ADDRESS_LENGTH;

const numberOrNull = (digits: string): string => digits || 'null';
const flagOrNull = (text: string): string => (text === '' ? 'null' : text === 't' ? 'true' : 'false');
const timestampOrNull = (nanos: string): string => (nanos === '' ? 'null' : `"${formatTimestamp(nanos)}"`);
const bytesOf = (packed: string): Buffer | null => (packed === '' ? null : Buffer.from(packed.slice(2), 'hex'));
const aliasJson = (alias: string): string => (alias === '' ? 'null' : `"${encodeAlias(bytesOf(alias) as Buffer)}"`);
const idOrNull = (id: string): string => (id === '' || id === '0' ? 'null' : `"${formatEntityId(id)}"`);

/** The account's own address; else its alias where that is one; else the one that holds its num. */
const evmAddressOf = ({ evmAddress, alias, id }: PackedAccount): string => {
  if (evmAddress !== '') return evmAddress.slice(2);
  if (alias.length === packedEvmAddressLength) return alias.slice(2);
  return toHex(longZeroAddress(decodeEntityId(BigInt(id)).num));
};

/** What was set; else the end of the first renewal period. */
const expiryJson = ({ expirationTimestamp, createdTimestamp, autoRenewPeriod }: PackedAccount): string => {
  if (expirationTimestamp !== '') return timestampOrNull(expirationTimestamp);
  if (createdTimestamp === '' || autoRenewPeriod === '') return 'null';
  return timestampOrNull((BigInt(createdTimestamp) + BigInt(autoRenewPeriod) * NANOS_PER_SECOND).toString());
};

const stakePeriodStartJson = (day: string): string =>
  day === '' || day === noPeriod ? 'null' : `"${BigInt(day) * secondsPerDay}.000000000"`;

const balanceJson = (a: PackedAccount): string =>
  `{"balance":${numberOrNull(a.balance)},"timestamp":${timestampOrNull(a.balanceTimestamp)},` +
  `"tokens":${tokenBalancesJson(a.tokens)}}`;

const zeroAddress = `\\x${'00'.repeat(EVM_ADDRESS_LENGTH)}`;

/** The zero address takes a delegation back (EIP-7702). */
const delegationJson = (packed: string): string => (packed === zeroAddress ? '"0x"' : `"0x${packed.slice(2)}"`);

/** The members of an account without the braces around them. */
export const accountMembersJson = (account: PackedAccount, options: AccountJsonOptions): string => {
  const a = account;
  const staked = a.stakedNodeId !== '' && a.stakedNodeId !== noNode;
  return (
    `"account":${idOrNull(a.id)},"alias":${aliasJson(a.alias)},"auto_renew_period":${numberOrNull(a.autoRenewPeriod)},` +
    `"balance":${options.showBalance ? balanceJson(a) : 'null'},` +
    `"created_timestamp":${timestampOrNull(a.createdTimestamp)},"decline_reward":${flagOrNull(a.declineReward)},` +
    `${options.showDelegationAddress ? `"delegation_address":${delegationJson(a.delegationAddress)},` : ''}` +
    `"deleted":${flagOrNull(a.deleted)},"ethereum_nonce":${numberOrNull(a.ethereumNonce)},` +
    `"evm_address":"0x${evmAddressOf(a)}","expiry_timestamp":${expiryJson(a)},"key":${keyObjectJson(bytesOf(a.key))},` +
    `"max_automatic_token_associations":${numberOrNull(a.maxAutomaticTokenAssociations)},"memo":${a.memo},` +
    `"pending_reward":${a.pendingReward || '0'},"receiver_sig_required":${flagOrNull(a.receiverSigRequired)},` +
    `"staked_account_id":${idOrNull(a.stakedAccountId)},"staked_node_id":${staked ? a.stakedNodeId : 'null'},` +
    `"stake_period_start":${staked ? stakePeriodStartJson(a.stakePeriodStart) : 'null'}`
  );
};
