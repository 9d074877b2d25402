import { verify } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leftPad, toHex } from '../ledger/bytes.ts';
import { decodeEthereumTransaction } from '../ledger/ethereum-transaction.ts';
import { keccak256, sha384 } from '../ledger/hash.ts';
import { isSuccessful } from '../ledger/response-code.ts';
import { transactionTypeName, transactionTypeNames } from '../ledger/transaction-type.ts';
import { type ContractID, ServicesConfigurationList } from '../protobuf/generated/services/basic_types.ts';
import { ExchangeRateSet } from '../protobuf/generated/services/exchange_rate.ts';
import { Transaction } from '../protobuf/generated/services/transaction.ts';
import { parseAddressBook } from '../streams/address-book.ts';
import type { RecordFile } from '../streams/record-file-content.ts';
import { decodeSidecarRecord, readSidecarFile } from '../streams/sidecar-file.ts';
import { readSignatureFile } from '../streams/signature-file.ts';
import { verifySignatureFile } from '../streams/signature-verification.ts';
import { decodeItems, numOf, type ReplayedItem, readLedgerFiles, replay } from './ledger-replay.fixture.ts';
import { type SimulatedLedger, simulateLedger } from './simulate-ledger.ts';

const SUPPLY = 5_000_000_000_000_000_000n;
/** What the network submits itself, and only when it is right. */
const NEVER_FAILING = [
  'NODESTAKEUPDATE',
  'STATESIGNATURETRANSACTION',
  'HINTSPREPROCESSINGVOTE',
  'HINTSKEYPUBLICATION',
  'HINTSPARTIALSIGNATURE',
  'HISTORYPROOFSIGNATURE',
  'HISTORYPROOFKEYPUBLICATION',
  'HISTORYPROOFVOTE',
  'CRSPUBLICATION',
  'LEDGERIDPUBLICATION',
  'MIGRATIONROOTHASHVOTE',
];
const options = {
  seed: 'test-2',
  mix: 'everything',
  transactions: 6_000,
  tps: 500,
  nodes: 3,
  users: 40,
  signTransactions: false,
  // Short staking periods, so that several end within the test.
  stakingPeriodNanos: 3_600_000_000_000n,
};

