/** A finished answer as it is kept, and the forms in which it goes out. */
import type { Route } from '../route.ts';
import type { ContentCoding } from './content-coding.ts';

export interface Delivery {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for 304. */
  readonly body: Buffer | undefined;
}

/** An answer as it goes out, apart from what the single request decides (304, HEAD, coding). */
export interface StoredAnswer {
  readonly status: number;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly entityTag: string | undefined;
  /** The route that made it, if one did. */
  readonly route: Route | undefined;
  /** The forms in which it goes out, each made when first asked for. */
  readonly deliveries: Map<ContentCoding | 'identity', Delivery | Promise<Delivery>>;
}
