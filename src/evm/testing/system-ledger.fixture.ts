/** A ledger on which every function of every system contract has something to do. */
import { ed25519 } from '@noble/curves/ed25519.js';
import type { Hex } from 'viem';
import { type AccountID, Key, SignatureMap, type TokenID } from '../../protobuf/generated/services/basic_types.ts';
import { SchedulableTransactionBody } from '../../protobuf/generated/services/schedulable_transaction_body.ts';
import type { AddressHex, CustomFees, ScheduleRecord, TokenRecord } from '../state/records.ts';
import {
  entityRecord,
  type MemoryState,
  nftRecord,
  relationRecord,
  tokenRecord,
} from '../state/testing/memory-reader.fixture.ts';
import { longZeroHex } from '../state/world.ts';

export const ALICE = 1001n;
/** Known to contracts as `BOB_ALIAS`. */
export const BOB = 1002n;
/** Frozen for `UNITS`, without KYC for `NFT`. */
export const CAROL = 1003n;
/** Unlimited automatic associations and no relations. */
export const SLOTS = 1004n;
/** No relations. */
export const STRANGER = 1005n;
/** Treasury of all tokens. */
export const TREASURY = 1006n;
/** Its key is `signerSecret`. */
export const SIGNER = 1007n;
/** Units and serials with every key. */
export const UNITS = 2001n;
export const NFT = 2002n;
/** Units without any key. */
export const BARE = 2003n;
export const PAUSED = 2004n;
/** Each transfer costs its sender 3 units for Carol, and what is received a tenth for Bob. */
export const TAXED = 2005n;
/** Units that the caller has no relation with, and units of which it has none. */
export const FREE = 2006n;
export const EMPTY = 2007n;
/** Schedules that Alice made: of a token of each type, and of something else. */
export const FUNGIBLE_TO_COME = 2501n;
export const NFT_TO_COME = 2502n;
export const PLAIN_SCHEDULE = 2503n;
export const EXECUTED_SCHEDULE = 2504n;
/** The contract that calls. */
export const CALLER = 3001n;
export const UNKNOWN = 9999n;
/** Number of the first entity that a run creates. */
export const NEXT = 4002n;

const BOB_ALIAS: AddressHex = 'b0'.repeat(20);
const CALLER_ALIAS: AddressHex = 'ca'.repeat(20);
export const NEW_ALIAS: AddressHex = 'ab'.repeat(20);

/** Seconds since the epoch at which everything happens. */
export const NOW = 1_700_000_000n;

const signerSecret = new Uint8Array(32).fill(5);
const signerPublic = ed25519.getPublicKey(signerSecret);

const encodedKey = (key: NonNullable<Key['key']>): Uint8Array => Key.encode({ key }).finish();

/** One key for everything: 32 times 9. */
const key = encodedKey({ $case: 'ed25519', ed25519: new Uint8Array(32).fill(9) });

/** Address of an entity that has no alias. */
export const at = (num: bigint): Hex => `0x${longZeroHex(num)}`;
export const CALLER_ADDRESS: Hex = `0x${CALLER_ALIAS}`;
export const BOB_ADDRESS: Hex = `0x${BOB_ALIAS}`;
export const NOBODY: Hex = `0x${'0'.repeat(40)}`;

export const toHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;

/** A signature of the signer, and the map of signatures with it alone. */
export const signatureOf = (message: Uint8Array): Hex => toHex(ed25519.sign(message, signerSecret));
export const signatureMapOf = (message: Uint8Array): Hex =>
  toHex(
    SignatureMap.encode({
      sigPair: [
        {
          pubKeyPrefix: signerPublic,
          signature: { $case: 'ed25519', ed25519: ed25519.sign(message, signerSecret) },
        },
      ],
    }).finish(),
  );

const keys: TokenRecord['keys'] = {
  admin: key,
  kyc: key,
  freeze: key,
  wipe: key,
  supply: key,
  feeSchedule: key,
  pause: key,
};

const taxes: CustomFees = {
  fixed: [{ amount: 3n, denominatingTokenId: TAXED, collectorId: CAROL, allCollectorsAreExempt: false }],
  fractional: [
    {
      numerator: 1n,
      denominator: 10n,
      minimum: 1n,
      maximum: 0n,
      netOfTransfers: false,
      collectorId: BOB,
      allCollectorsAreExempt: false,
    },
  ],
  royalty: [],
};

const accountId = (accountNum: bigint): AccountID => ({
  shardNum: 0n,
  realmNum: 0n,
  account: { $case: 'accountNum', accountNum },
});
const tokenId = (tokenNum: bigint): TokenID => ({ shardNum: 0n, realmNum: 0n, tokenNum });

const creation = (name: string, tokenType: 0 | 1): SchedulableTransactionBody =>
  SchedulableTransactionBody.fromPartial({
    data: {
      $case: 'tokenCreation',
      tokenCreation: {
        name,
        symbol: name.slice(0, 3),
        tokenType,
        treasury: accountId(TREASURY),
        ...(tokenType === 0 ? { initialSupply: 500n, decimals: 2 } : { supplyKey: Key.decode(key) }),
      },
    },
  });

const pausing = SchedulableTransactionBody.fromPartial({
  data: { $case: 'tokenPause', tokenPause: { token: tokenId(UNITS) } },
});

