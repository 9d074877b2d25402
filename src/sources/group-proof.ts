import { isKagamiError, type KagamiError } from '../errors/kagami-error.ts';
import type { AddressBook, AddressBookEntry } from '../streams/address-book.ts';
import { type Tally, tally, type VerifiedSignature } from '../streams/consensus.ts';
import { type ReadRecordFileOptions, readRecordFile } from '../streams/record-file.ts';
import type { RecordFile, SidecarMetadata } from '../streams/record-file-content.ts';
import { readSidecarFile, type SidecarFile } from '../streams/sidecar-file.ts';
import { isPreReleaseSignature, readSignatureFile } from '../streams/signature-file.ts';
import { verifySignatureFile } from '../streams/signature-verification.ts';
import { checkSignedHashes } from '../streams/signed-hashes.ts';
import { streamError } from '../streams/stream-error.ts';
import type { Electorate } from './electorate.ts';
import type { FileGroup, NodeCopy } from './file-groups.ts';
import { firstGood, untilSlow } from './first-good.ts';
import { isSourceFailure } from './source-failure.ts';
import type { StreamNode, StreamSource } from './stream-source.ts';

export interface ProofOptions {
  /**
   * Accepts a record file that no node signed, after its own hashes are checked. Signature files of the pre-release
   * layout count as none. A file with any other signature needs consensus as always: a signature that doesn't verify
   * speaks against a file, where none says nothing.
   */
  readonly trustUnsigned?: boolean;
  /** Verifies every signature even when consensus is certain earlier, so that the list of signers is complete. */
  readonly verifyAll?: boolean;
  /** Which sidecar files to read, none by default. */
  readonly readSidecar?: (metadata: SidecarMetadata) => boolean;
  /** Whether sidecar files that no node has are left out; they are refused by default. */
  readonly leaveOutSidecars?: () => boolean;
  /** How a record file is read, for readers that do it elsewhere and take its bytes; `readRecordFile` by default. */
  readonly readFile?: (name: string, bytes: Uint8Array, options: ReadRecordFileOptions) => Promise<RecordFile>;
  /** Refuses record and sidecar files with more content than this many bytes, 256 MiB by default. */
  readonly maxContentBytes?: number;
}

/** A record file whose bytes are proven to be the ledger's (or explicitly trusted), as far as one file can be. */
export interface ProvenRecordFile {
  readonly recordFile: RecordFile;
  /** Whose copy was taken. */
  readonly node: StreamNode;
  /** Ids of the nodes that signed it, as far as their signatures were verified. */
  readonly signers: readonly bigint[];
  /** The vote; null when the file was accepted unsigned. */
  readonly tally: Tally | null;
  readonly sidecars: readonly SidecarFile[];
  /** Ids of sidecar files that were wanted, but that no node has. */
  readonly missingSidecars: readonly number[];
  /** Nodes whose copies were missing, damaged or other than agreed. They don't hinder the proof. */
  readonly faults: readonly KagamiError[];
}

const SIGNATURES_AT_ONCE = 8;

/** Faults of a data file that is another one than was signed. */
const mismatches: readonly string[] = ['STREAM_FILE_HASH_MISMATCH', 'STREAM_METADATA_HASH_MISMATCH'];

/**
 * The proof of one record file. It can be attempted again when more copies have arrived; verified signatures are kept,
 * unless they contradict each other or the data file.
 */
export class GroupProof {
  readonly #source: StreamSource;
  readonly #options: ProofOptions;
  /** By node id. */
  readonly #verified = new Map<bigint, VerifiedSignature>();

  constructor(source: StreamSource, options: ProofOptions) {
    this.#source = source;
    this.#options = options;
  }

  /**
   * @throws KagamiError STREAM_UNSIGNED, STREAM_NO_CONSENSUS, SOURCE_FILE_MISSING, what the source throws when it gives
   * nothing, or what `readRecordFile` and `readSidecarFile` throw when no node's copy is good; details.faults says what is
   * wrong with which copy.
   */
  async attempt(group: FileGroup, electorate: Electorate): Promise<ProvenRecordFile> {
    const faults: KagamiError[] = [];
    const votes = await this.#collectVotes(group, electorate, faults);
    if (votes === 'unsigned') {
      if (!this.#options.trustUnsigned) {
        throw streamError('STREAM_UNSIGNED', { file: group.base, rule: 'no node signed it', faults: texts(faults) });
      }
      return this.#takeCopy(group, group.copies, null, faults);
    }
    const { agreed, required, total } = votes;
    if (agreed === undefined) {
      // Whoever signed something else may have put the right signature in its place by the next attempt.
      if (votes.groups.length > 1) this.#verified.clear();
      const [first] = faults;
      if (first !== undefined && votes.groups.length === 0 && faults.every(isSourceFailure)) throw first;
      throw streamError('STREAM_NO_CONSENSUS', {
        file: group.base,
        rule: describeVotes(votes),
        required,
        total,
        faults: texts(faults),
      });
    }
    const isSigner = (copy: NodeCopy): boolean =>
      agreed.nodeIds.includes(entryOf(electorate.book, copy.node)?.nodeId ?? -1n);
    // Any copy with the agreed hash is the file; those of the signers come first.
    const copies = [...group.copies.filter(isSigner), ...group.copies.filter((copy) => !isSigner(copy))];
    return this.#takeCopy(group, copies, votes, faults);
  }

