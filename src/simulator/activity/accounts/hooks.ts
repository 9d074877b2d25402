/** Accounts whose transfers code has a say in ([HIP-1195](https://hips.hedera.com/hip/hip-1195)). */
import { fromHex } from '../../../ledger/bytes.ts';
import type { EvmHookStorageUpdate } from '../../../protobuf/generated/services/hook_types.ts';
import { fees } from '../../network/fee-schedule.ts';
import { HOOK_CONTRACT } from '../../network/system-accounts.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import type { Draft, SidecarContent } from '../../records/draft.ts';
import { accountId, contractId } from '../../records/proto-ids.ts';
import { trimmedWord, word } from '../../solidity/counter-contract.ts';
import type { Account, Hook, SimulatedContract } from '../../state/ledger-entities.ts';
import { type Activity, chooseOther, chooseUser, treasury } from '../choose.ts';
import { chooseContract } from '../contracts/contract-calls.ts';
import { NO_BLOOM, stateSidecar } from '../contracts/evm-record.ts';
import { createUser } from './accounts.ts';
import { addHook, mappingUpdate, setSlot, slotUpdate } from './hook-record.ts';

const HBAR = 100_000_000n;
const MAX_HOOK_OWNERS = 50;
const MAX_HOOKS = 5;
const HOOK_GAS = 50_000n;
const HOOK_GAS_USED = 31_400n;
/** Call data of hooks that need none. */
const NO_DATA = new Uint8Array();

/** Somebody new has a hook from the start, or an account gets one. */
export const createHook: Activity = (builder) => {
  const { random, state } = builder;
  const contract = chooseContract(builder, 'counter');
  if (contract === undefined || state.hookOwners.length >= MAX_HOOK_OWNERS) return false;
  if (random.chance(0.4)) return createHookOwner(builder);
  const owner = chooseUser(builder, HBAR);
  if (owner === undefined || owner.hooks.size >= MAX_HOOKS) return false;
  if (owner.hooks.size === 0) state.hookOwners.push(owner);
  giveHook(builder, owner, contract);
  return true;
};

/** Somebody new who has a hook from the start. */
export const createHookOwner: Activity = (builder) => {
  const { random, state } = builder;
  const contract = chooseContract(builder, 'counter');
  if (contract === undefined || state.hookOwners.length >= MAX_HOOK_OWNERS) return false;
  const payer = chooseUser(builder, 200n * HBAR) ?? treasury(builder);
  const initialBalance = BigInt(random.between(10, 100)) * HBAR;
  state.hookOwners.push(createUser(builder, { payer, initialBalance, hookContract: contract.num }));
  return true;
};

/** The account with hooks that came last gets another one. */
export const createFurtherHook: Activity = (builder) => {
  const owner = builder.state.hookOwners.at(-1);
  const contract = chooseContract(builder, 'counter');
  if (owner === undefined || contract === undefined || owner.hooks.size >= MAX_HOOKS || owner.balance < HBAR)
    return false;
  giveHook(builder, owner, contract);
  return true;
};

/** Takes the number of a deleted hook if there is one. */
const giveHook = (builder: BlockBuilder, owner: Account, contract: SimulatedContract): void => {
  const [free] = [...owner.hooks].find(([, { deleted }]) => deleted) ?? [BigInt(owner.hooks.size + 1)];
  submitUpdate(builder, owner, { hookCreationDetails: [addHook(owner, free, contract.num)] });
};

const submitUpdate = (
  builder: BlockBuilder,
  owner: Account,
  changes: { readonly hookCreationDetails: ReturnType<typeof addHook>[] } | { readonly hookIdsToDelete: bigint[] },
): void =>
  builder.submit({
    payer: owner,
    fee: fees.accountUpdate,
    data: {
      $case: 'cryptoUpdateAccount',
      cryptoUpdateAccount: { accountIDToUpdate: accountId(owner.num), ...changes },
    },
  });

interface OwnedHook {
  readonly owner: Account;
  readonly hookId: bigint;
  readonly hook: Hook;
}

const chooseHook = ({ random, state }: BlockBuilder, suits: (hook: Hook) => boolean): OwnedHook | undefined => {
  const { hookOwners } = state;
  const start = random.below(Math.max(hookOwners.length, 1));
  for (const owner of [...hookOwners.slice(start), ...hookOwners.slice(0, start)]) {
    if (owner.balance < HBAR) continue;
    for (const [hookId, hook] of owner.hooks) if (!hook.deleted && suits(hook)) return { owner, hookId, hook };
  }
  return undefined;
};

const MAX_SLOTS = 12;

