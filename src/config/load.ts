/**
 * Loads the settings: defaults < YAML files < environment < command line. Owns how the layers are found, laid over each
 * other, and reported on; what settings exist is declared under `settings/`. Reads nothing but what it is given.
 */
import { KagamiError } from '../errors/kagami-error.ts';
import { bindSettings, type SettingProblem, type UnknownSetting } from './bind.ts';
import type { Environment } from './environment.ts';
import { readEnvironmentLayer, VARIABLE_ORIGIN } from './environment-layer.ts';
import { configurationFiles } from './files.ts';
import { canonicalName, environmentName, joinPath, splitPath, suggestPath, suggestWord } from './names.ts';
import type { SettingGroup, SettingsOf } from './setting.ts';
import { foreignModules, type RootSettings, rootSettings } from './settings/root.ts';
import {
  emptyBranch,
  nodeAt,
  overlay,
  putAt,
  valuesUnder,
  type WrittenBranch,
  type WrittenNode,
} from './written-tree.ts';
import { readYamlLayer } from './yaml-layer.ts';

/** A value from the command line: `--set path=value`, or a flag of a command that stands for a setting. */
export interface SettingOverride {
  readonly path: string;
  readonly value: string;
  /** How the user wrote it, for messages: `--tps`. */
  readonly origin: string;
}

export interface SettingsInput {
  readonly cwd: string;
  readonly env: Environment;
  readonly overrides?: readonly SettingOverride[];
  /** Files named on the command line. */
  readonly files?: readonly string[];
  /** Text of a file, undefined when there is none. Other failures are thrown. */
  readonly readFile: (path: string) => string | undefined;
}

export interface LoadedSettings<S> {
  readonly settings: S;
  /** Where each value that is not a default came from, by the setting's path. */
  readonly origins: ReadonlyMap<string, string>;
  /** One sentence each: old names, unknown names, modules that are not there. */
  readonly warnings: readonly string[];
  /** Configuration files that were read, weakest first. */
  readonly files: readonly string[];
}

export interface InspectedSettings<S> extends LoadedSettings<S> {
  /** What is wrong; faulty settings have their defaults in `settings`. */
  readonly problems: readonly SettingProblem[];
}

/**
 * Settings of the whole process.
 * @throws KagamiError CONFIG_INVALID naming every fault (`details.problems`), CONFIG_UNREADABLE for a broken file
 */
export const loadSettings = (input: SettingsInput): LoadedSettings<RootSettings> => {
  const inspected = inspectSettings(rootSettings, input);
  refuseProblems(inspected.problems);
  return inspected;
};

/** The same for any declared tree, without throwing for faulty values. */
export const inspectSettings = <G extends SettingGroup>(
  root: G,
  input: SettingsInput,
): InspectedSettings<SettingsOf<G>> => {
  const warnings: string[] = [];
  const problems: SettingProblem[] = [];
  const files: string[] = [];
  let written = emptyBranch();
  const add = (layer: WrittenBranch): void => {
    written = overlay(written, renameLegacy(layer, warnings)) as WrittenBranch;
  };
  for (const { path, requiredBy } of configurationFiles(input.cwd, input.env, input.files)) {
    const text = readConfigurationFile(input, path);
    if (text !== undefined) {
      files.push(path);
      add(readYamlLayer(path, text));
    } else if (requiredBy) {
      throw new KagamiError('CONFIG_UNREADABLE', `${requiredBy} names ${path}, which does not exist`, {
        details: { file: path },
      });
    }
  }
  add(readEnvironmentLayer(root, input.env));
  add(commandLineLayer(root, input.overrides ?? [], problems));

  const binding = bindSettings(root, ours(written), (name) => lookUpPlaceholder(name, input.env, written));
  const slips = binding.unknown.filter(isSlip);
  warnings.push(...unknownWarnings(binding.unknown.filter((unknown) => !slips.includes(unknown))));
  return {
    settings: binding.settings as SettingsOf<G>,
    origins: binding.origins,
    warnings,
    files,
    problems: [...problems, ...slips.map(noSuchSetting), ...binding.problems],
  };
};

/** @throws KagamiError CONFIG_INVALID when there are problems, one line for each */
const refuseProblems = (problems: readonly SettingProblem[]): void => {
  if (problems.length === 0) return;
  const lines = problems.map(describeProblem);
  const message =
    lines.length === 1 ? `Setting ${lines[0]}` : `${lines.length} settings are wrong:\n  ${lines.join('\n  ')}`;
  throw new KagamiError('CONFIG_INVALID', message, { details: { problems } });
};

/** `hiero.mirror.rest.port (application.yml:3): "x" is not allowed: must be ...` */
export const describeProblem = ({ setting, origin, message }: SettingProblem): string =>
  `${setting} (${origin}): ${message}`;

