/**
 * CryptoCreate: a new account, perhaps with an EVM address as alias ([HIP-583](https://hips.hedera.com/hip/hip-583)).
 */
import { EVM_ADDRESS_LENGTH, evmAddressOfEcdsaKey, numOfLongZeroAddress } from '../../ledger/evm-address.ts';
import type { Key } from '../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { currentStakingPeriod } from '../../simulator/network/staking-rewards.ts';
import { accountId } from '../../simulator/records/proto-ids.ts';
import { addAccount } from '../../simulator/state/account-book.ts';
import { keyOfAccount } from '../transactions/account-directory.ts';
import { demand } from '../transactions/refusal.ts';
import { demandKey, serializedKey } from './authorization.ts';
import { demandMemo, demandRenewal } from './limits.ts';
import { isEmptyKey, isUsableKey } from './new-keys.ts';
import { type MessageOf, operation, type Performance } from './operation.ts';

type CryptoCreate = MessageOf<'cryptoCreateAccount'>;

const UNLIMITED_ASSOCIATIONS = -1;
const MOST_ASSOCIATIONS = 5_000;
const NO_NODE = -1n;

const check = (message: CryptoCreate): void => {
  const { key, alias, initialBalance, autoRenewPeriod, hookCreationDetails, delegationAddress } = message;
  demand(hookCreationDetails.length === 0 && delegationAddress.length === 0, ResponseCodeEnum.NOT_SUPPORTED);
  demand(key !== undefined && !isEmptyKey(key), ResponseCodeEnum.KEY_REQUIRED);
  demand(BigInt.asIntN(64, initialBalance) >= 0n, ResponseCodeEnum.INVALID_INITIAL_BALANCE);
  demand(autoRenewPeriod !== undefined, ResponseCodeEnum.INVALID_RENEWAL_PERIOD);
  demand(
    message.maxAutomaticTokenAssociations >= UNLIMITED_ASSOCIATIONS,
    ResponseCodeEnum.INVALID_MAX_AUTO_ASSOCIATIONS,
  );
  const isAddress = alias.length === EVM_ADDRESS_LENGTH && numOfLongZeroAddress(alias) === undefined;
  demand(alias.length === 0 || isAddress, ResponseCodeEnum.INVALID_ALIAS_KEY);
  demand(isUsableKey(key), ResponseCodeEnum.BAD_ENCODING);
};

const hasAddress = (key: Key | undefined, address: Uint8Array): boolean => {
  const derived = key?.key?.$case === 'ECDSASecp256k1' ? evmAddressOfEcdsaKey(key.key.ECDSASecp256k1) : undefined;
  return derived !== undefined && Buffer.compare(derived, address) === 0;
};

/** The address must be free, and its owner agree; payer and new account agree by what they sign anyway. */
const demandAlias = (alias: Uint8Array, key: Key, { directory, payer, signatures }: Performance): void => {
  const isOurs = hasAddress(key, alias) || hasAddress(keyOfAccount(payer), alias);
  demand(isOurs || signatures.keyOfAddress(alias) !== undefined, ResponseCodeEnum.INVALID_SIGNATURE);
  demand(directory.withAlias(alias) === undefined, ResponseCodeEnum.ALIAS_ALREADY_ASSIGNED);
};

/** Node or account that the new one stakes to. @throws Refusal INVALID_STAKING_ID */
const stakeOf = ({ stakedId }: CryptoCreate, { state, directory }: Performance) => {
  if (stakedId?.$case === 'stakedNodeId' && stakedId.stakedNodeId !== NO_NODE) {
    const node = state.nodes.find(({ nodeId, deleted }) => nodeId === stakedId.stakedNodeId && !deleted);
    demand(node !== undefined, ResponseCodeEnum.INVALID_STAKING_ID);
    return { node: Number(stakedId.stakedNodeId) };
  }
  if (stakedId?.$case !== 'stakedAccountId') return {};
  const account = directory.find(stakedId.stakedAccountId);
  demand(account?.deleted === false, ResponseCodeEnum.INVALID_STAKING_ID);
  return { account: account?.num };
};

export const cryptoCreate = operation({
  kind: 'cryptoCreateAccount',
  type: 11,
  check,
  spends: ({ initialBalance }) => initialBalance,
  perform: (message, performance) => {
    const { builder, state, payer, fee } = performance;
    const { key, alias, initialBalance, autoRenewPeriod, memo, receiverSigRequired } = message;
    const seconds = autoRenewPeriod?.seconds ?? 0n;
    if (receiverSigRequired) demandKey(key as Key, performance);
    demandMemo(memo);
    demandRenewal(seconds);
    demand(message.maxAutomaticTokenAssociations <= MOST_ASSOCIATIONS, ResponseCodeEnum.INVALID_MAX_AUTO_ASSOCIATIONS);
    if (alias.length > 0) demandAlias(alias, key as Key, performance);
    const stake = stakeOf(message, performance);
    demand(payer.balance - fee >= initialBalance, ResponseCodeEnum.INSUFFICIENT_PAYER_BALANCE);
    const account = addAccount(state, {
      num: builder.takeNum(),
      keyBytes: serializedKey(key as Key),
      alias,
      memo,
      autoAssociations: message.maxAutomaticTokenAssociations,
      receiverSignatureRequired: receiverSigRequired,
      declineReward: message.declineReward,
      stakedNodeId: stake.node,
      unrewardedFrom: currentStakingPeriod(state) + 1n,
      pinned: true,
    });
    account.stakedAccount = stake.account;
    state.submitted.accounts.set(account.num, { created: builder.consensusTime, autoRenewPeriod: seconds });
    return {
      receipt: { accountID: accountId(account.num) },
      ...(alias.length > 0 && { record: { evmAddress: alias } }),
      hbar: [
        { account: payer, amount: -initialBalance },
        { account, amount: initialBalance },
      ],
    };
  },
});
