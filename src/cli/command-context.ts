/** What every command gets, and how its flags become settings. */
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { LoadedSettings, SettingOverride, SettingsInput } from '../config/load.ts';
import type { RootSettings } from '../config/settings/root.ts';
import type { LogFormat } from './logger.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface CommandContext {
  readonly terminal: Terminal;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values of the options that every command has. */
  readonly globals: () => GlobalOptions;
  /** Ends the command with this code instead of 0. */
  readonly setExitCode: (code: number) => void;
}

export interface GlobalOptions {
  readonly config?: readonly string[];
  readonly set?: readonly string[];
  readonly data?: string;
  readonly logLevel?: string;
  readonly debug?: boolean;
}

export interface ReadySettings extends LoadedSettings<RootSettings> {
  readonly logger: Logger;
}

/** Flags that stand for a setting, by the name that commander gives the flag. */
export interface FlagSettings {
  readonly [flag: string]: readonly [flag: string, path: string];
}

/** The given flags as settings; flags that were not given change nothing. */
export const overridesOf = (options: Readonly<Record<string, unknown>>, flags: FlagSettings): SettingOverride[] =>
  Object.entries(flags).flatMap(([name, [flag, path]]) => {
    const value = options[name];
    return value === undefined ? [] : [{ path, value: String(value), origin: flag }];
  });

/** What the loader needs for this process and the given flags; `--set` is stronger than other flags. */
export const settingsInput = (context: CommandContext, overrides: readonly SettingOverride[]): SettingsInput => {
  const globals = context.globals();
  const fromGlobals = overridesOf({ ...globals }, globalFlags);
  const fromSet = (globals.set ?? []).map((assignment): SettingOverride => {
    const equals = assignment.indexOf('=');
    return equals < 0
      ? { path: assignment, value: 'true', origin: '--set' }
      : { path: assignment.slice(0, equals).trim(), value: assignment.slice(equals + 1), origin: '--set' };
  });
  return {
    cwd: context.cwd,
    env: context.env,
    overrides: [...fromGlobals, ...overrides, ...fromSet],
    files: globals.config ?? [],
    readFile: readIfPresent,
  };
};

const globalFlags: FlagSettings = {
  data: ['--data', 'kagami.dataPath'],
  logLevel: ['--log-level', 'kagami.log.level'],
};

/**
 * Loads the settings for a command, opens the log and puts every warning about the configuration into it.
 * @throws KagamiError CONFIG_INVALID, CONFIG_UNREADABLE
 */
export const prepareSettings = async (
  context: CommandContext,
  overrides: readonly SettingOverride[] = [],
): Promise<ReadySettings> => {
  const [{ loadSettings }, { createLogger }] = await Promise.all([import('../config/load.ts'), import('./logger.ts')]);
  const loaded = loadSettings(settingsInput(context, overrides));
  const { level, format } = loaded.settings.kagami.log;
  const logger = createLogger(context.terminal, level, format as LogFormat);
  for (const warning of loaded.warnings) logger.warn(warning);
  return { ...loaded, logger };
};

/** Text of a file; undefined when there is no such file or it is a folder. */
const readIfPresent = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
};
