import { isKagamiError } from '../../errors/kagami-error.ts';
import { toHex } from '../../ledger/bytes.ts';
import { sha384 } from '../../ledger/hash.ts';
import { equalBytes } from '../equal-bytes.ts';
import { streamError } from '../stream-error.ts';
import type { Block, BlockProof } from './block.ts';
import { type ChainLink, type DisputedRoot, follow } from './chain.ts';
import { readLedgerPublication } from './ledger-publication.ts';
import { verifyRecordSignatures } from './record-signatures.ts';
import { blockRoots } from './root-hash.ts';
import { followStateProof } from './state-proof.ts';
import type { BlockTrust, LedgerTrust } from './trust.ts';
import { InvalidProof } from './tss/field.ts';
import { SignatureVerifier } from './tss/signature-verifier.ts';
import { type BlockVerdict, type ChainState, type ProofFault, type ProvenBy, UNPROVABLE } from './verdict.ts';
import { readWrappedRecordFile, unsignedPartOf, type WrappedRecordFile } from './wrapped-record-file.ts';

const TEST_SIGNATURE_BYTES = 48;

export interface VerifiedBatch {
  /** One for each block. */
  readonly verdicts: readonly BlockVerdict[];
  /** Where the chain stands after each block up to the first that isn't proven. */
  readonly chains: readonly ChainState[];
  /** Where it stands after the last of these. */
  readonly chain: ChainState;
  /** The ledger that is believed after that block. */
  readonly ledger: LedgerTrust | null;
}

/** A block on its way through verification. */
interface Candidate extends ChainLink {
  /** The chain that ends with it. */
  readonly after: ChainState;
  readonly publishes: LedgerTrust | null;
  /** Believed from this block on. */
  readonly ledger: LedgerTrust | null;
}

interface OwnProof {
  readonly by: ProvenBy;
  readonly throughStateProof: boolean;
  readonly rootHashes: readonly Uint8Array[];
}

/**
 * Proves blocks. It remembers what it found out about keys, so one verifier should serve a whole stream; it is made for a
 * thread of its own, since a threshold signature takes some 20 ms.
 */
export class BlockVerifier {
  readonly #signatures: SignatureVerifier;

  private constructor(signatures: SignatureVerifier) {
    this.#signatures = signatures;
  }

  static async open(): Promise<BlockVerifier> {
    return new BlockVerifier(await SignatureVerifier.open());
  }

  /** As `verifyBlocks`, for one block. */
  verifyBlock(block: Block, trust: BlockTrust, chain: ChainState): VerifiedBatch & { readonly verdict: BlockVerdict } {
    const batch = this.verifyBlocks([block], trust, chain);
    return { ...batch, verdict: batch.verdicts[0] as BlockVerdict };
  }

  /**
   * Proves consecutive blocks that follow `chain`: every block must be linked to the one before, and the last one that is
   * proven by its own proof over its root hash proves those before it. So usually one threshold signature is verified,
   * whatever the number of blocks; when it is wrong, the one before, and so on. Wrapped record blocks are proven one by one.
   * `moreToCome`: of wrapped record blocks, what nobody signed is only believed when the next block names the root hash.
   */
  verifyBlocks(blocks: readonly Block[], trust: BlockTrust, chain: ChainState, moreToCome = false): VerifiedBatch {
    const { linked, fault } = this.#link(blocks, trust, chain);
    const verdicts: BlockVerdict[] = blocks.map((block) => ({ proven: false, fault: notReached(block, fault) }));
    if (fault !== null) verdicts[linked.length] = { proven: false, fault };
    /** The root hash that a proven later block names. */
    let named: Uint8Array | null = null;
    for (let i = linked.length - 1; i >= 0; i--) {
      const candidate = linked[i] as Candidate;
      const next = { candidate: linked[i + 1], fault: i + 1 === linked.length ? fault : null };
      const verdict: BlockVerdict =
        named === null
          ? confirmed(this.#judge(candidate, trust), candidate, next, moreToCome)
          : laterBlock(candidate, named);
      verdicts[i] = verdict;
      named = verdict.proven && coversRoot(verdict.by) ? candidate.block.footer.previousRootHash : null;
    }
    return { verdicts, ...standing(verdicts, linked, chain, trust.ledger) };
  }

  /** Links blocks one after another as far as that goes. */
  #link(
    blocks: readonly Block[],
    trust: BlockTrust,
    chain: ChainState,
  ): { readonly linked: readonly Candidate[]; readonly fault: ProofFault | null } {
    const linked: Candidate[] = [];
    let before = chain;
    let { ledger } = trust;
    for (const block of blocks) {
      try {
        const wrapped = unwrap(block);
        const link = { block, roots: blockRoots(block), wrapped };
        const after = follow(before, link);
        // Nobody vouches for what a later block publishes, where no ledger is believed yet.
        const mayPublish = wrapped === null && (ledger !== null || block.number === 0n);
        const publishes = mayPublish ? this.#publication(block, ledger) : null;
        ledger = publishes ?? ledger;
        linked.push({ ...link, after, publishes, ledger });
        before = after;
      } catch (error) {
        return { linked, fault: faultOf(error, block) };
      }
    }
    return { linked, fault: null };
  }

