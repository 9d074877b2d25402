/** An account as REST shows it. */
import type { Order } from '../../api/page.ts';
import {
  base32,
  derived,
  entityId,
  field,
  flag,
  int32,
  int64,
  key,
  list,
  nullable,
  nullableTimestamp,
  object,
  optional,
  text,
  timestampJson,
} from '../../api/resource/field.ts';
import { type PageStatement, resource } from '../../api/resource/resource.ts';
import type { Variant } from '../../api/resource/writer.ts';
import type { RouteContext } from '../../api/route.ts';
import { int64Schema } from '../../api/schemas.ts';
import { toHex } from '../../ledger/bytes.ts';
import { decodeEntityId } from '../../ledger/entity-id.ts';
import { EVM_ADDRESS_LENGTH, longZeroAddress } from '../../ledger/evm-address.ts';
import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { tokenBalance } from '../balances/token-balances.ts';

/** The account's own address; else its alias where that is one; else the one that holds its num. */
const evmAddress = derived(
  { own: 'p.evm_address', alias: 'p.alias', id: 'p.id' },
  {
    type: 'string',
    pattern: '^0x[0-9a-f]{40}$',
    description: 'Own address; without one, that of the alias or of the num.',
  },
  ({ own, alias, id }) => {
    if (own !== '') return `"0x${own.slice(2)}"`;
    if (alias.length === '\\x'.length + 2 * EVM_ADDRESS_LENGTH) return `"0x${alias.slice(2)}"`;
    return `"0x${toHex(longZeroAddress(decodeEntityId(BigInt(id)).num))}"`;
  },
);

const secondsSchema = { type: ['string', 'null'], pattern: '^-?\\d+\\.\\d{9}$' };

const expiry = derived(
  { set: 'p.expiration_timestamp', created: 'p.created_timestamp', period: 'p.auto_renew_period' },
  { ...secondsSchema, description: 'Expiry that was set; without one, creation and renewal period together.' },
  ({ set, created, period }) => {
    if (set !== '') return timestampJson(set);
    if (created === '' || period === '') return 'null';
    return timestampJson((BigInt(created) + BigInt(period) * NANOS_PER_SECOND).toString());
  },
);

const zeroAddress = `\\x${'00'.repeat(EVM_ADDRESS_LENGTH)}`;

/** The zero address takes a delegation back ([EIP-7702](https://eips.ethereum.org/EIPS/eip-7702)). */
const delegationAddress = optional(
  field(
    'p.delegation_address',
    {
      type: 'string',
      pattern: '^0x([0-9a-f]{40})?$',
      description:
        'Address of the contract whose code runs for the account; `0x` without one. Only where it is enabled.',
    },
    (address) => (address === zeroAddress ? '"0x"' : `"0x${address.slice(2)}"`),
  ),
);

const isNode = (node: string): boolean => node !== '' && node !== '-1';
const secondsPerDay = 86_400n;

const stakedNode = field(
  'p.staked_node_id',
  int64Schema('The node it is staked to.', { type: ['integer', 'null'] }),
  (node) => (isNode(node) ? node : 'null'),
);

const stakePeriodStart = derived(
  { node: 'p.staked_node_id', day: 'p.stake_period_start' },
  {
    ...secondsSchema,
    description:
      'Start of the staking period in which the stake was last changed or rewarded; null unless staked to a node.',
  },
  ({ node, day }) =>
    !isNode(node) || day === '' || day === '-1' ? 'null' : `"${BigInt(day) * secondsPerDay}.000000000"`,
);

const balance = object(
  {
    balance: nullable(int64('p.balance', 'Tinybars; null when it is not known.')),
    timestamp: nullableTimestamp(
      'p.balance_timestamp',
      'When the balance last changed; of a past balance, the snapshot it was taken from.',
    ),
    tokens: list(
      'p.tokens',
      tokenBalance,
      'By token id. Only the first ones of an account that holds very many tokens.',
    ),
  },
  'Null when the request asks for no balances.',
);

export const account = resource({
  name: 'Account',
  description: 'An account, or a contract as the holder of a balance.',
  keys: { id: 'p.id', balance: 'p.balance', balanceTimestamp: 'p.balance_timestamp', tokens: 'p.tokens' },
  fields: {
    account: entityId('p.id', 'The id.'),
    alias: base32('p.alias', 'Alias in base32 without padding.'),
    auto_renew_period: nullable(
      int64('p.auto_renew_period', 'Seconds by which the expiry is extended when it is reached.'),
    ),
    balance: nullable(balance),
    created_timestamp: nullableTimestamp('p.created_timestamp'),
    decline_reward: flag('p.decline_reward', 'Whether staking rewards are declined.'),
    delegation_address: delegationAddress,
    deleted: nullable(flag('p.deleted')),
    ethereum_nonce: nullable(int64('p.ethereum_nonce', 'Nonce of the last Ethereum transaction, or of the contract.')),
    evm_address: evmAddress,
    expiry_timestamp: expiry,
    key: key('p.key'),
    max_automatic_token_associations: nullable(
      int32('p.max_automatic_token_associations', {
        minimum: -1,
        description: 'How many tokens may be associated by transfers alone; -1: any number.',
      }),
    ),
    memo: nullable(text('p.memo')),
    pending_reward: int64('p.pending_reward', 'Tinybars of rewards that the account would collect now.'),
    receiver_sig_required: nullable(
      flag('p.receiver_sig_required', 'Whether receiving hbar or tokens takes a signature of the account.'),
    ),
    staked_account_id: entityId('p.staked_account_id', 'The account it is staked to.'),
    staked_node_id: stakedNode,
    stake_period_start: stakePeriodStart,
  },
});

const computed: readonly string[] = ['pending_reward', 'tokens'];

/** Columns of `entity` and `entity_history` that an account is made of. */
export const entityColumns: readonly string[] = [
  ...new Set([...account.columns.filter((column) => !computed.includes(column)), 'timestamp_range', 'type']),
];

/** The rows of `entity_stake` that count for the accounts `p`. */
export const currentStake = '(select * from entity_stake where id = p.id)';

/**
 * What an account staked to a node may collect. A stake that was changed after the last period whose rewards are known
 * has earned nothing yet.
 */
const pendingReward = (stake: string): string =>
  `case when p.decline_reward or coalesce(p.staked_node_id, -1) = -1 then 0
    else coalesce((select case when p.stake_period_start >= s.end_stake_period then 0 else s.pending_reward end
      from ${stake} s), 0) end`;

/**
 * A statement that gives accounts.
 * @param page statement that gives rows with `entityColumns`
 * @param stake statement in parentheses that gives at most one stake of the account `p`
 * @param tokens expression that packs the token balances of the account `p`
 */
export const accountStatement = (page: string, order: Order, stake: string, tokens: string): PageStatement =>
  account.statement(
    `select p.*, ${pendingReward(stake)} as pending_reward, ${tokens} as tokens from (${page}) p`,
    `p.id ${order}`,
  );

/** How accounts are shown under the settings. */
export const accountVariant = (
  { settings }: Pick<RouteContext, 'settings'>,
  { showBalance }: { readonly showBalance: boolean },
): Variant => ({
  omit: settings.response.enableDelegationAddress ? [] : ['delegation_address'],
  blank: showBalance ? [] : ['balance'],
});
