/** A row by column name; for the form of values see connection.ts. */
export type Row = Record<string, unknown>;
