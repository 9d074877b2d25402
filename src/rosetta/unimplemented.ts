/** What Mesh knows and this ledger has nothing for: there are no coins, and a mirror node sees no waiting transactions. */
import type { Endpoint } from './endpoint.ts';
import { rosettaError } from './rosetta-error.ts';

const refusing = (paths: readonly string[], offline: boolean): Endpoint => ({
  paths,
  offline,
  serve: () => {
    throw rosettaError('notImplemented');
  },
});

export const unimplementedEndpoints: readonly Endpoint[] = [
  refusing(['/account/coins'], false),
  refusing(['/mempool'], false),
  refusing(['/mempool/transaction'], false),
  refusing(['/construction/preprocess_operations'], true),
];
