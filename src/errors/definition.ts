interface ErrorDefinition {
  /** The same call may succeed later without anyone changing anything. */
  readonly retryable: boolean;
  /** What the operator (or client) can do about it. */
  readonly hint: string;
}

/** Gives the definitions their common type and keeps their names. */
export const define = <T extends Record<string, ErrorDefinition>>(
  definitions: T,
): { readonly [K in keyof T]: ErrorDefinition } => definitions;
