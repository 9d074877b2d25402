/** Errors of streams and of where they come from. */
import { define } from './definition.ts';

export const streamErrors = define({
  STREAM_WRONG_NAME: {
    retryable: false,
    hint: 'Stream files are named by the consensus time of their first transaction, e.g. 2022-07-13T08_46_11.304284003Z.rcd.gz, balance files by the time of the balances (..._Balances.csv); fetch the file again under its original name.',
  },
  STREAM_TRUNCATED: {
    retryable: true,
    hint: 'The file ends too early: it is still being written, or its copy is incomplete. Fetch it again if this persists.',
  },
  STREAM_OVERSIZED: {
    retryable: false,
    hint: 'The file, or a length inside it, exceeds what a network ever writes. Fetch it again from another node.',
  },
  STREAM_BAD_COMPRESSION: {
    retryable: false,
    hint: 'The compressed file does not decompress. Fetch it again from another node.',
  },
  STREAM_UNKNOWN_VERSION: {
    retryable: false,
    hint: 'Record files of version 1, 2, 5 and 6 are read, with signature files of version 4 (for 1 and 2), 5 and 6. Balance files are CSV of version 1 or 2, or protobuf. Block streams are read from HAPI 0.71 on.',
  },
  STREAM_MALFORMED: {
    retryable: false,
    hint: 'The bytes do not follow the stream format. Fetch the file again from another node.',
  },
  STREAM_TRAILING_BYTES: {
    retryable: false,
    hint: 'Bytes follow the end of the file. Fetch it again from another node.',
  },
  STREAM_FILE_HASH_MISMATCH: {
    retryable: false,
    hint: 'The data file is not the one that the nodes signed. Fetch it again from another node.',
  },
  STREAM_METADATA_HASH_MISMATCH: {
    retryable: false,
    hint: 'The data file is not the one that the nodes signed. Fetch it again from another node.',
  },
  STREAM_RUNNING_HASH_MISMATCH: {
    retryable: false,
    hint: 'The transactions do not add up to the end running hash of the file. Fetch it again from another node.',
  },
  STREAM_SIDECAR_HASH_MISMATCH: {
    retryable: false,
    hint: 'The sidecar file is not the one that its record file names. Fetch it again from another node.',
  },
  STREAM_CHAIN_BROKEN: {
    retryable: false,
    hint: 'The file does not follow the previous one: a file is missing between them (kagami.source.acceptGaps or --accept-gaps goes on), or one belongs to another network.',
  },
  STREAM_BAD_SIGNATURE: {
    retryable: false,
    hint: 'The signature was not made by the key that the address book names. Check that the address book is the one of this network and time.',
  },
  STREAM_UNKNOWN_NODE: {
    retryable: false,
    hint: 'The address book has no such node, or no key for it. Give the address book of this network and time.',
  },
  STREAM_NO_CONSENSUS: {
    retryable: true,
    hint: 'Too few nodes signed the same hash. Wait for more signature files, or check the address book and the consensus ratio.',
  },
  STREAM_UNSIGNED: {
    retryable: true,
    hint: 'No node signed this file. Only if you trust where it comes from, import it as explicitly trusted.',
  },
  STREAM_UNCONFIRMED: {
    retryable: true,
    hint: 'The wrapped record block brings what no node signed, such as amendments: the next block, which names its root hash, is waited for.',
  },
  STREAM_BAD_PROOF: {
    retryable: false,
    hint: 'The proof of the block does not verify: the block was changed, or belongs to another network. Fetch it again from another block node.',
  },
  STREAM_UNKNOWN_PROOF: {
    retryable: false,
    hint: 'The network proves its blocks in a way that this version does not know: update Kagami. Only if you trust where the block comes from, import it as explicitly trusted.',
  },
  STREAM_UNKNOWN_LEDGER: {
    retryable: false,
    hint: 'Block 0 publishes the ledger id and what it takes to verify blocks: start with it, or name a file with the publication in hiero.mirror.importer.block.initialLedgerIdPublication.',
  },
  STREAM_WRONG_LEDGER: {
    retryable: false,
    hint: 'The block belongs to another ledger than the one that is configured or in the database. Check the network and the source.',
  },
  STREAM_BAD_ADDRESS_BOOK: {
    retryable: false,
    hint: 'An address book is the content of file 0.0.102 or 0.0.101: a serialized NodeAddressBook with RSA keys.',
  },
  SOURCE_FILE_MISSING: {
    retryable: true,
    hint: 'No reachable node has the file (yet). Fetch it into the folder, or wait for the node to write it. Sidecar files are not waited for where hiero.mirror.importer.parser.record.sidecar.enabled is false.',
  },
  SOURCE_UNSUPPORTED: {
    retryable: false,
    hint: 'Name a local folder, or a bucket as s3://bucket/prefix or gs://bucket/prefix.',
  },
  SOURCE_UNREADABLE: {
    retryable: true,
    hint: 'Check that the folder exists and that this process may read it, or that the store of the bucket answers; `kagami doctor` tests it.',
  },
  SOURCE_TIMEOUT: {
    retryable: true,
    hint: 'The store of the bucket, or the disk of the folder, did not answer in time: check it, the network and endpointOverride, or raise hiero.mirror.importer.downloader.timeout.',
  },
  SOURCE_ACCESS_DENIED: {
    retryable: false,
    hint: 'Check accessKey, secretKey and region under hiero.mirror.importer.downloader. The public buckets want credentials of whoever pays for the requests (Google Cloud: also gcpProjectId); only demo is open to all (allowAnonymousAccess).',
  },
  SOURCE_BUCKET_MISSING: {
    retryable: false,
    hint: 'Correct hiero.mirror.importer.downloader.bucketName, or endpointOverride: the store that answered has no such bucket.',
  },
  SOURCE_NODE_UNREACHABLE: {
    retryable: true,
    hint: 'Check host, port and requiresTls of the block node (hiero.mirror.importer.block.nodes) and that it runs; `kagami doctor` asks each. Another node is asked meanwhile.',
  },
  SOURCE_NODE_STALLED: {
    retryable: true,
    hint: 'The block node is connected, but sends no blocks although there are some. Another node is asked meanwhile; if there is none, look at that node.',
  },
  SOURCE_NODE_MISBEHAVED: {
    retryable: true,
    hint: "The block node does not keep to the protocol, or sent a block that is not the ledger's. It is left alone for hiero.mirror.importer.block.stream.readmitDelay; look at that node, and whether it is one of this network.",
  },
  SOURCE_BLOCK_MISSING: {
    retryable: true,
    hint: 'No block node or file has this block (yet). Name a node that keeps older blocks (hiero.mirror.importer.block.nodes), set sourceType to FILE or AUTO, or wait.',
  },
  SOURCE_EMPTY: {
    retryable: true,
    hint: 'Stream folders are recordstreams/record<account>/, record<account>/ or <network>/<shard>/<nodeId>/record/ under the given folder or prefix.',
  },
  SOURCE_OUT_OF_RANGE: {
    retryable: true,
    hint: 'Correct startBlockNumber, endBlockNumber, startDate or endDate under hiero.mirror.importer, or wait until the source has the files.',
  },
  SOURCE_SILENT: {
    retryable: true,
    hint: 'The source has nothing newer than the last block. Check that the network produces blocks and that its files still arrive in the folder or bucket.',
  },
});
