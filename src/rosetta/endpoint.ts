import type { JsonObject } from './request.ts';

/** One POST endpoint: the request's body in, the answer's body out. */
export interface Endpoint {
  /** For example `/network/list`; further spellings under which clients ask for the same. */
  readonly paths: readonly string[];
  /** Whether requests need no network identifier. */
  readonly anyNetwork?: boolean;
  /** Whether it answers without a database and without nodes. */
  readonly offline: boolean;
  /** @throws RosettaError */
  serve(request: JsonObject): object | Promise<object>;
}
