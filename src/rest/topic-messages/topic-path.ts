/** The topic in a path. */
export const topicIdPath = {
  description: 'Id of the topic: num, realm.num or shard.realm.num.',
  schema: { type: 'string', pattern: '^(\\d{1,4}\\.)?(\\d{1,5}\\.)?\\d{1,10}$' },
  example: '0.0.7',
};
