import { createPublicKey } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../ledger/bytes.ts';
import { sha384 } from '../../ledger/hash.ts';
import { TransactionResult } from '../../protobuf/generated/block/stream/output/transaction_result.ts';
import { Transaction } from '../../protobuf/generated/services/transaction.ts';
import { TransactionRecord } from '../../protobuf/generated/services/transaction_record.ts';
import { type Block, BlockItemField } from '../../streams/block/block.ts';
import { START_OF_CHAIN } from '../../streams/block/chain.ts';
import { parseLedgerPublication } from '../../streams/block/ledger-publication.ts';
import { readBlock } from '../../streams/block/read-block.ts';
import type { BlockTrust } from '../../streams/block/trust.ts';
import { BlockVerifier } from '../../streams/block/verify-blocks.ts';
import { readWrappedRecordFile } from '../../streams/block/wrapped-record-file.ts';
import { readRecordFile } from '../../streams/record-file.ts';
import { openNetwork } from '../network/simulated-network.ts';
import { type SimulatedLedger, simulateLedger } from '../simulate-ledger.ts';
import { BlockFolder } from './block-folder.ts';
import type { LedgerFormOptions } from './ledger-form.ts';

const SEED = 'blocks';
const NODES = 3;
/** Genesis, founding, three of the introduction, five of activity. */
const BLOCKS = 10;
const CUTOVER = 3;

let root = '';
const ledgers = new Map<string, SimulatedLedger>();

const folderOf = (name: string): string => join(root, name);

const simulate = async (name: string, form: LedgerFormOptions): Promise<SimulatedLedger> => {
  const ledger = await simulateLedger({
    out: folderOf(name),
    seed: SEED,
    blocks: 5,
    tps: 60,
    nodes: NODES,
    users: 20,
    mix: 'everything',
    form,
  });
  ledgers.set(name, ledger);
  return ledger;
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'kagami-blocks-'));
  await simulate('record', { format: 'record', publishesLedger: true });
  await simulate('block', { format: 'block' });
  await simulate('flat', { format: 'block', blockLayout: 'flat', blockProofs: 'test', publishesLedger: true });
  await simulate('wrapped', { format: 'wrapped', publishesLedger: true });
  await simulate('cutover', { format: 'cutover', cutoverAt: BigInt(CUTOVER) });
}, 300_000);

afterAll(() => rm(root, { recursive: true, force: true }));

const readBlocks = async (name: string, layout: 'split' | 'flat' = 'split'): Promise<Block[]> => {
  const folder = new BlockFolder(folderOf(name), 'other', layout);
  const numbers = await folder.numbers();
  return Promise.all(
    numbers.map(async (number) => readBlock(`${number}.blk`, (await folder.read(number)) as Uint8Array)),
  );
};

const trustOf = async (name: string, changes: Partial<BlockTrust> = {}): Promise<BlockTrust> => {
  const network = await openNetwork(folderOf(name), { seed: SEED, nodeCount: NODES, development: false });
  const publication = await readFile(join(folderOf(name), 'ledgerIdPublication.bin'));
  return {
    ledger: parseLedgerPublication(publication, 'ledgerIdPublication.bin'),
    wrapsKeyHashes: [],
    recordSigners: {
      nodes: network.nodes.map(({ nodeId, privateKey }) => ({
        nodeId: BigInt(nodeId),
        publicKeyHex: createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).toString('hex'),
        weight: 1n,
      })),
      totalWeight: BigInt(NODES),
      ratio: { numerator: 1n, denominator: 1n },
    },
    testSignatures: false,
    unsigned: false,
    ...changes,
  };
};

const verifier = await BlockVerifier.open();

/** How each block is proven, one by one. */
const provenBy = (blocks: readonly Block[], trust: BlockTrust): string[] => {
  let chain = START_OF_CHAIN;
  let { ledger } = trust;
  return blocks.map((block) => {
    const result = verifier.verifyBlock(block, { ...trust, ledger }, chain);
    ({ chain, ledger } = result);
    return result.verdict.proven ? result.verdict.by : result.verdict.fault.message;
  });
};

