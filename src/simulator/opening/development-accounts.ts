import { evmAddressOfEcdsaKey } from '../../ledger/evm-address.ts';
import { TopicID } from '../../protobuf/generated/services/basic_types.ts';
import { protobufKey, publicKeyOf } from '../keys/account-key.ts';
import { publishedKeys } from '../keys/published-keys.ts';
import { TREASURY } from '../network/system-accounts.ts';
import type { BlockBuilder } from '../records/block-builder.ts';
import { accountId, topicId } from '../records/proto-ids.ts';
import { accountOf, addAccount } from '../state/account-book.ts';

const HBAR = 100_000_000n;
/** Tinybars that each account begins with. */
const DEVELOPMENT_BALANCE = 1_000_000n * HBAR;
const AUTO_RENEW_SECONDS = 7_776_000n;
const SLOT_NANOS = 1_000_000n;

/**
 * What local networks have before anybody does anything: a topic (0.0.1001) and ten accounts with published keys and
 * their EVM addresses as aliases (from 0.0.1002 on). Simulated users leave them alone.
 */
export const writeDevelopmentAccounts = (builder: BlockBuilder): void => {
  const { state } = builder;
  const treasury = accountOf(state, TREASURY);
  builder.consensusTime += SLOT_NANOS;
  const num = builder.takeNum();
  builder.submit({
    payer: treasury,
    fee: 0n,
    data: {
      $case: 'consensusCreateTopic',
      consensusCreateTopic: { autoRenewPeriod: { seconds: AUTO_RENEW_SECONDS } },
    },
    receipt: { topicID: topicId(num) },
  });
  state.submitted.topics.set(num, {
    num,
    idBytes: TopicID.encode(topicId(num)).finish(),
    creator: treasury,
    hasSubmitKey: false,
    fee: undefined,
    exempt: [],
    fees: [],
    exemptKeys: [],
    feeScheduleKey: undefined,
    memo: '',
    sequence: 0n,
    runningHash: new Uint8Array(48),
    adminKey: undefined,
    submitKey: undefined,
    autoRenewPeriod: AUTO_RENEW_SECONDS,
    autoRenewAccount: undefined,
    created: builder.consensusTime,
  });
  for (const key of publishedKeys.development) {
    builder.consensusTime += SLOT_NANOS;
    const alias = evmAddressOfEcdsaKey(publicKeyOf(key)) as Uint8Array;
    const account = addAccount(state, { num: builder.takeNum(), key, alias, autoAssociations: -1, pinned: true });
    state.submitted.accounts.set(account.num, {
      created: builder.consensusTime,
      autoRenewPeriod: AUTO_RENEW_SECONDS,
    });
    builder.submit({
      payer: treasury,
      fee: 0n,
      data: {
        $case: 'cryptoCreateAccount',
        cryptoCreateAccount: {
          key: protobufKey(key),
          initialBalance: DEVELOPMENT_BALANCE,
          autoRenewPeriod: { seconds: AUTO_RENEW_SECONDS },
          maxAutomaticTokenAssociations: -1,
          alias,
        },
      },
      receipt: { accountID: accountId(account.num) },
      record: { evmAddress: alias },
      hbar: [
        { account: treasury, amount: -DEVELOPMENT_BALANCE },
        { account, amount: DEVELOPMENT_BALANCE },
      ],
      signers: [key],
    });
  }
};
