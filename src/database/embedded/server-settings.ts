/**
 * Settings of the embedded server, given on its command line. Meant for a small machine that it shares with Kagami:
 * few, long checkpoints for bulk import, no replication, commits that survive a power cut.
 */
export const serverSettings: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_permissions: '0700',
  max_connections: '100',
  password_encryption: 'scram-sha-256',
  shared_buffers: '128MB',
  effective_cache_size: '1GB',
  maintenance_work_mem: '128MB',
  work_mem: '8MB',
  random_page_cost: '1.1',
  jit: 'off',
  synchronous_commit: 'on',
  // Nothing replicates from an embedded server, so the log of changes can be the least that crash recovery needs.
  wal_level: 'minimal',
  max_wal_senders: '0',
  wal_compression: 'on',
  wal_buffers: '16MB',
  min_wal_size: '256MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  autovacuum_max_workers: '2',
  max_worker_processes: '4',
  max_parallel_workers_per_gather: '1',
  // A client that was killed leaves its locks within seconds, even in the middle of a statement.
  ...(process.platform === 'win32' ? {} : { client_connection_check_interval: '2s' }),
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_min_error_statement: 'panic',
};

/** Settings as command-line arguments of `postgres`. */
export const settingArguments = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
