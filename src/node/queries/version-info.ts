import { queryKind, USUAL_PRICE } from './query-kind.ts';

/** The version of the network's software, which is that of its streams. */
export const versionInfo = queryKind({
  name: 'networkGetVersionInfo',
  price: USUAL_PRICE,
  find: (_query, context) => {
    const version = context.hapiVersion();
    return { answer: { hapiProtoVersion: version, hederaServicesVersion: version } };
  },
});
