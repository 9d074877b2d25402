import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../database/connection.ts';
import type { LedgerBatch } from '../ledger-batch.ts';
import { since, useTestLedger } from '../testing/ledger.fixture.ts';

const ledger = useTestLedger();

/** One staged version; `at` is its consensus timestamp. */
type Change = (batch: LedgerBatch, at: bigint) => void;

const bytes = fc.uint8Array({ minLength: 0, maxLength: 2 });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const small = fc.bigInt({ min: -50n, max: 50n });
const id = fc.constantFrom(1n, 2n, 3n);

const entityDelta: fc.Arbitrary<Change> = fc.tuple(id, small).map(
  ([key, amount]) =>
    (batch, at) =>
      batch.addBalance(key, amount, at),
);

const entityNonce: fc.Arbitrary<Change> = id.map(
  (key) => (batch, at) => batch.stage('entity', { id: key, ethereum_nonce: at }),
);

const entityChange: fc.Arbitrary<Change> = fc
  .record({
    id,
    memo: maybe(fc.constantFrom('', 'a', 'b')),
    public_key: maybe(fc.constantFrom('', 'aa')),
    alias: maybe(bytes),
    deleted: maybe(fc.boolean()),
    stake_period_start: maybe(small),
    balance: maybe(fc.constant(0n)),
    type: maybe(fc.constant('ACCOUNT' as const)),
  })
  .map(
    (version) => (batch, at) =>
      batch.stage('entity', {
        ...version,
        balance_timestamp: version.balance === undefined ? undefined : at,
        timestamp_range: since(at),
      }),
  );

/** New supplies, and reductions of it (negative); a network's supply never falls below zero. */
const tokenSupply: fc.Arbitrary<Change> = fc.tuple(id, fc.constantFrom(1000n, 2000n, -1n, -3n)).map(
  ([key, supply]) =>
    (batch) =>
      batch.stage('token', { token_id: key, total_supply: supply }),
);

const tokenChange: fc.Arbitrary<Change> = fc
  .record({ token_id: id, name: maybe(fc.constantFrom('n', 'm')), freeze_key: maybe(bytes), decimals: maybe(small) })
  .map((version) => (batch, at) => batch.stage('token', { ...version, timestamp_range: since(at) }));

const association: fc.Arbitrary<Change> = fc
  .record({ account_id: id, automatic_association: fc.boolean(), kyc_status: maybe(fc.constantFrom(1, 2)) })
  .map(
    (version) => (batch, at) =>
      batch.stage('token_account', {
        ...version,
        token_id: 1n,
        associated: true,
        balance: 0n,
        balance_timestamp: at,
        created_timestamp: at,
        timestamp_range: since(at),
      }),
  );

const associationChange: fc.Arbitrary<Change> = fc
  .record({ account_id: id, associated: fc.boolean(), freeze_status: maybe(fc.constantFrom(1, 2)) })
  .map(
    (version) => (batch, at) => batch.stage('token_account', { ...version, token_id: 1n, timestamp_range: since(at) }),
  );

const tokenBalance: fc.Arbitrary<Change> = fc.tuple(id, small).map(
  ([key, balance]) =>
    (batch, at) =>
      batch.stage('token_account', { account_id: key, token_id: 1n, balance, balance_timestamp: at }),
);

/** A burned NFT never comes back: its serial number is not given again. */
const nftChange: fc.Arbitrary<Change> = fc
  .record({
    serial_number: id,
    account_id: maybe(id),
    metadata: maybe(bytes),
    deleted: maybe(fc.constant(true)),
    spender: maybe(fc.constantFrom(0n, 8n, 9n)),
    delegating_spender: maybe(fc.constantFrom(0n, 8n)),
  })
  .map((version) => (batch, at) => batch.stage('nft', { ...version, token_id: 1n, timestamp_range: since(at) }));

const allowance: fc.Arbitrary<Change> = fc.tuple(id, fc.bigInt({ min: 0n, max: 100n })).map(
  ([owner, amount]) =>
    (batch, at) =>
      batch.stage('crypto_allowance', {
        owner,
        spender: 1n,
        payer_account_id: owner,
        amount,
        amount_granted: amount,
        timestamp_range: since(at),
      }),
);

const allowanceDebit: fc.Arbitrary<Change> = fc.tuple(id, fc.bigInt({ min: -50n, max: -1n }), id).map(
  ([owner, amount, payer_account_id]) =>
    (batch) =>
      batch.stage('crypto_allowance', { owner, spender: 1n, amount, payer_account_id }),
);

const tokenAllowance: fc.Arbitrary<Change> = fc.tuple(id, fc.constantFrom(0n, 100n, -3n), id).map(
  ([owner, amount, payer_account_id]) =>
    (batch, at) =>
      batch.stage('token_allowance', {
        owner,
        spender: 1n,
        token_id: 1n,
        payer_account_id,
        amount,
        ...(amount >= 0n && { amount_granted: amount, timestamp_range: since(at) }),
      }),
);

