/** What goes out for one request of a finished answer: all of it, compressed or not, or that the client has it already. */
import {
  type ContentCoding,
  chooseCoding,
  compress,
  contentCodings,
  smallestCompressedBody,
} from './content-coding.ts';
import { matchesEntityTag, weakened } from './entity-tag.ts';
import type { Delivery, StoredAnswer } from './stored-answer.ts';

/** The part of a request that decides. */
export interface DeliveryRequest {
  readonly method: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** Headers of every answer. */
export const commonHeaders = { 'access-control-allow-origin': '*', vary: 'Accept, Accept-Encoding' };

const plainDelivery = ({ status, headers, entityTag, body }: StoredAnswer): Delivery => ({
  status,
  headers: {
    ...commonHeaders,
    ...headers,
    ...(entityTag === undefined ? {} : { etag: entityTag }),
    'content-length': String(body.byteLength),
  },
  body,
});

const encodedDelivery = (
  { status, headers, entityTag }: StoredAnswer,
  coding: ContentCoding,
  body: Buffer,
): Delivery => ({
  status,
  headers: {
    ...commonHeaders,
    ...headers,
    ...(entityTag === undefined ? {} : { etag: weakened(entityTag) }),
    'content-encoding': coding,
    'content-length': String(body.byteLength),
  },
  body,
});

const unchangedDelivery = (answer: StoredAnswer, entityTag: string): Delivery => {
  const { 'content-type': _contentType, ...headers } = answer.headers;
  return { status: 304, headers: { ...commonHeaders, ...headers, etag: entityTag }, body: undefined };
};

/**
 * The delivery, at once where nothing is left to compress. Each form of an answer is made once and kept with it;
 * `onEncoded` tells how many bytes a new compressed form takes.
 */
export const deliveryOf = (
  answer: StoredAnswer,
  request: DeliveryRequest,
  compression: boolean,
  onEncoded?: (bytes: number) => void,
): Delivery | Promise<Delivery> => {
  const { body, entityTag, deliveries } = answer;
  const { ifNoneMatch } = request;
  if (entityTag !== undefined && ifNoneMatch !== undefined && matchesEntityTag(ifNoneMatch, entityTag)) {
    return unchangedDelivery(answer, entityTag);
  }
  const coding =
    compression && body.byteLength >= smallestCompressedBody && request.method !== 'HEAD'
      ? chooseCoding(request.acceptEncoding, contentCodings)
      : undefined;
  const form = coding ?? 'identity';
  const present = deliveries.get(form);
  if (present !== undefined) return present;
  if (coding === undefined) {
    const delivery = plainDelivery(answer);
    deliveries.set(form, delivery);
    return delivery;
  }
  const encoding = compress(body, coding).then((bytes) => {
    const delivery = encodedDelivery(answer, coding, bytes);
    deliveries.set(form, delivery);
    onEncoded?.(bytes.byteLength);
    return delivery;
  });
  deliveries.set(form, encoding);
  return encoding;
};
