import { existsSync } from 'node:fs';
import type { LoadedSettings } from '../../config/load.ts';
import type { RootSettings } from '../../config/settings/root.ts';
import { isKagamiError } from '../../errors/kagami-error.ts';
import { importRangeOf } from '../../importer/pipeline/import-range.ts';
import { findNodeFolders } from '../../sources/folder-layout.ts';
import type { SourceLocation } from '../../sources/source-location.ts';
import type { AddressBook } from '../../streams/address-book.ts';
import { findAddressBook, readAddressBook } from '../run/address-book.ts';
import { chooseStreams, type StreamChoice } from '../run/block-choice.ts';
import { beginsNow } from '../run/live-source.ts';
import { namedNetwork } from '../run/source-choice.ts';
import { checkBlockStream } from './block-check.ts';
import { checkBucket } from './bucket-check.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

type SourceSettings = Pick<LoadedSettings<RootSettings>, 'settings' | 'origins'>;

/** Whether the source of stream files can be read, has a layout that is known, and an address book that proves it. */
export const checkSource = async (ready: SourceSettings, cwd: string): Promise<Finding[]> => {
  let chosen: StreamChoice | 'simulator' | undefined;
  let begins: bigint | undefined;
  try {
    chosen = await chooseStreams(ready, cwd);
    begins = importRangeOf(ready.settings.hiero.mirror.importer).from;
  } catch (error) {
    if (isKagamiError(error)) return [fail('source', error.message, error.hint)];
    throw error;
  }
  if (chosen === 'simulator') return [ok('source', 'the simulated network')];
  if (chosen === undefined) {
    const advice = 'Set kagami.source.folder, or nothing is imported.';
    return [warn('source', 'neither a folder, a bucket nor the simulated network', advice)];
  }
  const { records, blocks } = chosen;
  const ofBlocks =
    blocks === undefined ? [] : await checkBlockStream(blocks, ready.settings.hiero.mirror.importer.block);
  // Blocks of a block stream are signed by the ledger as a whole.
  if (records === undefined) return ofBlocks;
  const { finding, book } = await checkAddressBook(ready, records, begins, cwd);
  const found =
    records.kind === 'folder' ? [await checkFolder(records.path)] : await checkBucket(records, book, begins);
  return [...found, finding, ...ofBlocks];
};

const checkFolder = async (folder: string): Promise<Finding> => {
  const subject = 'source';
  if (!existsSync(folder)) {
    return fail(subject, `${folder} does not exist`, 'Correct kagami.source.folder (--source), or mount the folder.');
  }
  try {
    const nodes = await findNodeFolders(folder);
    if (nodes.length > 0) return ok(subject, `${folder}: files of ${nodes.length} nodes`);
  } catch (error) {
    if (isKagamiError(error)) return fail(subject, error.message, error.hint);
    throw error;
  }
  return fail(
    subject,
    `${folder} has no folders of stream files`,
    'Name the folder that holds record0.0.3/ and so on, or <network>/<shard>/<node id>/record/.',
  );
};

const checkAddressBook = async (
  ready: SourceSettings,
  location: SourceLocation,
  begins: bigint | undefined,
  cwd: string,
): Promise<{ readonly finding: Finding; readonly book?: AddressBook }> => {
  const subject = 'address book';
  const { importer, common } = ready.settings.hiero.mirror;
  const network = namedNetwork(ready);
  const request = { configured: importer.initialAddressBook, location, cwd };
  const path = findAddressBook(request);
  try {
    // A folder that can't be listed has no first file to choose a book by.
    const start = beginsNow(location, importer.network) ? BigInt(Date.now()) * 1_000_000n : -1n;
    const book = await readAddressBook({ ...request, network, begins: begins ?? start }, common);
    if (book === undefined) {
      if (ready.settings.kagami.source.trustUnsigned) {
        const advice = 'Nothing proves that the ledger is true.';
        return { finding: warn(subject, 'none, and unsigned files are trusted', advice) };
      }
      const advice =
        'An empty database needs one: --address-book FILE, the contents of system file 0.0.102 at the first file, or ' +
        '--network with the name of a public network.';
      return { finding: warn(subject, 'none configured', advice) };
    }
    const origin = path ?? `that of ${network}`;
    if (book.entries.some(({ publicKey }) => publicKey !== null)) {
      return { finding: ok(subject, `${origin}: ${book.entries.length} nodes`), book };
    }
    const advice = 'Use the contents of system file 0.0.102.';
    return { finding: fail(subject, `${origin} has no node with a public key`, advice) };
  } catch (error) {
    if (isKagamiError(error)) return { finding: fail(subject, error.message, error.hint) };
    throw error;
  }
};