/** An owner writes into a hook's storage: a slot, an entry of a mapping, or all slots empty. */
export const storeInHook: Activity = (builder) => {
  const { random } = builder;
  const found = chooseHook(builder, () => true);
  if (found === undefined) return false;
  const { hook } = found;
  const choice = hook.slots.size >= MAX_SLOTS ? 4 : random.below(5);
  const value = word(BigInt(random.between(1, 1_000_000)));
  const key = word(BigInt(random.between(3, 20)));
  const storageUpdates =
    choice < 2
      ? [slotUpdate(hook, key, value)]
      : choice === 2
        ? [mappingUpdate(hook, key, value, random.chance(0.5))]
        : emptied(hook);
  submitStore(builder, found, storageUpdates);
  return true;
};

const emptied = (hook: Hook): EvmHookStorageUpdate[] =>
  [...hook.slots.keys()].map((slot) => slotUpdate(hook, fromHex(slot) as Uint8Array, NO_DATA));

/** An owner of several hooks makes one empty, as it must be before it can be deleted. */
export const emptyHook: Activity = (builder) => {
  const owner = builder.state.hookOwners.find(({ hooks, balance }) => hooks.size > 1 && balance >= HBAR);
  const [hookId, hook] = [...(owner?.hooks ?? [])].findLast(([, { deleted }]) => !deleted) ?? [];
  if (owner === undefined || hookId === undefined || hook === undefined) return false;
  submitStore(builder, { owner, hookId, hook }, emptied(hook));
  return true;
};

const submitStore = (
  builder: BlockBuilder,
  { owner, hookId }: OwnedHook,
  storageUpdates: EvmHookStorageUpdate[],
): void => {
  builder.submit({
    payer: owner,
    fee: fees.hookStore,
    data: {
      $case: 'hookStore',
      hookStore: {
        hookId: { entityId: { entityId: { $case: 'accountId', accountId: accountId(owner.num) } }, hookId },
        storageUpdates,
      },
    },
  });
};

/** An owner deletes a hook without storage; a later one may take its id. */
export const deleteHook: Activity = (builder) => {
  const found = chooseHook(builder, ({ slots }) => [...slots.values()].every((value) => value === ''));
  if (found === undefined) return false;
  const { owner, hookId, hook } = found;
  hook.deleted = true;
  submitUpdate(builder, owner, { hookIdsToDelete: [hookId] });
  return true;
};

const SLOT_OF_CALLS = 0n;

/** The child by which a hook runs: it counts in slot 0. */
const execution = (payer: Account, hook: Hook): Draft => {
  const key = word(SLOT_OF_CALLS);
  const slot = Buffer.from(key).toString('hex');
  const before = BigInt(`0x0${hook.slots.get(slot) ?? ''}`);
  setSlot(hook, key, word(before + 1n));
  const id = contractId(HOOK_CONTRACT);
  const sidecars: SidecarContent[] = [
    stateSidecar(HOOK_CONTRACT, [
      { slot: trimmedWord(SLOT_OF_CALLS), read: trimmedWord(before), written: trimmedWord(before + 1n) },
    ]),
  ];
  return {
    payer,
    fee: 0n,
    data: {
      $case: 'contractCall',
      contractCall: { contractID: id, gas: HOOK_GAS, functionParameters: NO_DATA },
    },
    receipt: { contractID: id },
    record: {
      body: {
        $case: 'contractCallResult',
        contractCallResult: {
          contractID: id,
          contractCallResult: word(1n),
          bloom: NO_BLOOM,
          gasUsed: HOOK_GAS_USED,
          gas: HOOK_GAS,
          senderId: accountId(payer.num),
        },
      },
    },
    sidecars,
  };
};

/** A transfer that the sender's hook allows: it runs before, or before and after. */
export const transferWithHook: Activity = (builder) => {
  const { random } = builder;
  const found = chooseHook(builder, () => true);
  const receiver = found && chooseOther(builder, found.owner);
  if (found === undefined || receiver === undefined || receiver.receiverSignatureRequired) return false;
  const { owner, hookId, hook } = found;
  const twice = random.chance(0.4);
  const call = {
    id: { $case: 'hookId' as const, hookId },
    callSpec: { $case: 'evmHookCall' as const, evmHookCall: { data: NO_DATA, gasLimit: HOOK_GAS } },
  };
  const amount = BigInt(random.between(1, 100_000));
  builder.submit({
    payer: owner,
    fee: fees.transfer * 4n,
    data: {
      $case: 'cryptoTransfer',
      cryptoTransfer: {
        transfers: {
          accountAmounts: [
            {
              accountID: accountId(owner.num),
              amount: -amount,
              hookCall: twice
                ? { $case: 'prePostTxAllowanceHook', prePostTxAllowanceHook: call }
                : { $case: 'preTxAllowanceHook', preTxAllowanceHook: call },
            },
            { accountID: accountId(receiver.num), amount },
          ],
        },
      },
    },
    hbar: [
      { account: owner, amount: -amount },
      { account: receiver, amount },
    ],
    following: twice ? [execution(owner, hook), execution(owner, hook)] : [execution(owner, hook)],
  });
  return true;
};
