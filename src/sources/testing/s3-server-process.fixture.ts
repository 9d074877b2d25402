/** A process of its own with an S3 server: the folder for its objects and the names of its buckets are its arguments. */
// @ts-expect-error the package has no types
import S3rver from 's3rver';

const [directory, ...buckets] = process.argv.slice(2);
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory,
  vhostBuckets: false,
  configureBuckets: buckets.map((name) => ({ name })),
});
const { port } = await server.run();
process.stdout.write(`${port}\n`);
// Ends with whoever started it.
process.stdin.on('end', () => process.exit()).resume();
