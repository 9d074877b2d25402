import type { SourceLocation } from '../../sources/source-location.ts';
import { BalanceBucket } from './balance-bucket.ts';
import { balanceFolder } from './balance-folder.ts';
import type { BalanceStore } from './balance-store.ts';

/** Opens the place where record streams are for the balance files that lie next to them. */
export const openBalanceStore = (location: SourceLocation): BalanceStore =>
  location.kind === 'folder' ? balanceFolder(location.path) : new BalanceBucket(location);
