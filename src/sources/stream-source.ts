/**
 * This module finds stream files and hands them on proven. It owns where files lie (folders and buckets behind one
 * interface), in which order they are read and which node's copy is taken. It does not know what transactions mean, nor
 * any database.
 */
import type { EntityId } from '../ledger/entity-id.ts';
import type { Electorate } from './electorate.ts';

/** A node as a source knows it: by account or by node id, whichever its place in the layout tells. */
export interface StreamNode {
  readonly accountId: EntityId | null;
  readonly nodeId: bigint | null;
  /** Where its files lie, unique within the source; for messages. */
  readonly place: string;
}

/** What one node has of one record file. */
export interface NodeFiles {
  /** Name up to and including `Z`, the same on every node. */
  readonly base: string;
  /** Consensus time in the name, nanoseconds. */
  readonly nanos: bigint;
  /** More than one where a file lies there both plain and compressed. */
  readonly recordNames: readonly string[];
  readonly signatureNames: readonly string[];
}

export interface NodeListing {
  /** In stream order. */
  readonly files: readonly NodeFiles[];
  /** There are further files behind the last one listed. */
  readonly more: boolean;
}

/** Where record streams come from. Implementations are safe to call concurrently. */
export interface StreamSource {
  /** For people: the folder or bucket. */
  readonly description: string;

  /**
   * The nodes that have files here now. A source that can't be asked who is in it, as buckets are too large for, goes by
   * the electorate. @throws KagamiError of `isSourceFailure`.
   */
  nodes(electorate: Electorate): Promise<readonly StreamNode[]>;

  /**
   * A node's record and signature files named later than `after` (nanoseconds), in order, `limit` record files at most.
   * Calls with rising `after` are cheap: what was listed is not read again.
   */
  list(node: StreamNode, after: bigint, limit: number): Promise<NodeListing>;

  /** A record or signature file, undefined when the node doesn't have it. @throws KagamiError STREAM_OVERSIZED, or of `isSourceFailure`. */
  read(node: StreamNode, name: string): Promise<Uint8Array | undefined>;

  /** A sidecar file, undefined when the node doesn't have it. @throws as `read` */
  readSidecar(node: StreamNode, name: string): Promise<Uint8Array | undefined>;

  /** Resolves when files may have arrived since the last call, at the latest after `timeoutMs`. */
  waitForChange(timeoutMs: number, signal?: AbortSignal): Promise<void>;

  close(): void;
}
