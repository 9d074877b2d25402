/** What every command gets, and how its flags become settings. */
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { LoadedSettings, SettingOverride, SettingsInput } from '../config/load.ts';
import type { RootSettings } from '../config/settings/root.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface CommandContext {
  readonly terminal: Terminal;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values of the options that every command has. */
  readonly globals: () => GlobalOptions;
  /** Ends the command with this code instead of 0. */
  readonly setExitCode: (code: number) => void;
  /** From now on an error that ends the command is a record of this log; undefined: a text. */
  readonly reportErrorsTo: (logger: Logger | undefined) => void;
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
  /**
   * Takes what the command would print where its output is records: then nothing else may be written. Absent where it
   * is text.
   */
  readonly records?: Logger;
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
 * @param form `report`: the command's output is a text to be read, whoever reads it, and its log is text beside it unless
 * JSON is asked for. `progress`: it runs for long, and reports progress as log records where the output is no terminal.
 * @throws KagamiError CONFIG_INVALID, CONFIG_UNREADABLE
 */
export const prepareSettings = async (
  context: CommandContext,
  overrides: readonly SettingOverride[] = [],
  form: 'report' | 'progress' = 'report',
): Promise<ReadySettings> => {
  const [{ loadSettings }, { createLogger, createRecorder, writesRecords }] = await Promise.all([
    import('../config/load.ts'),
    import('./logger.ts'),
  ]);
  const { terminal } = context;
  if (form === 'progress' && writesRecords(terminal, 'auto'))
    context.reportErrorsTo(createLogger(terminal, 'info', true));
  const loaded = loadSettings(settingsInput(context, overrides));
  const { level, format } = loaded.settings.kagami.log;
  const asRecords = form === 'progress' ? writesRecords(terminal, format) : format === 'json';
  const logger = createLogger(terminal, level, asRecords);
  context.reportErrorsTo(form === 'progress' && asRecords ? logger : undefined);
  for (const warning of loaded.warnings) logger.warn(warning);
  return { ...loaded, logger, ...(form === 'progress' && asRecords ? { records: createRecorder(terminal) } : {}) };
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
