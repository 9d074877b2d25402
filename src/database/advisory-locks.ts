/** Advisory locks of Kagami: the two-key form of PostgreSQL, first key `kaga` in ASCII. They are local to a database. */
export const advisoryLockSpace = 0x6b616761;

export const advisoryLocks = {
  /** Held while the schema is inspected and migrated, and while partitions are made. */
  migration: 1,
  /** Held by the importer that writes the ledger, for as long as it lives. */
  writer: 2,
} as const;
