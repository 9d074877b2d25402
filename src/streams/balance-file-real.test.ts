import { describe, expect, it } from 'vitest';
import { toHex } from '../ledger/bytes.ts';
import { parseAddressBook } from './address-book.ts';
import { readBalanceFile } from './balance-file.ts';
import { parseBalanceFileName } from './balance-file-name.ts';
import { ONE_THIRD, tally, type VerifiedSignature, weighNodes } from './consensus.ts';
import { readSignatureContent } from './signature-file.ts';
import { verifySignatureFile } from './signature-verification.ts';
import { inChunks } from './testing/balance-file.fixture.ts';
import { hasRealStreams, type ManifestEntry, readReal, realManifest } from './testing/real-streams.fixture.ts';

interface BalanceManifestEntry extends Omit<ManifestEntry, 'version'> {
  readonly accounts: number;
  readonly tokenBalances?: number;
  readonly maxBalance?: string;
}

const balances: readonly BalanceManifestEntry[] = hasRealStreams
  ? (realManifest() as unknown as BalanceManifestEntry[]).filter(({ kind }) => kind.startsWith('balance-'))
  : [];

describe.skipIf(!hasRealStreams)('real balance files', () => {
  it('are read as the manifest describes them', async () => {
    expect(balances).toHaveLength(18);
    for (const entry of balances) {
      let largest = 0n;
      const file = await readBalanceFile(entry.path, inChunks(readReal(entry.path)), (accounts) => {
        for (const { balance } of accounts) if (balance > largest) largest = balance;
      });
      expect({ path: entry.path, ...file, fileHash: toHex(file.fileHash) }).toMatchObject({
        path: entry.path,
        accounts: entry.accounts,
        fileHash: entry.fileHash,
        size: entry.rawSize,
        tokenBalances: entry.tokenBalances ?? 0,
        duplicateTokenBalances: 0,
      });
      if (entry.maxBalance !== undefined) expect(String(largest)).toBe(entry.maxBalance);
    }
  });

  it('hold all hbars there are', async () => {
    for (const { path } of balances.filter((entry) => !entry.path.startsWith('balances/proto/'))) {
      let sum = 0n;
      await readBalanceFile(path, inChunks(readReal(path)), (accounts) => {
        for (const { balance } of accounts) sum += balance;
      });
      expect({ path, sum }).toEqual({ path, sum: 5_000_000_000_000_000_000n });
    }
  });

  it('are signed by the nodes of their network', async () => {
    const book = parseAddressBook(readReal('addressbooks/test/testnet'));
    for (const name of [
      'v1/balance#/2019-08-30T18_15_00.016002001Z_Balances.csv_sig',
      'mixed/balance#/2021-03-10T22_12_56.075092Z_Balances.pb_sig.gz',
    ]) {
      expect(parseBalanceFileName(name)?.kind).toBe('signature');
      const votes: VerifiedSignature[] = [];
      for (const account of ['0.0.3', '0.0.4', '0.0.5', '0.0.6']) {
        const path = `balances/${name.replace('#', account)}`;
        const signature = readSignatureContent(path, readReal(path));
        const entry = book.byAccountId.get(BigInt(account.slice(4)));
        if (entry?.publicKey == null) throw new Error(`no key of ${account}`);
        await verifySignatureFile(signature, entry.publicKey, account);
        votes.push({ nodeId: entry.nodeId, fileHash: signature.file.hash, metadataHash: null });
      }
      const { agreed } = tally(votes, weighNodes(book, undefined), ONE_THIRD);
      const data = balances.find(({ path }) => path === `balances/${name.replace('#', '0.0.3').replace('_sig', '')}`);
      expect(agreed?.nodeIds).toHaveLength(4);
      expect(toHex(agreed?.fileHash ?? new Uint8Array())).toBe(data?.fileHash);
    }
  });
});
