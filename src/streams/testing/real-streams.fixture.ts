import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Real stream files of public networks, which are not part of the project; tests over them run where they lie. */
export const realStreams: string = fileURLToPath(new URL('../../../../shared/streams', import.meta.url));
export const hasRealStreams: boolean = existsSync(realStreams);

export interface ManifestEntry {
  readonly path: string;
  readonly kind: string;
  readonly version?: number;
  readonly hapiVersion?: string | null;
  readonly transactions: number;
  /** How many transactions of each kind. */
  readonly types?: Readonly<Record<string, number>>;
  readonly fileHash: string;
  readonly metadataHash?: string | null;
  readonly hash: string;
  readonly previousHash: string;
  readonly blockNumber?: string;
  readonly consensusStart: string;
  readonly consensusEnd: string;
  readonly rawSize: number;
  readonly records: number;
  readonly nodes: number;
  readonly firstNode: { readonly nodeId: string; readonly account: string };
}

export const readReal = (path: string): Uint8Array => readFileSync(`${realStreams}/${path}`);

export const realManifest = (): ManifestEntry[] =>
  JSON.parse(readFileSync(`${realStreams}/manifest.json`, 'utf8')) as ManifestEntry[];