  /** The ledger that a block publishes, which must be the one that is believed already, if there is one. */
  #publication(block: Block, believed: LedgerTrust | null): LedgerTrust | null {
    const published = readLedgerPublication(block);
    if (published === undefined) return null;
    const refuse = (rule: string): never => {
      throw streamError('STREAM_WRONG_LEDGER', { file: block.name, block: block.number, rule });
    };
    if (believed !== null && !equalBytes(believed.id, published.id)) {
      refuse(`block ${block.number} publishes ledger ${toHex(published.id)}, believed is ${toHex(believed.id)}`);
    }
    try {
      this.#signatures.checkLedger(published);
    } catch (error) {
      if (error instanceof InvalidProof) refuse(`block ${block.number} publishes a ledger id: ${error.message}`);
      throw error;
    }
    return { ...published, wrapsKey: believed?.wrapsKey ?? published.wrapsKey };
  }

  #judge(candidate: Candidate, trust: BlockTrust): BlockVerdict {
    const { block, roots, publishes } = candidate;
    let fault: ProofFault | undefined;
    for (const proof of block.proofs) {
      try {
        return { proven: true, ...this.#prove(proof, candidate, trust), ledger: publishes };
      } catch (error) {
        const reason = faultOf(error, block);
        // A wrong proof says more than one that can't be judged.
        if (fault === undefined || UNPROVABLE.has(fault.code)) fault = reason;
      }
    }
    const reason = fault ?? notReached(block, null);
    if (trust.unsigned && UNPROVABLE.has(reason.code)) {
      const rootHashes = roots.map(({ hash }) => hash);
      return { proven: true, by: 'trusted', throughStateProof: false, rootHashes, ledger: publishes };
    }
    return { proven: false, fault: reason };
  }

  /** @throws KagamiError, InvalidProof. */
  #prove(proof: BlockProof, candidate: Candidate, trust: BlockTrust): OwnProof {
    const { block, roots, wrapped, ledger } = candidate;
    const file = block.name;
    switch (proof.kind) {
      case 'unknown':
        throw streamError('STREAM_UNKNOWN_PROOF', {
          file,
          rule: `block ${block.number}: proof of kind ${proof.field}`,
        });
      case 'record-file': {
        if (wrapped === null) throw new InvalidProof('the proof of a record file, and the block wraps none');
        if (trust.recordSigners === null) {
          const rule = `block ${block.number}: no address book is known whose nodes could have signed it`;
          throw streamError('STREAM_UNSIGNED', { file, rule });
        }
        verifyRecordSignatures(file, proof, wrapped.recordFile.fileHash, trust.recordSigners);
        return { by: 'record-signatures', throughStateProof: false, rootHashes: roots.map(({ hash }) => hash) };
      }
      case 'signed':
        return this.#firstRoot(candidate, (root) => ({
          by: this.#verify(proof.signature, root, block, ledger, trust),
          throughStateProof: false,
          rootHashes: [root],
        }));
      case 'state':
        return this.#firstRoot(candidate, (root) => ({
          by: this.#verify(proof.signature, followStateProof(proof.paths, root, block.footer), block, ledger, trust),
          throughStateProof: true,
          rootHashes: [root],
        }));
    }
  }

  /** Tries the root hashes that the block may have; throws what the first one gives. */
  #firstRoot({ roots }: Candidate, attempt: (root: Uint8Array) => OwnProof): OwnProof {
    let reason: unknown;
    for (const { hash } of roots) {
      try {
        return attempt(hash);
      } catch (error) {
        if (!(error instanceof InvalidProof)) throw error;
        reason ??= error;
      }
    }
    throw reason;
  }

  #verify(
    signature: Uint8Array,
    root: Uint8Array,
    block: Block,
    ledger: LedgerTrust | null,
    trust: BlockTrust,
  ): ProvenBy {
    const file = block.name;
    if (signature.length === TEST_SIGNATURE_BYTES) {
      if (!equalBytes(signature, sha384(root)))
        throw new InvalidProof('the test signature is not one of the root hash');
      if (trust.testSignatures) return 'test-signature';
      const rule = `block ${block.number} has a test signature, which anyone can make`;
      throw streamError('STREAM_UNSIGNED', { file, rule });
    }
    if (ledger === null) {
      const rule = `block ${block.number}: no ledger id is known`;
      throw streamError('STREAM_UNKNOWN_LEDGER', { file, rule });
    }
    return this.#signatures.verify(signature, root, ledger, trust.wrapsKeyHashes);
  }
}