describe('a ledger of everything', () => {
  const out = mkdtempSync(`${tmpdir()}/kagami-ledger-`);
  let ledger: SimulatedLedger;
  let files: RecordFile[];
  let items: ReplayedItem[];

  beforeAll(async () => {
    ledger = await simulateLedger({ ...options, out });
    files = readLedgerFiles(`${out}/record0.0.3`);
    items = files.flatMap(decodeItems);
  });
  afterAll(() => rmSync(out, { recursive: true }));

  it('is a chain of blocks numbered from 0 that the stream reader proves', () => {
    expect(files.map((file) => file.blockNumber)).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n]);
    expect(files.map((file) => toHex(file.hash))).toEqual(ledger.blocks.map((block) => block.hash));
    expect(files.map((file) => file.items.length)).toEqual(ledger.blocks.map((block) => block.count));
    expect(files.map((file) => file.name)).toEqual(ledger.blocks.map((block) => block.name));
    expect(toHex(ledger.expected.lastBlockHash)).toBe(toHex(files[10]?.hash ?? new Uint8Array()));
    expect(files.every((file) => !file.outOfOrder)).toBe(true);
  });

  it('is signed by every node of the address book that file 0.0.102 holds', async () => {
    const book = parseAddressBook(readFileSync(ledger.addressBookFile));
    expect([...book.byAccountId.keys()]).toEqual([3n, 4n, 5n]);
    const parts = items.flatMap(({ body: { data } }) => {
      const part =
        data?.$case === 'fileUpdate' ? data.fileUpdate : data?.$case === 'fileAppend' ? data.fileAppend : undefined;
      return part?.fileID?.fileNum === 102n ? [part.contents] : [];
    });
    expect(Buffer.concat(parts)).toEqual(Buffer.from(book.bytes));
    for (const entry of book.entries) {
      const folder = `${out}/record0.0.${entry.accountId}`;
      for (const file of files) {
        const name = file.name.replace('.rcd.gz', '.rcd_sig');
        const signature = readSignatureFile(name, readFileSync(`${folder}/${name}`));
        if (entry.publicKey === null) throw new Error('no key');
        await verifySignatureFile(signature, entry.publicKey, `0.0.${entry.accountId}`);
        expect(toHex(signature.file.hash)).toBe(toHex(file.fileHash));
        expect(toHex(signature.metadata?.hash ?? new Uint8Array())).toBe(toHex(file.metadataHash ?? new Uint8Array()));
      }
    }
  });

  it('gives every node the same data, stored once', () => {
    const [first] = files;
    const inode = statSync(`${out}/record0.0.3/${first?.name}`).ino;
    expect(statSync(`${out}/record0.0.5/${first?.name}`).ino).toBe(inode);
    expect(readdirSync(`${out}/record0.0.4`)).toEqual(readdirSync(`${out}/record0.0.3`));
  });

  it('sums every transfer list to zero but for the creation of the supply', () => {
    const unbalanced = items.filter(({ record }) => {
      const amounts = record.transferList?.accountAmounts ?? [];
      return amounts.reduce((sum, { amount }) => sum + amount, 0n) !== 0n;
    });
    expect(unbalanced).toHaveLength(1);
    expect(unbalanced[0]?.record.transferList?.accountAmounts).toMatchObject([{ amount: SUPPLY }]);
    expect(numOf(unbalanced[0]?.record.receipt?.accountID)).toBe(2n);
  });

  it('balances every fungible transfer but for those that change the supply', () => {
    const supplyChanging = new Set(['tokenCreation', 'tokenMint', 'tokenBurn', 'tokenWipe', 'tokenDissociate']);
    for (const { body, record } of items) {
      if (supplyChanging.has(body.data?.$case ?? '')) continue;
      for (const { transfers } of record.tokenTransferLists) {
        expect(transfers.reduce((sum, { amount }) => sum + amount, 0n)).toBe(0n);
      }
    }
  });

  it('is the ledger that it says it is: the records alone give the expected balances, tokens, NFTs and topics', () => {
    const { expected } = ledger;
    const replayed = replay(items);
    const byNum = <V>(map: ReadonlyMap<bigint, V>) => [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
    expect(byNum(replayed.balances)).toEqual(byNum(expected.balances));
    expect([...expected.balances.values()].reduce((sum, balance) => sum + balance, 0n)).toBe(SUPPLY);
    expect(replayed.deletedAccounts.toSorted()).toEqual(expected.deletedAccounts.toSorted());
    expect(replayed.hbarTransfers).toBe(expected.hbarTransfers);
    expect(expected.tokens.size).toBeGreaterThan(7);
    for (const [num, token] of expected.tokens) {
      expect(replayed.supplies.get(num)).toBe(token.supply);
      const held = new Map([...(replayed.tokenBalances.get(num) ?? [])].filter(([, balance]) => balance !== 0n));
      expect(byNum(held)).toEqual(byNum(new Map([...token.balances].filter(([, balance]) => balance !== 0n))));
      expect([...token.balances.values()].reduce((sum, balance) => sum + balance, 0n)).toBe(token.supply);
      expect(byNum(replayed.nftOwners.get(num) ?? new Map())).toEqual(byNum(token.owners));
    }
    const messages = new Map([...expected.topics].map(([num, { fee: _fee, ...newest }]) => [num, newest]));
    expect(byNum(replayed.topics)).toEqual(byNum(messages));
    expect(items).toHaveLength(expected.transactions);
  });

  it('has ascending consensus times, transaction ids of its own, valid starts before consensus, and true hashes', () => {
    const ids = new Set<string>();
    let last = 0n;
    for (const { consensusTimestamp, transactionBytes, body, record } of items) {
      expect(consensusTimestamp > last).toBe(true);
      last = consensusTimestamp;
      const id = record.transactionID;
      const start = id?.transactionValidStart;
      const text = `${numOf(id?.accountID)}/${start?.seconds}.${start?.nanos}/${id?.nonce}/${id?.scheduled}`;
      expect(ids.has(text)).toBe(false);
      ids.add(text);
      expect((start?.seconds ?? 0n) * 1_000_000_000n + BigInt(start?.nanos ?? 0) < consensusTimestamp).toBe(true);
      expect(body.transactionID).toEqual(id);
      const { signedTransactionBytes } = Transaction.decode(transactionBytes);
      expect(toHex(record.transactionHash)).toBe(toHex(sha384(signedTransactionBytes)));
    }
  });

  it('charges failed transactions', () => {
    const failures = items.filter(
      ({ record }) => record.receipt?.status !== 22 && record.parentConsensusTimestamp === undefined,
    );
    expect(new Set(failures.map(({ record }) => record.receipt?.status)).size).toBeGreaterThanOrEqual(5);
    for (const { record } of failures) {
      expect(record.transferList?.accountAmounts.length).toBeGreaterThan(0);
    }
  });

  it('links children to their parents', () => {
    const byTime = new Map(items.map((item) => [item.consensusTimestamp, item]));
    const autoCreations = items.filter(
      ({ body, record }) => body.data?.$case === 'cryptoCreateAccount' && record.transactionID?.nonce === 1,
    );
    expect(autoCreations.length).toBeGreaterThan(10);
    for (const child of autoCreations) {
      const parent = byTime.get(child.consensusTimestamp + 1n);
      expect(parent?.body.data?.$case).toBe('cryptoTransfer');
      const created = numOf(child.record.receipt?.accountID);
      expect(parent?.record.transferList?.accountAmounts.some(({ accountID }) => numOf(accountID) === created)).toBe(
        true,
      );
    }
    const scheduled = items.filter(({ record }) => record.scheduleRef !== undefined);
    expect(scheduled.length).toBeGreaterThan(3);
    expect(scheduled.every(({ record }) => record.transactionID?.scheduled)).toBe(true);
  });

  it('pays staking rewards and updates stakes when a staking period ends', () => {
    const updates = items.filter(({ body }) => body.data?.$case === 'nodeStakeUpdate');
    expect(updates.length).toBeGreaterThanOrEqual(2);
    const rewarded = items.filter(({ record }) => record.paidStakingRewards.length > 0);
    expect(rewarded.length).toBeGreaterThan(5);
    for (const { record } of rewarded) {
      const fund = record.transferList?.accountAmounts.find(({ accountID }) => numOf(accountID) === 800n);
      expect(fund).toBeDefined();
    }
  });

  it('has sidecars that their record files prove, in step with the contracts', () => {
    const storage = new Map<string, string>();
    let bytecodes = 0;
    for (const file of files) {
      for (const metadata of file.sidecars) {
        const name = file.name.replace('.rcd.gz', `_0${metadata.id}.rcd.gz`);
        const sidecar = readSidecarFile(name, readFileSync(`${out}/record0.0.4/sidecar/${name}`), metadata);
        for (const record of sidecar.records) {
          const content = decodeSidecarRecord(record, name).sidecarRecords;
          if (content?.$case === 'bytecode') {
            bytecodes++;
            const expected = ledger.expected.contracts.get(contractNumOf(content.bytecode.contractId));
            expect(toHex(content.bytecode.runtimeBytecode)).toBe(toHex(expected?.runtime ?? new Uint8Array()));
          }
          if (content?.$case !== 'stateChanges') continue;
          for (const { contractId, storageChanges } of content.stateChanges.contractStateChanges) {
            const num = contractNumOf(contractId);
            // Slots of the hook contract are the storage of hooks.
            if (num === 365n) continue;
            for (const { slot, valueRead, valueWritten } of storageChanges) {
              const key = `${num}/${toHex(leftPad(slot, 32))}`;
              expect(toHex(valueRead)).toBe(storage.get(key) ?? '');
              if (valueWritten !== undefined) storage.set(key, toHex(valueWritten));
            }
          }
        }
      }
    }
    expect(bytecodes).toBe(ledger.expected.contracts.size);
    const stored = [...ledger.expected.contracts].flatMap(([num, contract]) =>
      [...contract.storage].map(([slot, value]): [string, string] => [`${num}/${slot}`, value]),
    );
    expect(stored.length).toBeGreaterThan(6);
    expect(new Map([...storage].toSorted())).toEqual(new Map(stored.toSorted()));
  });

  it('shows every type of transaction, and most of them failing as well', () => {
    const { counts, countsByType } = ledger.expected;
    const succeeded = new Set<string>();
    const failed = new Set<string>();
    for (const key of counts.keys()) {
      const [type, result] = key.split('/').map(Number) as [number, number];
      (isSuccessful(result) ? succeeded : failed).add(transactionTypeName(type));
    }
    expect(transactionTypeNames.filter((name) => !succeeded.has(name))).toEqual([]);
    expect(countsByType.UNKNOWN).toBeGreaterThan(0);
    expect(transactionTypeNames.filter((name) => !failed.has(name))).toEqual(NEVER_FAILING);
    expect(Object.keys(ledger.expected.countsByResult).length).toBeGreaterThan(40);
  });

  it('collects all fees, and pays them out at the start of a staking period (HIP-1259)', () => {
    let collected = 0n;
    const payments: [paid: bigint, collected: bigint][] = [];
    for (const { body, record } of items) {
      const amounts = new Map(
        record.transferList?.accountAmounts.map(({ accountID, amount }) => [numOf(accountID), amount]),
      );
      const change = amounts.get(802n) ?? 0n;
      if (body.memo === 'Synthetic node fees payment') {
        payments.push([-change, collected]);
        const [node, reward] = [amounts.get(3n) ?? 0n, amounts.get(801n) ?? 0n];
        const rest = collected - [3n, 4n, 5n].reduce((sum, num) => sum + (amounts.get(num) ?? 0n), 0n);
        expect(numOf(body.transactionID?.accountID)).toBe(50n);
        expect(node).toBeGreaterThan(0n);
        expect([reward, amounts.get(98n)]).toEqual([rest / 10n, rest - 2n * (rest / 10n)]);
      } else expect(change).toBeGreaterThanOrEqual(0n);
      collected += change;
    }
    // Three early days, each with a period's end.
    expect(payments.length).toBeGreaterThan(1);
    for (const [paid, before] of payments) expect(paid).toBe(before);
  });

  it('states the exchange rates of file 0.0.112 in receipts', () => {
    const contents = items.flatMap(({ body: { data } }) =>
      data?.$case === 'fileUpdate' && data.fileUpdate.fileID?.fileNum === 112n ? [data.fileUpdate.contents] : [],
    );
    // Genesis, three early days, and activity.
    expect(contents).toHaveLength(5);
    const rates = contents.map((content) => ExchangeRateSet.decode(content));
    const [first, second] = [rates[0], rates.at(-1)];
    expect(first?.currentRate?.centEquiv).toBe(360_000);
    expect(second?.currentRate?.centEquiv).not.toBe(360_000);
    expect(items[0]?.record.receipt?.exchangeRate).toEqual(first);
    expect(items.at(-1)?.record.receipt?.exchangeRate).toEqual(second);
    // Activity starts at 2026-01-01T00:00:00Z, whose hour ends with the current rate.
    expect(second?.currentRate?.expirationTime?.seconds).toBe(1_767_229_200n);
  });

  it('assesses custom fees that the record accounts for', () => {
    const assessed = items.filter(({ record }) => record.assessedCustomFees.length > 0);
    expect(assessed.length).toBeGreaterThan(5);
    for (const { record } of assessed) {
      for (const fee of record.assessedCustomFees) {
        const list = fee.tokenId
          ? record.tokenTransferLists.find(({ token }) => token?.tokenNum === fee.tokenId?.tokenNum)?.transfers
          : record.transferList?.accountAmounts;
        const received = list?.find(({ accountID }) => numOf(accountID) === numOf(fee.feeCollectorAccountId))?.amount;
        expect((received ?? 0n) >= fee.amount).toBe(true);
      }
    }
  });

  it('is the same, byte for byte and signatures included, when made again from the seed', async () => {
    const again = mkdtempSync(`${tmpdir()}/kagami-ledger-`);
    try {
      await simulateLedger({ ...options, out: again });
      for (const node of ['record0.0.3', 'record0.0.5']) {
        for (const name of readdirSync(`${out}/${node}`).filter((entry) => entry !== 'sidecar')) {
          expect(readFileSync(`${again}/${node}/${name}`).equals(readFileSync(`${out}/${node}/${name}`))).toBe(true);
        }
      }
    } finally {
      rmSync(again, { recursive: true });
    }
  });
});

