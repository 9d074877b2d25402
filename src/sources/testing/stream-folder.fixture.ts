import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAddressBook } from '../../streams/address-book.ts';
import { ONE_THIRD, type Ratio, weighNodes } from '../../streams/consensus.ts';
import {
  addressBookBytes,
  itemsFrom,
  recordName,
  sidecarRecordAt,
  type TestNode,
} from '../../streams/testing/network.fixture.ts';
import { type WrittenRecordFile, writeRecordFileV6 } from '../../streams/write/record-file-v6.ts';
import { writeSidecarFile } from '../../streams/write/sidecar-file.ts';
import { writeSignatureFileV6 } from '../../streams/write/signature-file.ts';
import type { Electorate } from '../electorate.ts';

export const FIRST_FILE = 1_700_000_000_000_000_000n;
const FILE_INTERVAL = 2_000_000_000n;

/** A temporary folder that a test removes. */
export const temporaryFolder = (): { readonly path: string; readonly remove: () => void } => {
  const path = mkdtempSync(join(tmpdir(), 'kagami-streams-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
};

export const electorateOf = (nodes: readonly TestNode[], ratio: Ratio = ONE_THIRD): Electorate => {
  const book = parseAddressBook(addressBookBytes(nodes));
  return { book, weights: weighNodes(book, undefined), ratio };
};

export interface TestFile extends WrittenRecordFile {
  readonly name: string;
  readonly base: string;
  readonly sidecar: Uint8Array | undefined;
}

/** A chain of v6 files, two seconds apart, three transactions each, every third file with a sidecar. */
export const makeChain = (
  count: number,
  previousHash: Uint8Array = Buffer.alloc(48),
  first = FIRST_FILE,
): TestFile[] => {
  const chain: TestFile[] = [];
  let startRunningHash = previousHash;
  for (let i = 0; i < count; i++) {
    const start = first + BigInt(i) * FILE_INTERVAL;
    const sidecar =
      i % 3 === 1 ? writeSidecarFile({ id: 1, types: [3], records: [sidecarRecordAt(start)] }) : undefined;
    const written = writeRecordFileV6({
      hapiVersion: { major: 0, minor: 64, patch: 0 },
      startRunningHash,
      blockNumber: BigInt(i),
      items: itemsFrom(start, 3),
      sidecars: sidecar === undefined ? [] : [sidecar.metadata],
    });
    const base = recordName(start, '');
    chain.push({ ...written, name: `${base}.rcd.gz`, base, sidecar: sidecar?.bytes });
    startRunningHash = written.endRunningHash;
  }
  return chain;
};

export const folderOf = (root: string, node: TestNode): string => {
  const folder = join(root, `record${node.account}`);
  mkdirSync(join(folder, 'sidecar'), { recursive: true });
  return folder;
};

export const writeSignature = (root: string, node: TestNode, file: TestFile, base: string = file.base): void => {
  const signature = writeSignatureFileV6({ ...file, privateKey: node.privateKey });
  writeFileSync(join(folderOf(root, node), `${base}.rcd_sig`), signature);
};

export const writeData = (root: string, node: TestNode, file: TestFile): void => {
  const folder = folderOf(root, node);
  writeFileSync(join(folder, file.name), file.bytes);
  if (file.sidecar !== undefined) writeFileSync(join(folder, 'sidecar', `${file.base}_01.rcd.gz`), file.sidecar);
};

/** Writes `files` with signatures into every node's folder. */
export const publish = (root: string, nodes: readonly TestNode[], files: readonly TestFile[]): void => {
  for (const node of nodes) {
    for (const file of files) {
      writeData(root, node, file);
      writeSignature(root, node, file);
    }
  }
};
