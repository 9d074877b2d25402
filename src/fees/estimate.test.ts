import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HttpProblem } from '../api/problem.ts';
import { HederaFunctionality, type TokenTransferList } from '../protobuf/generated/services/basic_types.ts';
import { type Estimate, estimateFees } from './estimate.ts';
import { estimateJson } from './estimate-json.ts';
import type { LedgerState } from './ledger-state.ts';
import { priceList } from './prices/price-list.ts';
import { noEffects } from './receivers.ts';
import { defaultSchedule } from './schedule/default-schedule.ts';
import type { FeeSchedule } from './schedule/fee-schedule.ts';
import { parseTransaction } from './submitted-transaction.ts';
import { account, type BodyParts, ed25519, token, transactionBytes } from './testing/transaction.fixture.ts';

type Data = NonNullable<BodyParts['data']>;

const known = (nonFungible: readonly bigint[], withFees: readonly bigint[]): LedgerState => ({
  isNonFungible: (num) => nonFungible.includes(num),
  hasCustomFees: (num) => withFees.includes(num),
  effects: noEffects,
});
const nothingKnown = known([], []);

const estimateOf = (
  body: BodyParts,
  {
    state,
    signatures = 0,
    utilization = 0n,
    schedule = defaultSchedule,
  }: {
    readonly state?: LedgerState;
    readonly signatures?: number;
    readonly utilization?: bigint;
    readonly schedule?: FeeSchedule;
  } = {},
): Estimate => estimateFees(schedule, parseTransaction(transactionBytes(body, signatures)), state, utilization);

const extrasOf = (data: Data, state?: LedgerState): [string, bigint, bigint][] =>
  estimateOf({ data }, state === undefined ? {} : { state }).service.extras.map(({ name, count, charged }) => [
    name,
    count,
    charged,
  ]);

const refusalOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error instanceof HttpProblem ? [error.status, error.messages[0]?.detail] : error;
  }
};
const unknownType = [400, 'Unknown transaction type'];
const amount = (num: bigint) => ({ accountID: account(num), amount: 1n });

describe('an estimate', () => {
  it('is what node, network and service get', () => {
    const data: Data = { $case: 'cryptoTransfer', cryptoTransfer: {} };
    const estimate = estimateOf({ data }, { signatures: 3 });
    expect(estimateJson(estimate, [])).toBe(
      '{"high_volume_multiplier":1,"network":{"multiplier":9,"subtotal":2700000},' +
        '"node":{"base":100000,"extras":[{"charged":2,"count":3,"fee_per_unit":100000,"included":1,' +
        '"name":"SIGNATURES","subtotal":200000}]},"service":{"base":0,"extras":[]},"total":3000000}',
    );
  });

  it('tells what the client should know', () => {
    const data: Data = { $case: 'contractCall', contractCall: {} };
    expect(estimateJson(estimateOf({ data }), ['so "it" is'])).toBe(
      '{"high_volume_multiplier":1,"network":{"multiplier":0,"subtotal":0},"node":{"base":0,"extras":[]},' +
        '"notes":["so \\"it\\" is"],"service":{"base":0,"extras":[]},"total":0}',
    );
  });

  it('counts bytes beyond the included ones', () => {
    const body: BodyParts = { memo: 'x'.repeat(1400), data: { $case: 'utilPrng', utilPrng: {} } };
    const { node, network, total } = estimateOf(body);
    expect(node.extras).toMatchObject([
      { name: 'PROCESSING_BYTES', included: 1350n, charged: 64n, subtotal: 640_000n },
    ]);
    expect([network.subtotal, total]).toEqual([6_660_000n, 16_400_000n]);
  });

  it('adds up, for any number of signatures and keys', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), fc.nat(10_000), (signatures, keys, utilization) => {
        const key = { key: { $case: 'keyList' as const, keyList: { keys: Array.from({ length: keys }, ed25519) } } };
        const data: Data = { $case: 'cryptoUpdateAccount', cryptoUpdateAccount: { key } };
        const { node, network, service, total } = estimateOf(
          { data },
          { signatures, utilization: BigInt(utilization), state: nothingKnown },
        );
        const charged = (count: number): bigint => BigInt(Math.max(0, count - 1));
        const bytes = node.extras.find(({ name }) => name === 'PROCESSING_BYTES')?.subtotal ?? 0n;
        const nodeTotal = 100_000n + charged(signatures) * 100_000n + bytes;
        const serviceTotal = 1_200_000n + charged(keys) * 100_000_000n;
        expect(service.extras.reduce((sum, { subtotal }) => sum + subtotal, service.base)).toBe(serviceTotal);
        expect(network.subtotal).toBe(nodeTotal * 9n);
        expect(total).toBe(nodeTotal * 10n + serviceTotal);
      }),
    );
  });

  it('is refused for transactions without a price', () => {
    const refused = [
      {},
      { data: { $case: 'freeze' as const, freeze: {} } },
      { data: { $case: 'uncheckedSubmit' as const, uncheckedSubmit: {} } },
      { data: { $case: 'cryptoAddLiveHash' as const, cryptoAddLiveHash: {} } },
      { data: { $case: 'nodeStakeUpdate' as const, nodeStakeUpdate: {} } },
    ];
    for (const body of refused) expect(refusalOf(() => estimateOf(body))).toEqual(unknownType);
  });

  it('is refused when the schedule lacks the transaction, or an extra of it', () => {
    const services = new Map(defaultSchedule.services);
    services.delete(HederaFunctionality.CryptoDelete);
    services.set(HederaFunctionality.FileAppend, {
      base: 1n,
      extras: [],
      nodeAndNetworkExempt: false,
      highVolumeRates: undefined,
    });
    const schedule = { ...defaultSchedule, services };
    expect(refusalOf(() => estimateOf({ data: { $case: 'cryptoDelete', cryptoDelete: {} } }, { schedule }))).toEqual(
      unknownType,
    );
    expect(refusalOf(() => estimateOf({ data: { $case: 'fileAppend', fileAppend: {} } }, { schedule }))).toEqual([
      400,
      'The fee schedule does not say what STATE_BYTES costs for this transaction',
    ]);
    // Costs nothing, so it needs no price.
    expect(estimateOf({ data: { $case: 'hookDispatch', hookDispatch: {} } }, { schedule }).total).toBe(0n);
  });

  it('has a price in the default schedule for every kind, but those that cost nothing', () => {
    const missing = [...priceList.values()].filter(({ pricedAs }) => !defaultSchedule.services.has(pricedAs));
    expect(missing.map(({ kind }) => kind)).toEqual(['hookDispatch']);
    expect(priceList.size).toBe(54);
  });
});