const nftAllowance: fc.Arbitrary<Change> = fc.tuple(id, fc.boolean(), id).map(
  ([owner, approved_for_all, payer_account_id]) =>
    (batch, at) =>
      batch.stage('nft_allowance', {
        owner,
        spender: 1n,
        token_id: 1n,
        payer_account_id,
        approved_for_all,
        timestamp_range: since(at),
      }),
);

const airdrop: fc.Arbitrary<Change> = fc
  .tuple(id, fc.constantFrom('PENDING' as const, 'CANCELLED' as const, 'CLAIMED' as const))
  .map(
    ([receiver_account_id, state]) =>
      (batch, at) =>
        batch.stage('token_airdrop', {
          receiver_account_id,
          sender_account_id: 1n,
          serial_number: 0n,
          token_id: 1n,
          amount: state === 'PENDING' ? at : undefined,
          state,
          timestamp_range: since(at),
        }),
  );

const endpoint = fc.constantFrom('{"port":-1}', '{"port":1}', '{"port":2}');

const nodeChange: fc.Arbitrary<Change> = fc
  .record({
    node_id: id,
    account_id: maybe(id),
    admin_key: maybe(bytes),
    associated_registered_nodes: maybe(fc.constantFrom<bigint[]>([], [1n], [2n, 3n])),
    created_timestamp: maybe(small),
    decline_reward: maybe(fc.boolean()),
    grpc_proxy_endpoint: maybe(endpoint),
    deleted: fc.boolean(),
  })
  .map((version) => (batch, at) => batch.stage('node', { ...version, timestamp_range: since(at) }));

const registeredNodeChange: fc.Arbitrary<Change> = fc
  .record({
    registered_node_id: id,
    admin_key: maybe(bytes),
    created_timestamp: maybe(small),
    deleted: fc.boolean(),
    description: maybe(fc.constantFrom('', 'd')),
    type: maybe(fc.constantFrom<number[]>([], [1], [0, 2])),
  })
  .map((version) => (batch, at) => batch.stage('registered_node', { ...version, timestamp_range: since(at) }));

const contractSlot: fc.Arbitrary<Change> = fc.tuple(id, bytes).map(
  ([contract_id, value]) =>
    (batch, at) =>
      batch.stage('contract_state', {
        contract_id,
        slot: new Uint8Array(32),
        value,
        created_timestamp: at,
        modified_timestamp: at,
      }),
);

/** A schedule is executed after its creation: those of the ids stand in the ledger from the beginning. */
const scheduleExecution: fc.Arbitrary<Change> = id.map(
  (schedule_id) => (batch, at) => batch.stage('schedule', { schedule_id, executed_timestamp: at }),
);

const newSchedule = (schedule_id: bigint, at: bigint) => ({
  schedule_id,
  consensus_timestamp: at,
  creator_account_id: 1n,
  payer_account_id: 2n,
  transaction_body: Uint8Array.of(1),
  wait_for_expiry: false,
});

/** One that is executed at once, and one that waits. */
const scheduleCreations: fc.Arbitrary<Change> = fc.constant((batch, at) => {
  batch.stage('schedule', newSchedule(at, at));
  batch.stage('schedule', { schedule_id: at, executed_timestamp: at });
  batch.stage('schedule', newSchedule(at + 1_000n, at));
});

const ledgerIdentity: fc.Arbitrary<Change> = fc.tuple(id, bytes).map(
  ([ledger, history_proof_verification_key]) =>
    (batch, at) =>
      batch.stage('ledger', {
        ledger_id: Uint8Array.of(Number(ledger)),
        consensus_timestamp: at,
        history_proof_verification_key,
        node_contributions: '[]',
      }),
);

const messageSpan: fc.Arbitrary<Change> = id.map(
  (topic_id) => (batch, at) =>
    batch.stage('topic_message_lookup', {
      topic_id,
      partition: 'p',
      sequence_number_range: { lower: at, upper: at + 1n },
      timestamp_range: { lower: at, upper: at + 1n },
    }),
);

const fees: fc.Arbitrary<Change> = fc
  .record({ entity_id: id, fixed_fees: maybe(fc.constant('[]')), royalty_fees: maybe(fc.constant('[1]')) })
  .map((version) => (batch, at) => batch.stage('custom_fee', { ...version, timestamp_range: since(at) }));

const stageHook = (
  batch: LedgerBatch,
  at: bigint,
  owner_id: bigint,
  created: { contract_id: bigint | undefined } | null,
) =>
  batch.stage('hook', {
    owner_id,
    hook_id: 1n,
    contract_id: created?.contract_id,
    created_timestamp: created === null ? undefined : at,
    deleted: created === null,
    timestamp_range: since(at),
  });

const hookChange: fc.Arbitrary<Change> = fc.tuple(id, fc.option(fc.record({ contract_id: maybe(id) }))).map(
  ([owner, created]) =>
    (batch, at) =>
      stageHook(batch, at, owner, created),
);

/** One transaction deletes hooks before it creates others. */
const hookReplacement: fc.Arbitrary<Change> = fc
  .tuple(id, fc.record({ contract_id: maybe(id) }))
  .map(([owner, created]) => (batch, at) => {
    stageHook(batch, at, owner, null);
    stageHook(batch, at, owner, created);
  });

