/**
 * The command line: which commands there are, the options that all share, exit codes. Each command is declared in a
 * file of its own that costs nothing to load; what it does is loaded when it runs.
 */
import { Command, CommanderError, Option } from 'commander';
import type { Logger } from 'pino';
import type { CommandContext, GlobalOptions } from './command-context.ts';
import { checkStreamCommand } from './commands/check-stream.ts';
import { databaseUrlCommand } from './commands/database-url.ts';
import { doctorCommand } from './commands/doctor.ts';
import { importCommand } from './commands/import.ts';
import { migrateCommand } from './commands/migrate.ts';
import { reconcileCommand } from './commands/reconcile.ts';
import { simulateCommand } from './commands/simulate.ts';
import { startCommand } from './commands/start.ts';
import { errorRecord, formatError, messageOf } from './error-report.ts';
import { exitCodeHelp, exitCodeOf, exitCodes } from './exit-code.ts';
import { createTerminal, type Terminal } from './terminal/terminal.ts';
import { kagamiVersion } from './version.ts';

export interface Surroundings {
  readonly terminal: Terminal;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs one command to its end and gives the exit code. Never throws. */
export const runCommandLine = async (
  args: readonly string[],
  surroundings: Surroundings = {
    terminal: createTerminal(process.stdout, process.stderr, process.env),
    cwd: process.cwd(),
    env: process.env,
  },
): Promise<number> => {
  const { terminal } = surroundings;
  let exitCode: number = exitCodes.success;
  let errorLog: Logger | undefined;
  const context: CommandContext = {
    ...surroundings,
    globals: () => program.opts<GlobalOptions>(),
    setExitCode: (code) => {
      exitCode = code;
    },
    reportErrorsTo: (logger) => {
      errorLog = logger;
    },
  };
  const program = createProgram(context);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
    const debug = context.globals().debug === true;
    if (errorLog === undefined) terminal.err(formatError(error, terminal.style, debug));
    else errorLog.fatal(errorRecord(error, debug), messageOf(error));
    return exitCodeOf(error);
  }
};

const collect = (value: string, previous: readonly string[] | undefined): string[] => [...(previous ?? []), value];

const createProgram = (context: CommandContext): Command => {
  const { terminal } = context;
  const program = new Command('kagami')
    .description('A mirror node for Hiero networks: stream files in, proven and kept in PostgreSQL, REST out.')
    .version(kagamiVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'explain a command')
    .helpCommand('help [command]', 'explain a command')
    .addOption(new Option('--config <file>', 'read this YAML file too (repeatable)').argParser(collect))
    .addOption(new Option('--set <name=value>', 'set any setting (repeatable)').argParser(collect))
    .option('--data <folder>', 'where Kagami keeps its data (default: .kagami)')
    .addOption(new Option('--log-level <level>', 'least severe messages to log (default: info)'))
    .option('--debug', 'show where errors come from')
    .addHelpText(
      'after',
      `
Start here:
  kagami start                       a mirror node (REST, gRPC, calls, verification) with a simulated network, on
                                     http://127.0.0.1:5551
  kagami start --network testnet     the same with a public network, from now on
  kagami start --source ./streams    the same with the stream files of a folder
  kagami import ./streams            import a folder once and stop
  kagami doctor                      find out what is wrong

Settings come from application.yml, the environment (HIERO_MIRROR_..., KAGAMI_...) and flags; docs/configuration.md lists
them, those that matter most first; docs/recipes.md has examples with other programs.

${exitCodeHelp}`,
    );
  const commands = [
    startCommand,
    importCommand,
    migrateCommand,
    simulateCommand,
    checkStreamCommand,
    reconcileCommand,
    databaseUrlCommand,
    doctorCommand,
  ];
  for (const command of commands) program.addCommand(command(context));
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .showSuggestionAfterError()
      .showHelpAfterError('(add --help for an explanation)')
      .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
      .configureHelp({ showGlobalOptions: command !== program, helpWidth: Math.min(110, terminal.columns) });
  }
  return program;
};