const readConfigurationFile = (input: SettingsInput, path: string): string | undefined => {
  try {
    return input.readFile(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new KagamiError('CONFIG_UNREADABLE', `${path}: ${reason}`, { details: { file: path }, cause });
  }
};

/** `hedera.mirror.*` is the former name of `hiero.mirror.*`; in one layer the new name wins. */
const renameLegacy = (layer: WrittenBranch, warnings: string[]): WrittenBranch => {
  const legacy = nodeAt(layer, ['hedera', 'mirror']);
  if (legacy === undefined) return layer;
  for (const { path, value } of valuesUnder(legacy)) {
    const variable = value.origin.startsWith(VARIABLE_ORIGIN);
    const replacement = variable
      ? environmentName(['hiero', 'mirror', ...path])
      : joinPath(['hiero', 'mirror', ...path]);
    const old = variable ? '' : `${joinPath(['hedera', 'mirror', ...path])} `;
    warnings.push(`${old}(${value.origin}) is an old name: use ${replacement}`);
  }
  const renamed = emptyBranch(layer.origin);
  putAt(renamed, ['hiero', 'mirror'], legacy);
  const rest: WrittenBranch = { ...layer, children: new Map(layer.children) };
  rest.children.delete('hedera');
  return overlay(renamed, rest) as WrittenBranch;
};

/** Names that are wrong on the command line are faults, not warnings: someone is there to correct them. */
const commandLineLayer = (
  root: SettingGroup,
  overrides: readonly SettingOverride[],
  problems: SettingProblem[],
): WrittenBranch => {
  const layer = emptyBranch('command line');
  for (const { path, value, origin } of overrides) {
    const names = splitPath(path);
    const own = emptyBranch();
    putAt(own, names, { kind: 'value', text: value, origin });
    const renamed = renameLegacy(own, []);
    const { unknown } = bindSettings(root, renamed, () => '');
    if (unknown.length > 0 || names.length === 0) {
      problems.push(noSuchSetting({ setting: path, origin, suggestion: suggestPath(root, names) }));
      continue;
    }
    putAt(layer, names, { kind: 'value', text: value, origin });
  }
  return layer;
};

/** What is written under our prefixes; files may hold other applications' settings beside them. */
const ours = (written: WrittenBranch): WrittenBranch => {
  const own = emptyBranch();
  const mirror = nodeAt(written, ['hiero', 'mirror']);
  if (mirror) putAt(own, ['hiero', 'mirror'], mirror);
  const kagami: WrittenNode | undefined = nodeAt(written, ['kagami']);
  if (kagami) putAt(own, ['kagami'], kagami);
  return own;
};

/**
 * An unknown name under `kagami` is a fault: nobody else's settings are there. In the environment, where variables of
 * anything may begin with KAGAMI_, only one that is close to a setting's.
 */
const isSlip = ({ setting, origin, suggestion }: UnknownSetting): boolean => {
  if (!setting.startsWith('kagami.')) return false;
  if (!origin.startsWith(VARIABLE_ORIGIN)) return true;
  return suggestion !== undefined && suggestWord([suggestion], setting) !== undefined;
};

const noSuchSetting = ({ setting, origin, suggestion }: UnknownSetting): SettingProblem => ({
  setting,
  origin,
  message: `there is no such setting${suggestion ? `; did you mean ${suggestion}?` : ''}`,
});

/** One warning per unknown setting, and only one per module that Kagami does not have. */
const unknownWarnings = (unknown: readonly UnknownSetting[]): string[] => {
  const warnings: string[] = [];
  const foreign = new Map<string, { count: number; origin: string }>();
  for (const { setting, origin, suggestion } of unknown) {
    const module = splitPath(setting)[2];
    if (setting.startsWith('hiero.mirror.') && module && foreignModules.has(canonicalName(module))) {
      const known = foreign.get(module);
      foreign.set(module, { count: (known?.count ?? 0) + 1, origin: known?.origin ?? origin });
      continue;
    }
    const hint = suggestion ? `; did you mean ${suggestion}?` : '';
    warnings.push(`${setting} (${origin}) is not a setting of Kagami and has no effect${hint}`);
  }
  for (const [module, { count, origin }] of foreign) {
    const settings = count === 1 ? '1 setting' : `${count} settings`;
    warnings.push(`hiero.mirror.${module} (${origin}): ${settings} without effect, this version has no such module`);
  }
  return warnings;
};

/** `${NAME}`: an environment variable by its name, else a setting by its path, in whatever spelling. */
const lookUpPlaceholder = (name: string, env: Environment, written: WrittenBranch): string | undefined => {
  const variable = env[name] ?? env[name.replaceAll('.', '_').replaceAll('-', '').toUpperCase()];
  if (variable !== undefined) return variable;
  const node = nodeAt(written, splitPath(name));
  return node?.kind === 'value' ? node.text : undefined;
};