describe('high volume', () => {
  const topic: BodyParts = { highVolume: true, data: { $case: 'consensusCreateTopic', consensusCreateTopic: {} } };

  it('multiplies everything, in state mode', () => {
    const { node, network, service, total, highVolumeMultiplier } = estimateOf(topic, {
      state: nothingKnown,
      utilization: 6n,
      signatures: 2,
    });
    expect(highVolumeMultiplier).toBe(12_500n);
    expect(node).toMatchObject({
      base: 1_250_000n,
      extras: [{ charged: 1n, feePerUnit: 1_250_000n, subtotal: 1_250_000n }],
    });
    expect(network).toEqual({ multiplier: 9, subtotal: 22_500_000n });
    expect(service.base).toBe(1_237_500_000n);
    expect(total).toBe(1_262_500_000n);
  });

  it('does not count in intrinsic mode, without the wish for it, and for other transactions', () => {
    const at = { state: nothingKnown, utilization: 10_000n };
    expect(estimateOf(topic, { utilization: 10_000n }).total).toBe(100_000_000n);
    expect(estimateOf({ ...topic, highVolume: false }, at).total).toBe(100_000_000n);
    const update: BodyParts = { highVolume: true, data: { $case: 'tokenUpdate', tokenUpdate: {} } };
    expect(estimateOf(update, at)).toMatchObject({ total: 10_000_000n, highVolumeMultiplier: 1000n });
  });

  it('of an airdrop follows the curve of airdrops, the price that of transfers', () => {
    const data: Data = {
      $case: 'tokenAirdrop',
      tokenAirdrop: { tokenTransfers: [{ token: token(5n), transfers: [amount(1n), amount(2n)] }] },
    };
    const estimate = estimateOf({ highVolume: true, data }, { state: nothingKnown, utilization: 10_000n });
    expect(estimate.highVolumeMultiplier).toBe(100_000n);
    expect(estimate.service.extras).toMatchObject([{ name: 'TOKEN_TRANSFER_BASE', feePerUnit: 900_000_000n }]);
    expect(estimate.total).toBe(1_000_000_000n);
  });
});

