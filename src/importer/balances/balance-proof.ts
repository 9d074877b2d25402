/** The proof of a balance file: nodes with enough weight signed the same hash, as for record files. */
import { isKagamiError, type KagamiError } from '../../errors/kagami-error.ts';
import type { Electorate } from '../../sources/electorate.ts';
import { isSourceFailure } from '../../sources/source-failure.ts';
import type { AddressBook, AddressBookEntry } from '../../streams/address-book.ts';
import { type Tally, tally, type VerifiedSignature } from '../../streams/consensus.ts';
import { readSignatureContent } from '../../streams/signature-file.ts';
import { verifySignatureFile } from '../../streams/signature-verification.ts';
import { streamError } from '../../streams/stream-error.ts';
import type { BalanceCopy, BalanceFileGroup, BalanceNode, BalanceStore } from './balance-store.ts';

/** What nodes agreed on; null when nobody signed the file and that is accepted. */
export interface BalanceAgreement {
  readonly fileHash: Uint8Array | null;
  /** Copies of the data file, those of nodes that signed the agreed hash first. */
  readonly copies: readonly BalanceCopy[];
}

/**
 * Verifies the signatures of a balance file.
 * @param trustUnsigned accepts a file that has no signature at all; one with any needs consensus as always
 * @throws KagamiError STREAM_UNSIGNED, STREAM_NO_CONSENSUS; details.faults says what is wrong with which signature. Of
 * `isSourceFailure` when signatures that couldn't be read may be those that are missing
 */
export const agreeOnBalanceFile = async (
  store: BalanceStore,
  group: BalanceFileGroup,
  { book, weights, ratio }: Electorate,
  trustUnsigned: boolean,
): Promise<BalanceAgreement> => {
  const file = `${group.base}_Balances.${group.format}`;
  const signed = group.copies.filter(({ signatureNames }) => signatureNames.length > 0);
  if (signed.length === 0) {
    if (trustUnsigned) return { fileHash: null, copies: group.copies };
    throw streamError('STREAM_UNSIGNED', { file, rule: 'no node signed it' });
  }
  const faults: KagamiError[] = [];
  const votes: VerifiedSignature[] = [];
  await Promise.all(
    signed.map(async ({ node, signatureNames }) => {
      for (const name of signatureNames) {
        const result = await attempt(() => verify(store, node, name, book));
        if (!isKagamiError(result)) {
          votes.push(result);
          return;
        }
        faults.push(result);
      }
    }),
  );
  const counted = tally(votes, weights, ratio);
  const { agreed } = counted;
  if (agreed === undefined) {
    const unread = faults.find(isSourceFailure);
    if (unread !== undefined) throw unread;
    throw streamError('STREAM_NO_CONSENSUS', {
      file,
      rule: describe(counted),
      faults: faults.map(({ code, message }) => `${code} ${message}`),
    });
  }
  const isSigner = ({ node }: BalanceCopy): boolean => agreed.nodeIds.includes(entryOf(book, node)?.nodeId ?? -1n);
  return {
    fileHash: agreed.fileHash,
    copies: [...group.copies.filter(isSigner), ...group.copies.filter((copy) => !isSigner(copy))],
  };
};

const verify = async (
  store: BalanceStore,
  node: BalanceNode,
  signatureName: string,
  book: AddressBook,
): Promise<VerifiedSignature> => {
  const signature = readSignatureContent(signatureName, await store.readSignature(node, signatureName));
  const entry = entryOf(book, node);
  if (entry?.publicKey == null) {
    const rule = entry === undefined ? 'the address book has no such node' : 'the address book has no RSA key of it';
    throw streamError('STREAM_UNKNOWN_NODE', { file: signatureName, rule: `${node.path}: ${rule}` });
  }
  await verifySignatureFile(signature, entry.publicKey, `node ${entry.nodeId}`);
  return { nodeId: entry.nodeId, fileHash: signature.file.hash, metadataHash: null };
};

const entryOf = (book: AddressBook, { accountId, nodeId }: BalanceNode): AddressBookEntry | undefined =>
  accountId === null ? book.byNodeId.get(nodeId ?? -1n) : book.byAccountId.get(accountId);

/** The result of `action`, or the KagamiError that it threw; other errors are faults of the program and pass through. */
const attempt = async <T>(action: () => Promise<T>): Promise<T | KagamiError> => {
  try {
    return await action();
  } catch (error) {
    if (isKagamiError(error)) return error;
    throw error;
  }
};

const describe = ({ groups, required, total }: Tally): string =>
  groups[0] === undefined
    ? `no valid signature; ${required} of ${total} are needed`
    : `${groups[0].weight} of ${total} signed the same hash, ${required} are needed`;