interface NextBlock {
  /** Undefined where the batch ends, or the block does not follow. */
  readonly candidate: Candidate | undefined;
  /** Why it does not follow. */
  readonly fault: ProofFault | null;
}

/** The verdict on a wrapped record block as the next block confirms it: signatures do not cover the root hash. */
const confirmed = (
  verdict: BlockVerdict,
  { block, wrapped }: Candidate,
  next: NextBlock,
  moreToCome: boolean,
): BlockVerdict => {
  if (!verdict.proven || verdict.by !== 'record-signatures' || wrapped === null) return verdict;
  if (next.candidate !== undefined) {
    return { ...verdict, rootHashes: [next.candidate.block.footer.previousRootHash] };
  }
  const part = moreToCome ? unsignedPartOf(block, wrapped) : undefined;
  if (part === undefined) return verdict;
  const disputed = next.fault?.details.disputes as DisputedRoot | undefined;
  const [code, why] =
    disputed === undefined
      ? (['STREAM_UNCONFIRMED', 'the next block, which names its root hash, is not there'] as const)
      : (['STREAM_CHAIN_BROKEN', `the next block names ${disputed.named} as its root hash, which it has not`] as const);
  const rule = `block ${block.number} has ${part} that nobody signed, and ${why}`;
  return { proven: false, fault: faultOf(streamError(code, { file: block.name, block: block.number, rule }), block) };
};

/** Whether a proof covers the root hash, and so the blocks before. */
const coversRoot = (by: ProvenBy): boolean => by !== 'record-signatures' && by !== 'trusted';

const laterBlock = ({ publishes }: Candidate, rootHash: Uint8Array): BlockVerdict => ({
  proven: true,
  by: 'later-block',
  throughStateProof: false,
  rootHashes: [rootHash],
  ledger: publishes,
});

/** Chain after each block up to the first that isn't proven, and ledger after the last of them. */
const standing = (
  verdicts: readonly BlockVerdict[],
  linked: readonly Candidate[],
  chain: ChainState,
  ledger: LedgerTrust | null,
): Omit<VerifiedBatch, 'verdicts'> => {
  const chains: ChainState[] = [];
  for (const [i, { after }] of linked.entries()) {
    const verdict = verdicts[i];
    if (verdict?.proven !== true) break;
    chains.push({ ...after, last: after.last && { ...after.last, rootHashes: verdict.rootHashes } });
  }
  return { chains, chain: chains.at(-1) ?? chain, ledger: linked[chains.length - 1]?.ledger ?? ledger };
};

const unwrap = (block: Block): WrappedRecordFile | null => {
  if (block.recordFile === null) return null;
  const proof = block.proofs.find(({ kind }) => kind === 'record-file');
  const version = proof?.kind === 'record-file' ? proof.version : 6;
  const wrapped = readWrappedRecordFile(block.name, block.recordFile, version);
  const { blockNumber } = wrapped.recordFile;
  if (blockNumber !== null && blockNumber !== block.number) {
    const rule = `block ${block.number} wraps the record file of block ${blockNumber}`;
    throw streamError('STREAM_CHAIN_BROKEN', { file: block.name, block: block.number, rule });
  }
  return wrapped;
};

const notReached = (block: Block, fault: ProofFault | null): ProofFault => {
  const rule = `block ${block.number}: ${fault === null ? 'it has no proof' : 'a block before it is refused'}`;
  return faultOf(streamError('STREAM_CHAIN_BROKEN', { file: block.name, block: block.number, rule }), block);
};

/** Gives errors the place that they lack; what isn't about the block is thrown on. */
const faultOf = (error: unknown, block: Block): ProofFault => {
  const { name: file, number } = block;
  if (error instanceof InvalidProof) {
    return faultOf(
      streamError('STREAM_BAD_PROOF', { file, block: number, rule: `block ${number}: ${error.message}` }),
      block,
    );
  }
  if (!isKagamiError(error)) throw error;
  const { code, message, details } = error;
  return 'file' in details
    ? { code, message, details: { block: number, ...details } }
    : {
        code,
        message: `${file}: block ${number}: ${message}`,
        details: { ...details, file, block: number, rule: message },
      };
};