  async #collectVotes(group: FileGroup, electorate: Electorate, faults: KagamiError[]): Promise<Tally | 'unsigned'> {
    const { book, weights, ratio } = electorate;
    const signed = group.copies.filter(({ signatureNames }) => signatureNames.length > 0);
    let unsigned = true;
    const count = (): Tally => tally(this.#verified.values(), weights, ratio);
    // More than half of equal weights is certain; that many signatures are read first.
    let atOnce = Math.floor(signed.length / 2) + 1;
    const running = new Set<Promise<void>>();
    const verify = async (copy: NodeCopy): Promise<void> => {
      for (const name of copy.signatureNames) {
        const result = await attempt(() => this.#verify(copy.node, name, book));
        if (!isKagamiError(result)) {
          unsigned = false;
          if (!this.#verified.has(result.nodeId)) this.#verified.set(result.nodeId, result);
          return;
        }
        if (!isPreReleaseFault(result)) unsigned = false;
        faults.push(result);
      }
    };
    const start = (copy: NodeCopy): Promise<void> => {
      const verifying = verify(copy);
      running.add(verifying);
      verifying.catch(() => undefined).finally(() => running.delete(verifying));
      return verifying;
    };
    const isEnough = (): boolean => !this.#options.verifyAll && count().final;
    for (let i = 0; i < signed.length; i += atOnce, atOnce = SIGNATURES_AT_ONCE) {
      // One node that is slow doesn't keep the next ones from being asked.
      await untilSlow(Promise.all(signed.slice(i, i + atOnce).map(start)));
      if (isEnough()) return count();
    }
    while (running.size > 0) {
      await Promise.race(running);
      if (isEnough()) return count();
    }
    return unsigned ? 'unsigned' : count();
  }

  async #verify(node: StreamNode, signatureName: string, book: AddressBook): Promise<VerifiedSignature> {
    const entry = entryOf(book, node);
    const known = entry === undefined ? undefined : this.#verified.get(entry.nodeId);
    if (known !== undefined) return known;
    const bytes = await this.#source.read(node, signatureName);
    if (bytes === undefined) throw missing(signatureName, node);
    const signature = readSignature(signatureName, bytes);
    if (entry?.publicKey == null) {
      const rule = entry === undefined ? 'the address book has no such node' : 'the address book has no RSA key of it';
      throw streamError('STREAM_UNKNOWN_NODE', { file: signatureName, rule: `${node.place}: ${rule}` });
    }
    await verifySignatureFile(signature, entry.publicKey, `node ${entry.nodeId}`);
    return {
      nodeId: entry.nodeId,
      fileHash: signature.file.hash,
      metadataHash: signature.metadata?.hash ?? null,
    };
  }

  /** The first of `copies` that is the agreed file, whole with its sidecars. */
  async #takeCopy(
    group: FileGroup,
    copies: readonly NodeCopy[],
    votes: Tally | null,
    faults: KagamiError[],
  ): Promise<ProvenRecordFile> {
    const candidates = copies.flatMap(({ node, recordNames }) => recordNames.map((name) => ({ node, name })));
    const refused: KagamiError[] = [];
    const taken = await firstGood(candidates, async ({ node, name }) => {
      const result = await attempt(async () => {
        const bytes = await this.#source.read(node, name);
        if (bytes === undefined) throw missing(name, node);
        const { readFile = readRecordFile, maxContentBytes } = this.#options;
        const recordFile = await readFile(name, bytes, maxContentBytes === undefined ? {} : { maxContentBytes });
        if (votes?.agreed !== undefined) checkSignedHashes(recordFile, votes.agreed);
        return { recordFile, node };
      });
      if (isKagamiError(result)) {
        refused.push(result);
        faults.push(result);
      }
      return result;
    });
    if (taken !== undefined) {
      const places = [taken.node, ...group.copies.map(({ node }) => node).filter((node) => node !== taken.node)];
      const found = await this.#readSidecars(taken.recordFile, group.base, places, faults);
      return { ...taken, signers: votes?.agreed?.nodeIds ?? [], tally: votes, ...found, faults };
    }
    // Those who agreed may have been wrong together.
    if (faults.some(({ code }) => mismatches.includes(code))) this.#verified.clear();
    throw (
      refused.at(-1) ??
      streamError('SOURCE_FILE_MISSING', { file: group.base, rule: 'signed, but no node has the record file' })
    );
  }

