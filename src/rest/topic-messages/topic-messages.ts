/** The routes of `/api/v1/topics/...messages`. They read `topic_message` and its lookup table. */
import type { Route } from '../../api/route.ts';
import { messageList } from './message-list.ts';
import { messageBySequenceNumber, messageByTimestamp } from './single-message.ts';

export const topicMessageRoutes: readonly Route[] = [messageList, messageBySequenceNumber, messageByTimestamp];