describe('extras', () => {
  const keyed = { feeScheduleKey: ed25519(), adminKey: ed25519() };
  const hook = {};
  it.each<[string, Data, [string, bigint, bigint][]]>([
    [
      'an account',
      { $case: 'cryptoCreateAccount', cryptoCreateAccount: { hookCreationDetails: [hook] } },
      [['HOOK_UPDATES', 1n, 1n]],
    ],
    [
      'an update of hooks',
      { $case: 'cryptoUpdateAccount', cryptoUpdateAccount: { hookCreationDetails: [hook], hookIdsToDelete: [1n, 2n] } },
      [['HOOK_UPDATES', 3n, 3n]],
    ],
    [
      'a contract update',
      {
        $case: 'contractUpdateInstance',
        contractUpdateInstance: { hookCreationDetails: [hook], hookIdsToDelete: [1n, 2n] },
      },
      [
        ['HOOK_UPDATES', 1n, 1n],
        ['HOOK_UPDATES', 2n, 2n],
      ],
    ],
    [
      'allowances',
      {
        $case: 'cryptoApproveAllowance',
        cryptoApproveAllowance: {
          cryptoAllowances: [{}],
          tokenAllowances: [{}],
          nftAllowances: [{ serialNumbers: [1n, 2n] }],
        },
      },
      [['ALLOWANCES', 3n, 2n]],
    ],
    [
      'a topic update',
      {
        $case: 'consensusUpdateTopic',
        consensusUpdateTopic: { ...keyed, feeExemptKeyList: { keys: [ed25519(), ed25519()] } },
      },
      [['KEYS', 4n, 3n]],
    ],
    [
      'a token with a fee schedule key alone',
      { $case: 'tokenCreation', tokenCreation: keyed },
      [
        ['KEYS', 2n, 1n],
        ['TOKEN_CREATE_WITH_CUSTOM_FEE', 1n, 1n],
      ],
    ],
    ['a fungible mint', { $case: 'tokenMint', tokenMint: { amount: 5n, metadata: [new Uint8Array(1)] } }, []],
    [
      'a mint of one NFT',
      { $case: 'tokenMint', tokenMint: { metadata: [new Uint8Array(1)] } },
      [['TOKEN_MINT_NFT_BASE', 1n, 1n]],
    ],
    ['a file', { $case: 'fileCreate', fileCreate: { contents: new Uint8Array(1001) } }, [['STATE_BYTES', 1001n, 1n]]],
    [
      'slots of a hook',
      {
        $case: 'hookStore',
        hookStore: {
          storageUpdates: [
            { update: { $case: 'storageSlot', storageSlot: {} } },
            { update: { $case: 'mappingEntries', mappingEntries: { entries: [{}, {}, {}] } } },
            {},
          ],
        },
      },
      [['HOOK_SLOT_UPDATE', 4n, 3n]],
    ],
    [
      'a scheduled contract call',
      {
        $case: 'scheduleCreate',
        scheduleCreate: { scheduledTransactionBody: { data: { $case: 'contractCall', contractCall: {} } } },
      },
      [['SCHEDULE_CREATE_CONTRACT_CALL_BASE', 1n, 1n]],
    ],
  ])('of %s', (_name, data, expected) => expect(extrasOf(data)).toEqual(expected));

  it('of a message depend on the fees of its topic, in state mode', () => {
    const data: Data = {
      $case: 'consensusSubmitMessage',
      consensusSubmitMessage: { topicID: { topicNum: 9n }, message: new Uint8Array(2000) },
    };
    const plain = ['CONSENSUS_SUBMIT_MESSAGE_WITHOUT_CUSTOM_FEE_BYTES', 2000n, 1900n];
    expect(extrasOf(data)).toEqual([plain]);
    expect(extrasOf(data, nothingKnown)).toEqual([plain]);
    expect(extrasOf(data, known([], [9n]))).toEqual([
      ['CONSENSUS_SUBMIT_MESSAGE_WITH_CUSTOM_FEE', 1n, 1n],
      ['CONSENSUS_SUBMIT_MESSAGE_WITH_CUSTOM_FEE_BYTES', 2000n, 976n],
    ]);
  });

  it('are refused where a part is missing', () => {
    const message: BodyParts = { data: { $case: 'consensusSubmitMessage', consensusSubmitMessage: {} } };
    expect(estimateOf(message).total).toBe(1_700_000n);
    expect(refusalOf(() => estimateOf(message, { state: nothingKnown }))).toEqual(unknownType);
    const schedule: BodyParts = { data: { $case: 'scheduleCreate', scheduleCreate: {} } };
    expect(refusalOf(() => estimateOf(schedule))).toEqual(unknownType);
  });
});

describe('an update of a file', () => {
  const update = (fileNum: bigint): BodyParts => ({
    transactionID: { accountID: account(50n) },
    data: { $case: 'fileUpdate', fileUpdate: { fileID: { fileNum } } },
  });

  it('of the system costs nothing, in state mode', () => {
    expect(estimateOf(update(1000n)).total).toBe(500_000_000n);
    expect(estimateOf(update(1000n), { state: nothingKnown })).toMatchObject({ total: 0n, network: { multiplier: 0 } });
    expect(estimateOf(update(1001n), { state: nothingKnown }).total).toBe(500_000_000n);
  });

  it('needs a payer and a file, in state mode', () => {
    const { data } = update(5000n);
    expect(estimateOf({ data }).total).toBe(500_000_000n);
    expect(refusalOf(() => estimateOf({ data }, { state: nothingKnown }))).toEqual(unknownType);
    const noFile: BodyParts = { ...update(1n), data: { $case: 'fileUpdate', fileUpdate: {} } };
    expect(refusalOf(() => estimateOf(noFile, { state: nothingKnown }))).toEqual(unknownType);
  });
});

