import { isKagamiError, type KagamiError } from '../../errors/kagami-error.ts';
import { BucketClient } from '../../sources/s3-client.ts';
import { S3Source } from '../../sources/s3-source.ts';
import { type BucketLocation, describeLocation, type ObjectStore } from '../../sources/source-location.ts';
import type { AddressBook } from '../../streams/address-book.ts';
import { ONE_THIRD, weighNodes } from '../../streams/consensus.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Whether each store of a bucket lets us in and has files of the nodes of an address book. */
export const checkBucket = async (
  location: BucketLocation,
  book: AddressBook | undefined,
  begins: bigint | undefined,
): Promise<Finding[]> => {
  const findings: Finding[] = [];
  for (const store of location.stores)
    findings.push(await checkStore({ ...location, stores: [store] }, store, book, begins));
  return findings;
};

const checkStore = async (
  location: BucketLocation,
  store: ObjectStore,
  book: AddressBook | undefined,
  begins: bigint | undefined,
): Promise<Finding> => {
  const subject = 'source';
  const place = `${describeLocation(location)} at ${store.endpoint ?? `the ${store.type} endpoint in ${store.region}`}`;
  const client = new BucketClient(location, store);
  try {
    if (book === undefined) {
      const prefix = location.prefix === '' ? 'recordstreams/' : `${location.prefix}/recordstreams/`;
      await client.list({ prefix, startAfter: undefined, from: undefined });
      return ok(subject, `${place} can be read`);
    }
    const found = await firstFiles(location, client, book, begins);
    const names = found.flatMap(({ first }) => first ?? []).sort();
    const [failure] = found.flatMap(({ error }) => error ?? []);
    if (names.length > 0) {
      const files = `files of ${names.length} of ${book.entries.length} nodes, from ${names[0]}`;
      return failure === undefined
        ? ok(subject, `${place}: ${files}`)
        : warn(subject, `${place}: ${files}; not of all: ${failure.message}`, failure.hint);
    }
    if (failure !== undefined) return fail(subject, `${place}: ${failure.message}`, failure.hint);
    const advice =
      'Check pathPrefix and pathType under hiero.mirror.importer.downloader, the address book, and that startDate does ' +
      'not lie behind the last file.';
    return fail(subject, `${place} has no record files of the ${book.entries.length} nodes`, advice);
  } catch (error) {
    if (isKagamiError(error)) return fail(subject, `${place}: ${error.message}`, error.hint);
    throw error;
  } finally {
    client.close();
  }
};

/** The first file of each node, or why there is none to see. */
const firstFiles = async (
  location: BucketLocation,
  client: BucketClient,
  book: AddressBook,
  begins: bigint | undefined,
): Promise<{ readonly first?: string; readonly error?: KagamiError }[]> => {
  const source = new S3Source(location, client);
  const nodes = await source.nodes({ book, weights: weighNodes(book, undefined), ratio: ONE_THIRD });
  return Promise.all(
    nodes.map(async (node) => {
      try {
        const { files } = await source.list(node, (begins ?? 0n) - 1n, 1);
        return files[0] === undefined ? {} : { first: files[0].base };
      } catch (error) {
        if (isKagamiError(error)) return { error };
        throw error;
      }
    }),
  );
};