/** Items of all record files: transaction and record. */
const recordItems = async () => {
  const { blocks } = ledgers.get('record') as SimulatedLedger;
  const files = await Promise.all(
    blocks.map(async ({ name }) => readRecordFile(name, await readFile(join(folderOf('record'), 'record0.0.3', name)))),
  );
  return files.flatMap(({ items }) => items);
};

describe('a ledger in each form', () => {
  it('is the same', () => {
    const ends = [...ledgers.values()].map(({ blocks, expected }) => ({ blocks, expected }));
    for (const { blocks, expected } of ends.slice(1)) {
      expect(expected).toEqual(ends[0]?.expected);
      expect(blocks.map(({ hash, count }) => ({ hash, count }))).toEqual(
        ends[0]?.blocks.map(({ hash, count }) => ({ hash, count })),
      );
    }
  });

  it('is proven by threshold signatures of its own keys', async () => {
    const blocks = await readBlocks('block');
    expect(blocks.map(({ number }) => number)).toEqual(Array.from({ length: BLOCKS }, (_, number) => BigInt(number)));
    expect(provenBy(blocks, await trustOf('block'))).toEqual(new Array(BLOCKS).fill('schnorr'));
    // What block 0 publishes is enough to prove it.
    expect(provenBy(blocks.slice(0, 2), await trustOf('block', { ledger: null }))).toEqual(['schnorr', 'schnorr']);
    const other = await trustOf('block');
    const id = Buffer.from(other.ledger?.id ?? []);
    id[3] = (id[3] as number) ^ 1;
    const [verdict] = provenBy(blocks.slice(0, 1), { ...other, ledger: other.ledger && { ...other.ledger, id } });
    expect(verdict).toMatch(/publishes ledger/);
  });

  it('has test signatures where they are asked for, which count only where they are trusted', async () => {
    const blocks = await readBlocks('flat', 'flat');
    expect(provenBy(blocks, await trustOf('flat', { testSignatures: true }))).toEqual(
      new Array(BLOCKS).fill('test-signature'),
    );
    expect(provenBy(blocks, await trustOf('flat'))[0]).toMatch(/test signature, which anyone can make/);
  });

  it('is proven by each third block, where only that is signed', async () => {
    await simulate('skipping', { format: 'block', signsEvery: 3 });
    const blocks = await readBlocks('skipping');
    const all = await readBlocks('block');
    // The last one is signed out of turn.
    expect(blocks.map(({ proofs }) => proofs.map(({ kind }) => kind))).toEqual(
      all.map((_, number) => [(number + 1) % 3 === 0 || number === BLOCKS - 1 ? 'signed' : 'state']),
    );
    // Proofs are in no hash.
    expect(blocks.map(({ footer }) => toHex(footer.previousRootHash))).toEqual(
      all.map(({ footer }) => toHex(footer.previousRootHash)),
    );
    const trust = await trustOf('skipping');
    expect(provenBy(blocks, trust)).toEqual(new Array(BLOCKS).fill('schnorr'));
    const verdicts = blocks.map((block) => verifier.verifyBlock(block, trust, START_OF_CHAIN).verdict);
    expect(verdicts.map((verdict) => verdict.proven && verdict.throughStateProof)).toEqual(
      all.map((_, number) => (number + 1) % 3 !== 0 && number !== BLOCKS - 1),
    );
    // A state proof proves its own block, and none of another root hash.
    const [first, second] = blocks as [Block, Block];
    const swapped = { ...first, proofs: second.proofs };
    expect(provenBy([swapped], trust)[0]).toMatch(/state proof/);
  });

  it('wraps its record files, proven by all nodes', async () => {
    const blocks = await readBlocks('wrapped');
    expect(provenBy(blocks, await trustOf('wrapped'))).toEqual(new Array(BLOCKS).fill('record-signatures'));
    const items = blocks.flatMap(
      ({ recordFile, name }) => readWrappedRecordFile(name, recordFile as Uint8Array, 6).recordFile.items,
    );
    const records = await recordItems();
    expect(items.map(({ record }) => toHex(sha384(record)))).toEqual(
      records.map(({ record }) => toHex(sha384(record))),
    );
  });

  it('goes over from record files to blocks', async () => {
    const blocks = await readBlocks('cutover');
    expect(blocks.map(({ recordFile, hapiVersion }) => [recordFile !== null, hapiVersion.minor])).toEqual([
      [true, 75],
      [true, 76],
      [true, 76],
      ...new Array(BLOCKS - CUTOVER).fill([false, 78]),
    ]);
    expect(provenBy(blocks, await trustOf('cutover'))).toEqual([
      ...new Array(CUTOVER).fill('record-signatures'),
      ...new Array(BLOCKS - CUTOVER).fill('schnorr'),
    ]);
    const { blocks: written } = ledgers.get('cutover') as SimulatedLedger;
    expect(written.map(({ name }) => name.replace(/^\d{4}-.*Z/, 'time'))).toEqual([
      ...new Array(CUTOVER).fill('time.rcd.gz'),
      ...['3', '4', '5', '6', '7', '8', '9'].map((number) => `${number.padStart(19, '0')}.blk`),
    ]);
  });
});

