/** The routes of `/api/v1/blocks`. They read `record_file` only. */
import type { Route } from '../../api/route.ts';
import { blockById } from './block-by-id.ts';
import { blockList } from './block-list.ts';

export const blockRoutes: readonly Route[] = [blockList, blockById];
