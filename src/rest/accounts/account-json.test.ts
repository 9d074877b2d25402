import { describe, expect, it } from 'vitest';
import { cellsOf, jsonOf } from '../../api/resource/testing/cells.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { account } from './account.ts';

const text = (
  changes: Readonly<Record<string, string>> = {},
  omit: readonly string[] = ['delegation_address'],
): string => {
  const cells = cellsOf(account, {
    'p.id': '8',
    'p.decline_reward': 'f',
    'to_json(p.memo)': '""',
    'p.pending_reward': '0',
    ...changes,
  });
  return jsonOf((out) => account.writer({ omit })(out, cells));
};
const json = (...parameters: Parameters<typeof text>) => JSON.parse(text(...parameters));

describe('a delegation', () => {
  it.each([
    ['', '0x'],
    ['\\x', '0x'],
    [`\\x${'00'.repeat(20)}`, '0x'],
    [`\\x${'00'.repeat(19)}01`, `0x${'00'.repeat(19)}01`],
  ])('of %j is shown as %s', (delegationAddress, shown) => {
    expect(json({ 'p.delegation_address': delegationAddress }, []).delegation_address).toBe(shown);
  });
});

describe('an account', () => {
  it('shows null for what is not known', () => {
    expect(json()).toEqual({
      account: '0.0.8',
      alias: null,
      auto_renew_period: null,
      balance: { balance: null, timestamp: null, tokens: [] },
      created_timestamp: null,
      decline_reward: false,
      deleted: null,
      ethereum_nonce: null,
      evm_address: '0x0000000000000000000000000000000000000008',
      expiry_timestamp: null,
      key: null,
      max_automatic_token_associations: null,
      memo: '',
      pending_reward: 0,
      receiver_sig_required: null,
      staked_account_id: null,
      staked_node_id: null,
      stake_period_start: null,
    });
  });

  it('keeps all digits of 64-bit integers', () => {
    const shown = text({
      'p.balance': '9223372036847275807',
      'p.ethereum_nonce': '9007199254740993',
      'p.tokens': '90001\x1d9223372036847275807\x1d90010\x1d22',
    });
    expect(shown).toContain('"balance":{"balance":9223372036847275807,');
    expect(shown).toContain('"ethereum_nonce":9007199254740993,');
    expect(shown).toContain(
      '"tokens":[{"token_id":"0.0.90001","balance":9223372036847275807},{"token_id":"0.0.90010","balance":22}]',
    );
  });

  it('shows the delegation address only where it is enabled', () => {
    expect(json({}, []).delegation_address).toBe('0x');
    expect(json({ 'p.delegation_address': `\\x${'0a'.repeat(20)}` }, []).delegation_address).toBe(
      `0x${'0a'.repeat(20)}`,
    );
    expect(json({ 'p.delegation_address': `\\x${'0a'.repeat(20)}` })).not.toHaveProperty('delegation_address');
  });

  it('shows its own EVM address, else an alias that is one, else its num', () => {
    const alias = `\\x${'01'.repeat(20)}`;
    expect(json({ 'p.evm_address': `\\x${'ab'.repeat(20)}`, 'p.alias': alias }).evm_address).toBe(
      `0x${'ab'.repeat(20)}`,
    );
    expect(json({ 'p.alias': alias }).evm_address).toBe(`0x${'01'.repeat(20)}`);
    expect(json({ 'p.alias': '\\xdeadbeef' })).toMatchObject({
      alias: '32W353Y',
      evm_address: '0x0000000000000000000000000000000000000008',
    });
    expect(json({ 'p.id': encodeEntityId(1n, 2n, 255n).toString() })).toMatchObject({
      account: '1.2.255',
      evm_address: `0x${'ff'.padStart(40, '0')}`,
    });
  });

  it('expires when it was told to, else after its first renewal period', () => {
    const created = { 'p.created_timestamp': '9999123456789', 'p.auto_renew_period': '8000001' };
    expect(json(created).expiry_timestamp).toBe('8010000.123456789');
    expect(json({ ...created, 'p.expiration_timestamp': '5' }).expiry_timestamp).toBe('0.000000005');
    expect(json({ 'p.auto_renew_period': '8000001' }).expiry_timestamp).toBeNull();
    expect(json({ 'p.expiration_timestamp': '-9223372036854775808' }).expiry_timestamp).toBe('-9223372036.854775808');
  });

  it('shows node and period only of a stake to a node', () => {
    expect(json({ 'p.staked_node_id': '0', 'p.stake_period_start': '1000' })).toMatchObject({
      staked_node_id: 0,
      stake_period_start: '86400000.000000000',
    });
    expect(json({ 'p.staked_node_id': '3', 'p.stake_period_start': '-1' })).toMatchObject({
      staked_node_id: 3,
      stake_period_start: null,
    });
    expect(
      json({ 'p.staked_node_id': '-1', 'p.stake_period_start': '1000', 'p.staked_account_id': '200' }),
    ).toMatchObject({
      staked_account_id: '0.0.200',
      staked_node_id: null,
      stake_period_start: null,
    });
    expect(json({ 'p.staked_account_id': '0' }).staked_account_id).toBeNull();
    expect(json({ 'p.staked_node_id': '1', 'p.stake_period_start': '1705318581' }).stake_period_start).toBe(
      '147339525398400.000000000',
    );
  });
});