  async #readSidecars(
    recordFile: RecordFile,
    base: string,
    places: readonly StreamNode[],
    faults: KagamiError[],
  ): Promise<Pick<ProvenRecordFile, 'sidecars' | 'missingSidecars'>> {
    const wanted = recordFile.sidecars.filter((metadata) => this.#options.readSidecar?.(metadata) ?? false);
    const sidecars: SidecarFile[] = [];
    const missingSidecars: number[] = [];
    for (const metadata of wanted) {
      const result = await attempt(() => this.#readSidecar(metadata, base, places, faults));
      if (!isKagamiError(result)) sidecars.push(result);
      else if (isMissingSidecar(result) && this.#options.leaveOutSidecars?.()) missingSidecars.push(metadata.id);
      else throw result;
    }
    return { sidecars, missingSidecars };
  }

  async #readSidecar(
    metadata: SidecarMetadata,
    base: string,
    places: readonly StreamNode[],
    faults: KagamiError[],
  ): Promise<SidecarFile> {
    const candidates = places.flatMap((node) => sidecarNames(base, metadata.id).map((name) => ({ node, name })));
    const refused: KagamiError[] = [];
    const taken = await firstGood(candidates, async ({ node, name }) => {
      const result = await attempt(async () => {
        const bytes = await this.#source.readSidecar(node, name);
        if (bytes === undefined) throw missing(name, node);
        return readSidecarFile(name, bytes, metadata, this.#options.maxContentBytes);
      });
      if (isKagamiError(result)) refused.push(result);
      return result;
    });
    const present = refused.filter(({ code }) => code !== 'SOURCE_FILE_MISSING');
    faults.push(...present);
    if (taken !== undefined) return taken;
    const damaged = present.find((fault) => !isSourceFailure(fault));
    throw damaged ?? present[0] ?? missingSidecar(base, metadata.id);
  }
}

/** As what a sidecar file may lie in a node's folder. */
const sidecarNames = (base: string, id: number): readonly string[] => {
  const stem = `${base}_${id.toString().padStart(2, '0')}.rcd`;
  return [`${stem}.gz`, stem];
};

/** Whether all that a proof lacks is a sidecar file that no node has. */
export const isMissingSidecar = ({ code, details }: KagamiError): boolean =>
  code === 'SOURCE_FILE_MISSING' && details.sidecar !== undefined;

const missingSidecar = (base: string, id: number): KagamiError =>
  streamError('SOURCE_FILE_MISSING', { file: base, rule: `no node has sidecar ${id}`, sidecar: id });

/** The address book's entry of a node, by whichever id the source knows. */
const entryOf = (book: AddressBook, node: StreamNode): AddressBookEntry | undefined =>
  node.accountId !== null ? book.byAccountId.get(node.accountId) : book.byNodeId.get(node.nodeId ?? -1n);

/** The result of `action`, or the KagamiError that it threw; other errors are faults of the program and pass through. */
const attempt = async <T>(action: () => Promise<T>): Promise<T | KagamiError> => {
  try {
    return await action();
  } catch (error) {
    if (isKagamiError(error)) return error;
    throw error;
  }
};

const isPreReleaseFault = ({ details }: KagamiError): boolean => 'preRelease' in details;

const readSignature = (name: string, bytes: Uint8Array): ReturnType<typeof readSignatureFile> => {
  if (isPreReleaseSignature(bytes)) {
    const rule = 'signature file of the pre-release v5 layout, which proves nothing';
    throw streamError('STREAM_UNKNOWN_VERSION', { file: name, offset: 0, rule, preRelease: true });
  }
  return readSignatureFile(name, bytes);
};

const missing = (name: string, node: StreamNode): KagamiError =>
  streamError('SOURCE_FILE_MISSING', { file: name, rule: `not in ${node.place}` });

const describeVotes = ({ groups, required, total }: Tally): string => {
  const [first, second] = groups;
  if (first === undefined) return `no valid signature; ${required} of ${total} are needed`;
  if (second !== undefined && second.weight === first.weight && first.weight >= required) {
    return `two hashes were signed with the same weight, ${first.weight} of ${total} each`;
  }
  return `${first.weight} of ${total} signed the same hash, ${required} are needed`;
};

const texts = (faults: readonly KagamiError[]): string[] => faults.map(({ code, message }) => `${code} ${message}`);
