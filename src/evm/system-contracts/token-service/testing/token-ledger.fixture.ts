/** A small ledger of tokens, and a token service with the functions that a test is about. */
import { decodeAbiParameters, parseAbiParameters } from 'viem';
import type { CustomFees } from '../../../state/records.ts';
import { entityRecord, nftRecord, relationRecord, tokenRecord } from '../../../state/testing/memory-reader.fixture.ts';
import { tableContract } from '../../dispatch.ts';
import type { SystemFunction } from '../../function-table.ts';
import type { SystemCall, SystemResult } from '../../system-contract.ts';
import {
  address0x,
  callFacade,
  inputOf,
  longZero,
  outputHex,
  recordedRun,
  systemCall,
} from '../../testing/system-call.fixture.ts';

/** The caller; owns 50 units and serials 1 and 3. */
export const ALICE = 1001n;
/** Known to contracts as `BOB_ALIAS`; owns 10 units and serial 2, and has Alice for all its serials. */
export const BOB = 1002n;
export const CAROL = 1003n;
/** Unlimited automatic associations and no relations. */
export const SLOTS = 1004n;
/** No relations. */
export const STRANGER = 1005n;
/** Treasury of all tokens. */
export const TREASURY = 1006n;
export const SYSTEM = 98n;
export const UNITS = 2001n;
export const NFT = 2002n;
/** Units that cost a fee of 3 to Carol, in the units themselves. */
export const TAXED = 2003n;
export const UNKNOWN = 9999n;

export const BOB_ALIAS = 'b0'.repeat(20);
export const NEW_ALIAS = 'ab'.repeat(20);

const REDIRECT_FOR_TOKEN = '618dc65e';

export const at = (num: bigint) => address0x(longZero(num));
export const BOB_ADDRESS = address0x(BOB_ALIAS);

const taxes: CustomFees = {
  fixed: [{ amount: 3n, denominatingTokenId: TAXED, collectorId: CAROL, allCollectorsAreExempt: false }],
  fractional: [],
  royalty: [],
};

export const tokenLedger = (functions: readonly SystemFunction[]) => {
  const run = recordedRun({
    entities: [
      entityRecord(ALICE, { balance: 100n }),
      entityRecord(BOB, { evmAddress: BOB_ALIAS }),
      entityRecord(CAROL),
      entityRecord(SLOTS, { maxAutomaticAssociations: -1 }),
      entityRecord(STRANGER),
      entityRecord(TREASURY),
      entityRecord(SYSTEM),
    ],
    tokens: [
      tokenRecord(UNITS, { treasuryId: TREASURY }),
      tokenRecord(NFT, { treasuryId: TREASURY, type: 'NON_FUNGIBLE_UNIQUE' }),
      tokenRecord(TAXED, { treasuryId: TREASURY, customFees: taxes }),
    ],
    relations: [
      relationRecord(TREASURY, UNITS, { balance: 100n }),
      relationRecord(TREASURY, NFT),
      relationRecord(ALICE, UNITS, { balance: 50n }),
      relationRecord(ALICE, NFT, { balance: 2n }),
      relationRecord(ALICE, TAXED, { balance: 50n }),
      relationRecord(BOB, UNITS, { balance: 10n }),
      relationRecord(BOB, NFT, { balance: 1n }),
      relationRecord(BOB, TAXED),
      relationRecord(CAROL, UNITS),
      relationRecord(CAROL, NFT),
      relationRecord(CAROL, TAXED),
    ],
    nfts: [nftRecord(NFT, 1n, ALICE), nftRecord(NFT, 2n, BOB), nftRecord(NFT, 3n, ALICE)],
    tokenAllowances: [[BOB, ALICE, UNITS, 8n]],
    approvals: [[BOB, ALICE, NFT]],
    airdrops: [
      { senderId: ALICE, receiverId: STRANGER, tokenId: UNITS, serialNumber: 0n, amount: 7n },
      { senderId: BOB, receiverId: ALICE, tokenId: UNITS, serialNumber: 0n, amount: 4n },
      { senderId: BOB, receiverId: ALICE, tokenId: NFT, serialNumber: 2n, amount: 0n },
      { senderId: ALICE, receiverId: STRANGER, tokenId: NFT, serialNumber: 1n, amount: 0n },
    ],
  });
  const service = tableContract({
    number: 0x167n,
    functions,
    redirect: { selector: Number.parseInt(REDIRECT_FOR_TOKEN, 16), hasFacade: async () => true },
  });
  const balanceOf = async (accountId: bigint, tokenId: bigint) =>
    (await run.world.tokenRelation(accountId, tokenId))?.balance;

  return {
    run,
    world: run.world,
    balanceOf,
    /** Statuses of child records so far. */
    statuses: () => run.records.map(({ status }) => status),
    call: (signature: string, args: readonly unknown[], changes: Partial<SystemCall> = {}) =>
      service.call(systemCall(inputOf(signature, ...args), changes), run),
    /** Over the facade of a token. */
    onToken: (tokenId: bigint, signature: string, args: readonly unknown[], changes: Partial<SystemCall> = {}) =>
      callFacade(service, run, REDIRECT_FOR_TOKEN, longZero(tokenId), inputOf(signature, ...args), changes),
  };
};

/** What a call answered: outcome, output as a type, gas. */
export const answer = (result: SystemResult, type = 'int64') => {
  if (result.outcome === 'halt') return { outcome: result.outcome, reason: result.reason };
  const [value] = result.output.length === 0 ? [] : decodeAbiParameters(parseAbiParameters(type), outputHex(result));
  return { outcome: result.outcome, value, gasUsed: result.gasUsed };
};

/** Events as `address topic topic … data`, words without leading zeros. */
export const eventsOf = (result: SystemResult): readonly string[] => {
  if (result.outcome !== 'success') return [];
  const short = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').replace(/^0+/, '') || '0';
  return (result.logs ?? []).map(({ address, topics, data }) => {
    const words = [...topics.map(short), ...(data.length === 0 ? [] : [`data ${short(data)}`])];
    return [BigInt(`0x${address}`), ...words.map((word) => (word.length === 64 ? word.slice(0, 8) : word))].join(' ');
  });
};

/** Selectors of functions, as signatures name them. */
export const selectorsOf = (functions: readonly SystemFunction[]): readonly string[] =>
  functions.map(({ selector, route }) => `${selector.toString(16).padStart(8, '0')} ${route}`);
