/**
 * `/api/v1/accounts/{id}/hooks...`: the hooks of an account or contract
 * ([HIP-1195](https://hips.hedera.com/hip/hip-1195)) and what they store.
 */
import type { Route } from '../../api/route.ts';
import { hookList } from './hook-list.ts';
import { hookStorage } from './hook-storage.ts';

export const hookRoutes: readonly Route[] = [hookList, hookStorage];
