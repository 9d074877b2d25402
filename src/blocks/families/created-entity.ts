/** What is given a number by the network when it is created: files, tokens, topics, nodes. */
import { FileID, TokenID, TopicID } from '../../protobuf/generated/services/basic_types.ts';
import type { Family } from '../record-parts.ts';

const NOT_IN_STATE = 'no state change creates one';

export const fileCreate: Family = (view, parts) => {
  if (!view.isSuccessful) return;
  const created = view.created('file');
  if (created === undefined) parts.lacks('file id', NOT_IN_STATE);
  else parts.receipt.fileID = FileID.fromPartial({ ...created, fileNum: created.number });
};

export const tokenCreate: Family = (view, parts) => {
  if (!view.isSuccessful) return;
  const created = view.created('token');
  if (created === undefined) parts.lacks('token id', NOT_IN_STATE);
  else parts.receipt.tokenID = TokenID.fromPartial({ ...created, tokenNum: created.number });
};

export const topicCreate: Family = (view, parts) => {
  if (!view.isSuccessful) return;
  const created = view.created('topic');
  if (created === undefined) parts.lacks('topic id', NOT_IN_STATE);
  else parts.receipt.topicID = TopicID.fromPartial({ ...created, topicNum: created.number });
};

export const nodeCreate: Family = (view, parts) => {
  if (!view.isSuccessful) return;
  const created = view.created('node');
  if (created === undefined) parts.lacks('node id', NOT_IN_STATE);
  else parts.receipt.nodeId = created.number;
};

export const registeredNodeCreate: Family = (view, parts) => {
  if (!view.isSuccessful) return;
  const created = view.created('registeredNode');
  if (created === undefined) parts.lacks('registered node id', NOT_IN_STATE);
  else parts.receipt.registeredNodeId = created.number;
};
