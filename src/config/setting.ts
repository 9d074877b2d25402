/**
 * The kernel of the settings tree: a setting is a typed leaf with a default and a description, a group is a plain object
 * of settings and groups. Settings files under `settings/` declare one module each; the loader, the generated
 * documentation and the checks all walk the same declarations.
 */
export type SettingKind =
  | 'text'
  | 'secret'
  | 'integer'
  | 'bigint'
  | 'decimal'
  | 'flag'
  | 'duration'
  | 'data-size'
  | 'choice'
  | 'list'
  | 'map';

export interface Setting<T> {
  readonly setting: true;
  readonly kind: SettingKind;
  readonly default: T;
  readonly description: string;
  readonly choices?: readonly string[];
  /** Values of a text that mean something by themselves; others are allowed, but hardly ones that look like a slip. */
  readonly known?: readonly string[];
  readonly min?: number | bigint;
  readonly max?: number | bigint;
  /** Shape of a list's elements: a setting (scalars) or a group (objects). */
  readonly element?: Setting<unknown> | SettingGroup;
}

export interface SettingGroup {
  readonly [name: string]: Setting<unknown> | SettingGroup;
}

/** The plain typed object that a group of settings loads into. */
export type SettingsOf<G> = G extends Setting<infer T> ? T : { readonly [K in keyof G]: SettingsOf<G[K]> };

interface Bounds<N> {
  readonly min?: N;
  readonly max?: N;
}

export const text = (value: string, description: string): Setting<string> => ({
  setting: true,
  kind: 'text',
  default: value,
  description,
});

/** A text of which some values are known; what is close to one of those, but is none, is refused as a slip. */
export const name = (value: string, known: readonly string[], description: string): Setting<string> => ({
  setting: true,
  kind: 'text',
  default: value,
  description,
  known,
});

/** Like text, but never logged and shown as `******`. */
export const secret = (value: string, description: string): Setting<string> => ({
  setting: true,
  kind: 'secret',
  default: value,
  description,
});

export const integer = (value: number, description: string, bounds: Bounds<number> = {}): Setting<number> => ({
  setting: true,
  kind: 'integer',
  default: value,
  description,
  ...bounds,
});

/** A 64-bit integer, kept exact. */
export const bigInteger = (value: bigint, description: string, bounds: Bounds<bigint> = {}): Setting<bigint> => ({
  setting: true,
  kind: 'bigint',
  default: value,
  description,
  ...bounds,
});

export const decimal = (value: number, description: string, bounds: Bounds<number> = {}): Setting<number> => ({
  setting: true,
  kind: 'decimal',
  default: value,
  description,
  ...bounds,
});

export const flag = (value: boolean, description: string): Setting<boolean> => ({
  setting: true,
  kind: 'flag',
  default: value,
  description,
});

/** Milliseconds; written as `500ms`, `10s`, `5m`, `2h`, `7d` or ISO 8601 (`PT10S`). */
export const duration = (
  milliseconds: number,
  description: string,
  { min = 0 }: { readonly min?: number } = {},
): Setting<number> => ({
  setting: true,
  kind: 'duration',
  default: milliseconds,
  description,
  min,
});

/** Bytes; written as `512MB`, `125MB`, `10KB` (1 KB is 1,024 bytes) or a bare number. */
export const dataSize = (
  bytes: number,
  description: string,
  { min = 1 }: { readonly min?: number } = {},
): Setting<number> => ({
  setting: true,
  kind: 'data-size',
  default: bytes,
  description,
  min,
});

export const choice = <const C extends string>(value: C, choices: readonly C[], description: string): Setting<C> => ({
  setting: true,
  kind: 'choice',
  default: value,
  description,
  choices,
});

/** A list of scalars (`element` is a setting) or of objects (`element` is a group). */
export const list = <E extends Setting<unknown> | SettingGroup>(
  element: E,
  value: readonly SettingsOf<E>[],
  description: string,
): Setting<readonly SettingsOf<E>[]> => ({ setting: true, kind: 'list', default: value, description, element });

/** Free keys to scalar texts, for example HTTP headers. */
export const map = (
  value: Readonly<Record<string, string>>,
  description: string,
): Setting<Readonly<Record<string, string>>> => ({ setting: true, kind: 'map', default: value, description });

/** Of a setting that files of other mirror nodes have and that means nothing here. @param why one sentence, in lower case */
export const withoutEffect = (why: string): string => `Without effect: ${why}.`;

export const isSetting = (node: Setting<unknown> | SettingGroup): node is Setting<unknown> =>
  (node as Setting<unknown>).setting === true;
