import { toHex } from '../../ledger/bytes.ts';
import { EVM_ADDRESS_LENGTH, longZeroAddress } from '../../ledger/evm-address.ts';
import { evmAddressOfAlias } from '../../ledger/key.ts';
import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { Key } from '../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { accountId, timestampOf } from '../../simulator/records/proto-ids.ts';
import type { Account } from '../../simulator/state/ledger-entities.ts';
import type { LedgerState } from '../../simulator/state/ledger-state.ts';
import { keyOfAccount } from '../transactions/account-directory.ts';
import { demand } from '../transactions/refusal.ts';
import { idOf, queryKind, USUAL_PRICE } from './query-kind.ts';

/** What simulated users and the network's own accounts have: three months. */
const USUAL_RENEWAL_SECONDS = 7_776_000n;

/** SDKs show a key, so where nobody has signed yet there is an empty one. */
const emptyKey = (): Key => Key.fromPartial({ key: { $case: 'keyList', keyList: { keys: [] } } });

const ownedNfts = ({ nfts }: LedgerState, { holdings }: Account): bigint =>
  nfts.reduce((sum, { num }) => sum + (holdings.get(num)?.balance ?? 0n), 0n);

const stakedId = ({ stakedNodeId, stakedAccount }: Account) => {
  if (stakedAccount !== undefined) return { $case: 'stakedAccountId', stakedAccountId: accountId(stakedAccount) };
  return stakedNodeId === undefined ? undefined : { $case: 'stakedNodeId', stakedNodeId: BigInt(stakedNodeId) };
};

/** What the network knows of an account. */
export const accountInfo = queryKind({
  name: 'cryptoGetInfo',
  price: USUAL_PRICE,
  find: ({ accountID }, { state, directory, ledgerId }) => {
    const account = directory.find(accountID);
    demand(account !== undefined, ResponseCodeEnum.INVALID_ACCOUNT_ID);
    demand(!account.deleted, ResponseCodeEnum.ACCOUNT_DELETED);
    const { alias, num } = account;
    const { created, autoRenewPeriod } = state.submitted.accounts.get(num) ?? {
      created: state.lastConsensus,
      autoRenewPeriod: USUAL_RENEWAL_SECONDS,
    };
    return {
      answer: {
        accountInfo: {
          accountID: idOf(account),
          contractAccountID: toHex(evmAddressOfAlias(alias) ?? longZeroAddress(num)),
          key: keyOfAccount(account) ?? emptyKey(),
          balance: account.balance,
          receiverSigRequired: account.receiverSignatureRequired,
          expirationTime: timestampOf(created + autoRenewPeriod * NANOS_PER_SECOND),
          autoRenewPeriod: { seconds: autoRenewPeriod },
          memo: account.memo,
          ownedNfts: ownedNfts(state, account),
          maxAutomaticTokenAssociations: account.autoAssociations,
          // Clients take these bytes for a key.
          alias: alias.length === EVM_ADDRESS_LENGTH ? new Uint8Array() : alias,
          ledgerId,
          ethereumNonce: account.ethereumNonce,
          stakingInfo: { declineReward: account.declineReward, stakedId: stakedId(account) },
          delegationAddress: account.delegation ?? new Uint8Array(),
        },
      },
    };
  },
});