const schedule = (id: bigint, body: SchedulableTransactionBody): ScheduleRecord => ({
  id,
  creatorId: ALICE,
  payerId: ALICE,
  transactionBody: SchedulableTransactionBody.encode(body).finish(),
  signatories: [],
  executed: false,
  deleted: false,
  adminKey: key,
  memo: '',
  expirationSeconds: NOW + 600n,
  waitForExpiry: false,
  consensusTimestamp: 1n,
});

const tokens: readonly TokenRecord[] = [
  tokenRecord(UNITS, { treasuryId: TREASURY, keys, totalSupply: 1_000n, name: 'Units', symbol: 'UNI', decimals: 2 }),
  tokenRecord(NFT, {
    treasuryId: TREASURY,
    keys,
    type: 'NON_FUNGIBLE_UNIQUE',
    totalSupply: 5n,
    decimals: 0,
    name: 'Art',
    symbol: 'ART',
    memo: 'framed',
  }),
  tokenRecord(BARE, { treasuryId: TREASURY, totalSupply: 100n }),
  tokenRecord(PAUSED, { treasuryId: TREASURY, keys, paused: true }),
  tokenRecord(TAXED, { treasuryId: TREASURY, customFees: taxes }),
  tokenRecord(FREE, { treasuryId: TREASURY }),
  tokenRecord(EMPTY, { treasuryId: TREASURY }),
];

/** With the code of the calling contract. */
export const systemLedger = (callerCode: Uint8Array): MemoryState => ({
  entities: [
    entityRecord(2n),
    entityRecord(ALICE, { balance: 100n }),
    entityRecord(BOB, { evmAddress: BOB_ALIAS }),
    entityRecord(CAROL),
    entityRecord(SLOTS, { maxAutomaticAssociations: -1 }),
    entityRecord(STRANGER),
    entityRecord(TREASURY),
    entityRecord(SIGNER, { key: encodedKey({ $case: 'ed25519', ed25519: signerPublic }) }),
    ...tokens.map(({ id }) => entityRecord(id, { type: 'TOKEN', key })),
    ...[FUNGIBLE_TO_COME, NFT_TO_COME, PLAIN_SCHEDULE, EXECUTED_SCHEDULE].map((id) =>
      entityRecord(id, { type: 'SCHEDULE', key }),
    ),
    entityRecord(CALLER, {
      type: 'CONTRACT',
      evmAddress: CALLER_ALIAS,
      key: undefined,
      nonce: 1n,
      balance: 5_000_000_000n,
    }),
  ],
  codes: [[CALLER, callerCode]],
  tokens,
  relations: [
    relationRecord(TREASURY, UNITS, { balance: 840n }),
    relationRecord(TREASURY, NFT, { balance: 1n }),
    relationRecord(TREASURY, BARE, { balance: 70n }),
    relationRecord(TREASURY, PAUSED),
    relationRecord(ALICE, UNITS, { balance: 50n }),
    relationRecord(ALICE, NFT, { balance: 1n }),
    relationRecord(ALICE, TAXED),
    relationRecord(BOB, UNITS, { balance: 10n }),
    relationRecord(BOB, NFT, { balance: 1n }),
    relationRecord(BOB, TAXED),
    relationRecord(CAROL, UNITS, { frozen: true }),
    relationRecord(CAROL, NFT, { kycGranted: false }),
    relationRecord(CAROL, BARE),
    relationRecord(CAROL, TAXED),
    relationRecord(CALLER, UNITS, { balance: 100n }),
    relationRecord(CALLER, NFT, { balance: 2n }),
    relationRecord(CALLER, EMPTY),
    relationRecord(CALLER, BARE, { balance: 30n }),
    relationRecord(CALLER, TAXED, { balance: 100n }),
  ],
  nfts: [
    nftRecord(NFT, 1n, ALICE),
    nftRecord(NFT, 2n, BOB),
    nftRecord(NFT, 3n, CALLER),
    nftRecord(NFT, 4n, TREASURY),
    nftRecord(NFT, 5n, CALLER, { spenderId: BOB, metadata: Buffer.from('five') }),
  ],
  hbarAllowances: [
    [CALLER, ALICE, 6n],
    [ALICE, CALLER, 5n],
  ],
  tokenAllowances: [[BOB, CALLER, UNITS, 8n]],
  approvals: [[BOB, CALLER, NFT]],
  airdrops: [
    { senderId: ALICE, receiverId: CALLER, tokenId: UNITS, serialNumber: 0n, amount: 4n },
    { senderId: ALICE, receiverId: CALLER, tokenId: NFT, serialNumber: 1n, amount: 0n },
    { senderId: CALLER, receiverId: STRANGER, tokenId: UNITS, serialNumber: 0n, amount: 7n },
    { senderId: CALLER, receiverId: STRANGER, tokenId: NFT, serialNumber: 3n, amount: 0n },
  ],
  schedules: [
    schedule(FUNGIBLE_TO_COME, creation('Coming', 0)),
    schedule(NFT_TO_COME, creation('Painting', 1)),
    schedule(PLAIN_SCHEDULE, pausing),
    { ...schedule(EXECUTED_SCHEDULE, pausing), executed: true },
  ],
});