describe('a transfer', () => {
  const nft = (serialNumber: bigint, sender = 1n) => ({
    senderAccountID: account(sender),
    receiverAccountID: account(2n),
    serialNumber,
  });
  type TokenList = NonNullable<Parameters<typeof TokenTransferList.fromPartial>[0]>;
  const transfer = (tokenTransfers: TokenList[]): Data => ({
    $case: 'cryptoTransfer',
    cryptoTransfer: { tokenTransfers },
  });
  const fungible = { token: token(7n), transfers: [amount(1n), amount(2n)] };
  const nfts = { token: token(8n), nftTransfers: [nft(1n), nft(2n)] };

  it('counts its accounts, alias and number of one being two', () => {
    const alias = { account: { $case: 'alias' as const, alias: new Uint8Array(20) } };
    const accountAmounts = [amount(1n), amount(1n), amount(2n), { accountID: alias, amount: 1n }, { accountID: {} }];
    const data: Data = { $case: 'cryptoTransfer', cryptoTransfer: { transfers: { accountAmounts } } };
    expect(extrasOf(data)).toEqual([['ACCOUNTS', 4n, 2n]]);
  });

  it('counts the entries of each list, in intrinsic mode', () => {
    expect(extrasOf(transfer([fungible, nfts]))).toEqual([
      ['TOKEN_TYPES', 2n, 1n],
      ['TOKEN_TYPES', 2n, 1n],
    ]);
  });

  it('counts tokens and serial numbers together, in state mode', () => {
    const tokens = transfer([fungible, nfts]);
    expect(extrasOf(tokens, known([8n], []))).toEqual([
      ['TOKEN_TRANSFER_BASE', 1n, 1n],
      ['TOKEN_TYPES', 3n, 2n],
    ]);
    expect(extrasOf(tokens, known([8n], [8n]))).toEqual([
      ['TOKEN_TRANSFER_BASE_CUSTOM_FEES', 1n, 1n],
      ['TOKEN_TYPES', 3n, 2n],
    ]);
    // An unknown token is fungible, so its NFTs do not count.
    expect(extrasOf(tokens, known([], [8n]))).toEqual([['TOKEN_TRANSFER_BASE', 1n, 1n]]);
    expect(extrasOf(transfer([nfts]), nothingKnown)).toEqual([]);
  });

  it('is refused without a party, and in state mode without a token', () => {
    const { receiverAccountID: _receiver, ...sent } = nft(1n);
    for (const list of [
      { token: token(7n), transfers: [{ amount: 1n }] },
      { token: token(8n), nftTransfers: [sent] },
    ]) {
      expect(refusalOf(() => extrasOf(transfer([list])))).toEqual(unknownType);
    }
    const { transfers } = fungible;
    expect(extrasOf(transfer([{ transfers }]))).toEqual([['TOKEN_TYPES', 2n, 1n]]);
    expect(refusalOf(() => extrasOf(transfer([{ transfers }]), nothingKnown))).toEqual(unknownType);
  });

  it('pays for its hooks and their gas, which has a bound', () => {
    const call = (gasLimit: bigint) => ({ callSpec: { $case: 'evmHookCall' as const, evmHookCall: { gasLimit } } });
    const accountAmounts = [
      { ...amount(1n), hookCall: { $case: 'preTxAllowanceHook' as const, preTxAllowanceHook: call(25_000n) } },
      {
        ...amount(2n),
        hookCall: { $case: 'prePostTxAllowanceHook' as const, prePostTxAllowanceHook: call(16_000_000n) },
      },
    ];
    const moved = {
      ...nft(1n),
      senderAllowanceHookCall: {
        $case: 'prePostTxSenderAllowanceHook' as const,
        prePostTxSenderAllowanceHook: call(10n),
      },
      receiverAllowanceHookCall: {
        $case: 'preTxReceiverAllowanceHook' as const,
        preTxReceiverAllowanceHook: call((1n << 64n) - 1n),
      },
    };
    const data: Data = {
      $case: 'cryptoTransfer',
      cryptoTransfer: { transfers: { accountAmounts }, tokenTransfers: [{ token: token(8n), nftTransfers: [moved] }] },
    };
    expect(extrasOf(data)).toEqual([
      ['HOOK_EXECUTION', 6n, 6n],
      ['GAS', 30_025_020n, 30_025_020n],
    ]);
  });
});
