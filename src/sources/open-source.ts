import { FallbackSource } from './fallback-source.ts';
import { FolderSource } from './folder-source.ts';
import { BucketClient } from './s3-client.ts';
import { S3Source } from './s3-source.ts';
import type { SourceLocation } from './source-location.ts';
import type { StreamSource } from './stream-source.ts';

/** Opens the source at a location. @param follow whether files are waited for: folders are then watched. */
export const openSource = (location: SourceLocation, follow: boolean): StreamSource => {
  if (location.kind === 'folder') return new FolderSource(location.path, { watch: follow });
  const ranked = location.stores.map((store) => ({
    store: new S3Source(location, new BucketClient(location, store), { chooses: follow }),
    backoffMs: store.backoffMs,
  }));
  const [only] = ranked;
  return only !== undefined && ranked.length === 1 ? only.store : new FallbackSource(ranked);
};
