import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isKagamiError } from '../../errors/kagami-error.ts';
import { findNodeFolders } from '../../sources/folder-layout.ts';
import { parseAddressBook } from '../../streams/address-book.ts';
import { findAddressBook } from '../run/address-book.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

export interface SourceToCheck {
  readonly folder: string;
  readonly addressBook: string;
  readonly trustUnsigned: boolean;
  readonly simulatorEnabled: boolean;
  readonly cwd: string;
}

/** Whether the folder of stream files has a layout that is read, and an address book that proves them. */
export const checkSource = async (source: SourceToCheck): Promise<Finding[]> => {
  if (source.folder === '') {
    return [
      source.simulatorEnabled
        ? ok('source', 'the simulated network')
        : warn(
            'source',
            'neither a folder nor the simulated network',
            'Set kagami.source.folder, or nothing is imported.',
          ),
    ];
  }
  return [await checkFolder(resolve(source.cwd, source.folder)), checkAddressBook(source)];
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

const checkAddressBook = ({ folder, addressBook, trustUnsigned, cwd }: SourceToCheck): Finding => {
  const subject = 'address book';
  const path = findAddressBook({ configured: addressBook, folder, cwd });
  if (path === undefined) {
    if (trustUnsigned)
      return warn(subject, 'none, and unsigned files are trusted', 'Nothing proves that the ledger is true.');
    return warn(
      subject,
      'none configured',
      'An empty database needs one: --address-book FILE, the contents of system file 0.0.102 at the first file.',
    );
  }
  try {
    const { entries } = parseAddressBook(readFileSync(path), { source: path });
    const keys = entries.filter(({ publicKey }) => publicKey !== null).length;
    if (keys > 0) return ok(subject, `${path}: ${entries.length} nodes`);
    return fail(subject, `${path} has no node with a public key`, 'Use the contents of system file 0.0.102.');
  } catch (error) {
    const advice = isKagamiError(error)
      ? error.hint
      : 'Correct hiero.mirror.importer.initialAddressBook (--address-book).';
    return fail(subject, (error as Error).message, advice);
  }
};
