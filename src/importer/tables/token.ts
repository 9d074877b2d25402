/** Tokens, associations with accounts, airdrops, NFTs and custom fees. */
import { fill, fillExcept, isGiven, overwriteWhere, sum } from '../state/merge-rules.ts';
import { addBalance } from './balance.ts';
import { merged } from './definition.ts';
import { kept, rangedVersions, sweptVersions } from './retention.ts';

const FEES = ['fixed_fees', 'fractional_fees', 'royalty_fees'] as const;

const SUPPLY =
  'case when s.total_supply >= 0 then s.total_supply ' +
  'else coalesce(e.total_supply, 0) + coalesce(s.total_supply, 0) end';

/** A version of an association that says when it was created starts afresh; any other builds on the existing row. */
const ofAssociation = (fresh: string, continued: string): string =>
  `case when s.created_timestamp is not null then ${fresh} else ${continued} end`;

const SPENDERS = ['spender', 'delegating_spender'] as const;

/** 0 stands for "as it was"; no value clears. */
const retainable = (column: string): string => `case when s.${column} = 0 then e.${column} else s.${column} end`;

export const tokenTables = {
  custom_fee: merged('custom_fee', {
    key: ['entity_id'],
    expressions: {
      fixed_fees: 's.fixed_fees',
      fractional_fees: 's.fractional_fees',
      royalty_fees: 's.royalty_fees',
    },
    combination: { inherit: fillExcept(FEES), repeat: Object.assign },
    retention: kept,
    history: rangedVersions,
  }),
  token: merged('token', {
    key: ['token_id'],
    insertOnly: [
      'created_timestamp',
      'decimals',
      'freeze_default',
      'freeze_status',
      'initial_supply',
      'kyc_status',
      'max_supply',
      'supply_type',
      'type',
    ],
    deltas: { total_supply: SUPPLY },
    expressions: { total_supply: SUPPLY },
    condition: 'coalesce(s.created_timestamp, e.created_timestamp) is not null',
    combination: {
      inherit: (next, previous) => {
        const supply = next.total_supply;
        if (isGiven(supply) && supply < 0n) next.total_supply = sum(supply, previous.total_supply);
        fill(next, previous);
      },
      // A supply that is not negative is the new supply; a negative one is what it decreases by.
      applyDelta: (version, { total_supply: supply }) => {
        if (isGiven(supply)) version.total_supply = supply >= 0n ? supply : sum(version.total_supply, supply);
      },
    },
    retention: kept,
    history: rangedVersions,
  }),
  token_account: merged('token_account', {
    key: ['account_id', 'token_id'],
    deltas: {
      balance: 'e.balance + coalesce(s.balance, 0)',
      balance_timestamp: 'coalesce(s.balance_timestamp, e.balance_timestamp)',
    },
    expressions: {
      balance: ofAssociation('coalesce(s.balance, 0)', 'coalesce(e.balance, 0) + coalesce(s.balance, 0)'),
      freeze_status: ofAssociation('s.freeze_status', 'coalesce(s.freeze_status, e.freeze_status)'),
      kyc_status: ofAssociation('s.kyc_status', 'coalesce(s.kyc_status, e.kyc_status)'),
    },
    combination: {
      deltaCarriesForward: true,
      inherit: (next, previous) => {
        if (isGiven(next.created_timestamp)) return;
        const balance = sum(next.balance, previous.balance);
        fill(next, previous);
        next.balance = balance;
      },
      // Old records carry the same association twice; the second says nothing new.
      repeat: () => {},
      applyDelta: addBalance,
      absorbDelta: (next, delta) => {
        next.balance = sum(next.balance, delta.balance);
        if (!isGiven(next.balance_timestamp) || isGiven(delta.balance)) {
          next.balance_timestamp = delta.balance_timestamp;
        }
      },
    },
    retention: kept,
    history: rangedVersions,
    holds: { of: 'tokens', at: 'now', account: 'account_id' },
  }),
  token_airdrop: merged('token_airdrop', {
    key: ['receiver_account_id', 'sender_account_id', 'serial_number', 'token_id'],
    retention: kept,
    history: rangedVersions,
  }),
  nft: merged('nft', {
    key: ['token_id', 'serial_number'],
    insertOnly: ['created_timestamp'],
    expressions: {
      account_id: 'case when coalesce(s.deleted, e.deleted) then null else coalesce(s.account_id, e.account_id) end',
      delegating_spender: retainable('delegating_spender'),
      spender: retainable('spender'),
    },
    combination: {
      // 0 retains the spender of the version before, which may itself be 0: then the database's.
      inherit: (next, previous) => {
        fillExcept(SPENDERS)(next, previous);
        for (const column of SPENDERS) if (next[column] === 0n) next[column] = previous[column];
      },
      repeat: overwriteWhere((value) => isGiven(value) && value !== 0n),
    },
    retention: kept,
    history: sweptVersions,
  }),
};