describe('other ledgers', () => {
  const folders: string[] = [];
  const folder = (): string => {
    const made = mkdtempSync(`${tmpdir()}/kagami-ledger-`);
    folders.push(made);
    return made;
  };
  afterAll(() => {
    for (const made of folders) rmSync(made, { recursive: true });
  });

  it('continue in the same folder, with an unbroken chain', async () => {
    const out = folder();
    const small = { seed: 's', tps: 50, nodes: 1, users: 10, out };
    const first = await simulateLedger({ ...small, blocks: 2 });
    const second = await simulateLedger({ ...small, blocks: 3, mix: 'topic-messages' });
    expect(first.blocks.map((block) => block.number)).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n]);
    expect(second.blocks.map((block) => block.number)).toEqual([7n, 8n, 9n]);
    const files = readLedgerFiles(`${out}/record0.0.3`);
    expect(files.map((file) => file.items.length)).toEqual(
      [...first.blocks, ...second.blocks].map((block) => block.count),
    );
    expect(files.flatMap(decodeItems)).toHaveLength(second.expected.transactions);
  });

  it('refuse a folder of another network', async () => {
    const out = folder();
    await simulateLedger({ seed: 'a', tps: 50, nodes: 1, users: 10, out, blocks: 1 });
    await expect(simulateLedger({ seed: 'b', tps: 50, nodes: 1, users: 10, out, blocks: 1 })).rejects.toMatchObject({
      code: 'SIMULATOR_FOLDER_MISMATCH',
    });
  });

  it('are of one chain, which a folder keeps', async () => {
    const out = folder();
    const chain = { chainId: 1_337n, ledgerId: '0x05' };
    const options = { seed: 'c', tps: 50, nodes: 1, users: 30, out, blocks: 2, mix: 'ethereum=1' };
    await simulateLedger({ ...options, chain });
    const items = readLedgerFiles(`${out}/record0.0.3`).flatMap(decodeItems);
    const properties = items.flatMap(({ body }) =>
      body.data?.$case === 'fileUpdate' && body.data.fileUpdate.fileID?.fileNum === 121n
        ? ServicesConfigurationList.decode(body.data.fileUpdate.contents).nameValue.map((each) => [
            each.name,
            each.value,
          ])
        : [],
    );
    expect(properties).toContainEqual(['contracts.chainId', '1337']);
    expect(properties).toContainEqual(['ledger.id', '0x05']);
    const signed = items.flatMap(({ body }) =>
      body.data?.$case === 'ethereumTransaction'
        ? [decodeEthereumTransaction(body.data.ethereumTransaction.ethereumData).chainId]
        : [],
    );
    expect(signed.length).toBeGreaterThan(20);
    expect(new Set(signed.map((chainId) => chainId && toHex(chainId)))).toEqual(new Set(['0539']));
    await simulateLedger({ ...options, chain });
    await expect(simulateLedger(options)).rejects.toMatchObject({ code: 'SIMULATOR_FOLDER_MISMATCH' });
  });

  it('of transfers alone have four entries in each record', async () => {
    const out = folder();
    const ledger = await simulateLedger({
      seed: 's',
      tps: 500,
      transactions: 1_000,
      mix: 'transfers',
      nodes: 1,
      users: 20,
      out,
    });
    const activity = readLedgerFiles(`${out}/record0.0.3`).slice(2).flatMap(decodeItems);
    const transfers = activity.filter(({ body }) => body.data?.$case === 'cryptoTransfer');
    expect(transfers).toHaveLength(1_000);
    // Payments between an account and one that is rewarded for staking at that moment have more.
    const plain = transfers.filter(({ record }) => record.paidStakingRewards.length === 0);
    expect(plain.length).toBeGreaterThan(900);
    expect(new Set(plain.map(({ record }) => record.transferList?.accountAmounts.length))).toEqual(new Set([4]));
    expect(ledger.expected.countsByResult).toEqual({ SUCCESS: ledger.expected.transactions });
  });

  it('have the contracts that were compiled from Solidity before anything else happens, whoever there is', async () => {
    const { expected } = await simulateLedger({ seed: 's', tps: 50, blocks: 0, nodes: 1, users: 1, out: folder() });
    const contracts = [...expected.contracts.keys()].map((num) => expected.entities.get(num)?.memo);
    expect(contracts.slice(4)).toEqual(['Greeter', 'Vault', 'Shares', 'Fund', 'Proxy', 'Factory', '', '', '']);
    const [factory] = [...expected.contracts.values()].slice(-4);
    expect(factory).toMatchObject({ created: [...expected.contracts.keys()].slice(-3), logs: 3, nonce: 4n });
  });

  it('carry honest account signatures on request', async () => {
    const out = folder();
    await simulateLedger({ seed: 's', tps: 100, transactions: 200, nodes: 1, users: 20, out, signTransactions: true });
    const items = readLedgerFiles(`${out}/record0.0.3`).flatMap(decodeItems);
    const kinds = new Set<string>();
    for (const { signed } of items) {
      for (const { pubKeyPrefix, signature } of signed.sigMap?.sigPair ?? []) {
        kinds.add(signature?.$case ?? '');
        expect(isValid(pubKeyPrefix, signature, signed.bodyBytes)).toBe(true);
      }
    }
    expect(kinds).toEqual(new Set(['ed25519', 'ECDSASecp256k1']));
  });

  it.each(['tokens', 'nfts', 'contracts', 'topic-messages', 'transfer=1,mint=3,failure=2'])(
    'of mix %s balance too',
    async (mix) => {
      const out = folder();
      const ledger = await simulateLedger({ seed: mix, tps: 200, transactions: 800, mix, nodes: 1, users: 20, out });
      const replayed = replay(readLedgerFiles(`${out}/record0.0.3`).flatMap(decodeItems));
      for (const [num, balance] of ledger.expected.balances) expect(replayed.balances.get(num)).toBe(balance);
      for (const [num, token] of ledger.expected.tokens) expect(replayed.supplies.get(num)).toBe(token.supply);
    },
  );
});

const contractNumOf = (id: ContractID | undefined): bigint =>
  id?.contract?.$case === 'contractNum' ? id.contract.contractNum : 0n;

type Signature = NonNullable<NonNullable<ReplayedItem['signed']['sigMap']>['sigPair'][number]>['signature'];

const isValid = (publicKey: Uint8Array, signature: Signature, body: Uint8Array): boolean => {
  if (signature?.$case === 'ECDSASecp256k1') {
    return secp256k1.verify(signature.ECDSASecp256k1, keccak256(body), publicKey, { prehash: false });
  }
  if (signature?.$case !== 'ed25519') return false;
  const key = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
  return verify(null, body, { key, format: 'jwk' }, signature.ed25519);
};
