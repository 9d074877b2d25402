import { SIMULATED_HAPI_VERSION } from '../../simulator/stream-folder.ts';
import { queryKind, USUAL_PRICE } from './query-kind.ts';

/** The version of the network's software, which is that of its streams. */
export const versionInfo = queryKind({
  name: 'networkGetVersionInfo',
  price: USUAL_PRICE,
  find: () => ({
    answer: { hapiProtoVersion: SIMULATED_HAPI_VERSION, hederaServicesVersion: SIMULATED_HAPI_VERSION },
  }),
});