/** Records by consensus time, as blocks have them: results, with what stands around each. */
const transactionsOf = (blocks: readonly Block[]) =>
  blocks.flatMap(({ items }) =>
    items.flatMap(({ field, payload }, index) => {
      if (field !== BlockItemField.transactionResult) return [];
      const before = items[index - 1];
      const signed = before?.field === BlockItemField.signedTransaction ? before.payload : undefined;
      return [{ result: TransactionResult.decode(payload), signed }];
    }),
  );

describe('transactions of blocks', () => {
  it('have the results of the records, one for one', async () => {
    const transactions = transactionsOf(await readBlocks('block'));
    const records = (await recordItems()).map(({ record }) => TransactionRecord.decode(record));
    expect(transactions).toHaveLength(records.length);
    for (const [index, { result }] of transactions.entries()) {
      const record = records[index] as TransactionRecord;
      expect(result).toEqual({
        status: record.receipt?.status,
        consensusTimestamp: record.consensusTimestamp,
        parentConsensusTimestamp: record.parentConsensusTimestamp,
        scheduleRef: record.scheduleRef,
        transactionFeeCharged: record.transactionFee,
        transferList: record.transferList,
        tokenTransferLists: record.tokenTransferLists,
        automaticTokenAssociations: record.automaticTokenAssociations,
        paidStakingRewards: record.paidStakingRewards,
        assessedCustomFees: record.assessedCustomFees,
        congestionPricingMultiplier: 0n,
        highVolumePricingMultiplier: record.highVolumePricingMultiplier,
        _unknownFields: {},
      });
    }
  });

  it('are signed as in the records, but for those inside of batches', async () => {
    const transactions = transactionsOf(await readBlocks('block'));
    const records = await recordItems();
    const unsigned = transactions.flatMap(({ signed }, index) => {
      const { signedTransactionBytes } = Transaction.decode((records[index] as (typeof records)[number]).transaction);
      if (signed === undefined) return [index];
      expect(toHex(signed)).toBe(toHex(signedTransactionBytes));
      return [];
    });
    expect(unsigned.length).toBeGreaterThan(0);
    for (const index of unsigned) {
      const record = TransactionRecord.decode((records[index] as (typeof records)[number]).record);
      expect(record.parentConsensusTimestamp).toBeDefined();
      expect(record.transactionID?.nonce).toBe(0);
    }
  });
});

describe('a simulation that was killed', () => {
  it('goes on with the same blocks', async () => {
    const out = folderOf('resumed');
    const options = {
      out,
      seed: SEED,
      tps: 60,
      nodes: NODES,
      users: 20,
      mix: 'everything',
      form: { format: 'block' },
    } as const;
    await simulateLedger({ ...options, blocks: 2 });
    // The newest block is missing, as if the process had ended while it was written.
    const folder = new BlockFolder(out, 'other', 'split');
    await simulateLedger({ ...options, blocks: 3 });
    const whole = new BlockFolder(folderOf('block'), 'other', 'split');
    for (const number of await whole.numbers()) {
      expect(sha384((await folder.read(number)) as Uint8Array)).toEqual(
        sha384((await whole.read(number)) as Uint8Array),
      );
    }
  });
});