const slotChange: fc.Arbitrary<Change> = fc.tuple(id, bytes).map(
  ([owner_id, value]) =>
    (batch, at) =>
      batch.stage('hook_storage', {
        owner_id,
        hook_id: 1n,
        key: new Uint8Array(32),
        value,
        deleted: value.length === 0,
        created_timestamp: at,
        modified_timestamp: at,
      }),
);

const topicChange: fc.Arbitrary<Change> = fc
  .record({ id, admin_key: maybe(bytes), submit_key: maybe(bytes), created_timestamp: maybe(small) })
  .map((version) => (batch, at) => batch.stage('topic', { ...version, timestamp_range: since(at) }));

/** Two changes by one transaction, such as an update that also pays a staking reward. */
const atOneInstant = (change: fc.Arbitrary<Change>): fc.Arbitrary<Change> =>
  fc.tuple(change, change).map(([first, second]) => (batch, at) => {
    first(batch, at);
    second(batch, at);
  });

const change = fc.oneof(
  entityDelta,
  entityDelta,
  entityNonce,
  entityChange,
  tokenSupply,
  tokenChange,
  association,
  associationChange,
  tokenBalance,
  nftChange,
  allowance,
  allowanceDebit,
  fees,
  hookChange,
  slotChange,
  topicChange,
  atOneInstant(entityChange),
  atOneInstant(tokenChange),
  atOneInstant(associationChange),
  atOneInstant(nftChange),
  atOneInstant(topicChange),
  hookReplacement,
);

const rarerChange = fc.oneof(
  airdrop,
  contractSlot,
  ledgerIdentity,
  messageSpan,
  nftAllowance,
  nodeChange,
  registeredNodeChange,
  scheduleCreations,
  scheduleExecution,
  tokenAllowance,
  atOneInstant(nodeChange),
);

/** Blocks of changes, and after which blocks a batch ends. */
const historyOf = (one: fc.Arbitrary<Change>) =>
  fc
    .array(fc.array(one, { minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 6 })
    .chain((blocks) =>
      fc.tuple(fc.constant(blocks), fc.array(fc.boolean(), { minLength: blocks.length, maxLength: blocks.length })),
    );

const tables = [
  'entity',
  'token',
  'token_account',
  'nft',
  'crypto_allowance',
  'token_allowance',
  'nft_allowance',
  'token_airdrop',
  'custom_fee',
  'hook',
  'topic',
  'node',
  'registered_node',
].flatMap((table) => [table, `${table}_history`]);
tables.push('hook_storage', 'contract_state', 'schedule', 'ledger', 'topic_message_lookup');

/** What blocks leave in an empty ledger in which tokens and schedules exist, written in batches of the given sizes. */
const ledgerAfter = async (blocks: readonly Change[][], batches: readonly number[]): Promise<Record<string, Row[]>> => {
  await ledger.database.query(tables.map((table) => `delete from ${table}`).join(';'));
  await ledger.write((batch) => {
    for (const key of [1n, 2n, 3n]) {
      batch.stage('token', {
        token_id: key,
        created_timestamp: 1n,
        decimals: 0n,
        freeze_status: 0,
        initial_supply: 0n,
        kyc_status: 0,
        name: 'n',
        symbol: 's',
        treasury_account_id: 2n,
        total_supply: 1000n,
        timestamp_range: since(1n),
      });
      batch.stage('schedule', newSchedule(key, 1n));
    }
  });
  let at = 100n;
  const fill = blocks.map((changes) => {
    const start = at;
    at += BigInt(changes.length);
    return (batch: LedgerBatch): void => {
      changes.forEach((apply, index) => {
        apply(batch, start + BigInt(index));
      });
    };
  });
  let next = 0;
  for (const size of batches) {
    await ledger.write(...fill.slice(next, next + size));
    next += size;
  }
  const state: Record<string, Row[]> = {};
  for (const table of tables) state[table] = await ledger.rows(table);
  return state;
};

const batchSizes = (ends: readonly boolean[]): number[] => {
  const sizes = [0];
  for (const isEnd of ends) {
    sizes[sizes.length - 1] = (sizes.at(-1) ?? 0) + 1;
    if (isEnd) sizes.push(0);
  }
  return sizes.filter((size) => size > 0);
};

describe('a batch of several blocks', () => {
  it.each([
    ['accounts, tokens, NFTs, hooks and topics', change],
    ['nodes, allowances, airdrops, schedules and storage', rarerChange],
  ])(
    'leaves the same rows as its blocks written one by one or in any grouping: %s',
    { timeout: 120_000 },
    async (_, one) => {
      await fc.assert(
        fc.asyncProperty(historyOf(one), async ([blocks, ends]) => {
          const oneByOne = await ledgerAfter(
            blocks,
            blocks.map(() => 1),
          );
          expect(await ledgerAfter(blocks, [blocks.length])).toEqual(oneByOne);
          expect(await ledgerAfter(blocks, batchSizes(ends))).toEqual(oneByOne);
        }),
        { numRuns: 40 },
      );
    },
  );
});
