/** Matches what operators wrote with what is declared: typed values, and everything that is wrong, at once. */
import { parse as parseYaml } from 'yaml';
import { canonicalName, findChild, joinPath, suggestPath } from './names.ts';
import { resolvePlaceholders, UnresolvedPlaceholder } from './placeholders.ts';
import { allowedValues, parseScalar } from './scalar.ts';
import { isSetting, type Setting, type SettingGroup } from './setting.ts';
import { valuesUnder, type WrittenBranch, type WrittenNode, type WrittenValue } from './written-tree.ts';

export interface SettingProblem {
  /** The setting's path, for example `hiero.mirror.rest.port`. */
  readonly setting: string;
  readonly origin: string;
  readonly message: string;
}

export interface UnknownSetting {
  readonly setting: string;
  readonly origin: string;
  readonly suggestion: string | undefined;
}

export interface Binding {
  readonly settings: unknown;
  readonly problems: readonly SettingProblem[];
  readonly unknown: readonly UnknownSetting[];
  /** Where each value that is not a default came from, by the setting's path. */
  readonly origins: ReadonlyMap<string, string>;
}

/**
 * Binds a written tree to the declared one. Faulty values keep their default in `settings`, so that callers which want
 * to go on (diagnosis) can.
 * @param lookUp texts of placeholders `${NAME}`
 */
export const bindSettings = (
  root: SettingGroup,
  written: WrittenBranch,
  lookUp: (name: string) => string | undefined,
): Binding => {
  const problems: SettingProblem[] = [];
  const unknown: UnknownSetting[] = [];
  const origins = new Map<string, string>();

  const report = (path: readonly string[], origin: string, message: string): void => {
    problems.push({ setting: joinPath(path), origin, message });
  };

  const textOf = (path: readonly string[], value: WrittenValue): string | undefined => {
    try {
      return resolvePlaceholders(value.text, lookUp);
    } catch (error) {
      if (!(error instanceof UnresolvedPlaceholder)) throw error;
      report(path, value.origin, error.message);
      return undefined;
    }
  };

  const bindGroup = (group: SettingGroup, branch: WrittenBranch | undefined, path: readonly string[]): object => {
    const bound: Record<string, unknown> = {};
    for (const [name, node] of Object.entries(group)) {
      bound[name] = bindNode(node, branch?.children.get(canonicalName(name))?.node, [...path, name]);
    }
    for (const child of branch?.children.values() ?? []) {
      if (findChild(group, child.name)) continue;
      for (const leaf of valuesUnder(child.node, [...path, child.name])) {
        const suggestion = suggestPath(root, leaf.path);
        unknown.push({ setting: joinPath(leaf.path), origin: leaf.value.origin, suggestion });
      }
    }
    return bound;
  };

  const bindNode = (
    node: Setting<unknown> | SettingGroup,
    written: WrittenNode | undefined,
    path: readonly string[],
  ): unknown => {
    if (isSetting(node)) return written === undefined ? node.default : bindSetting(node, written, path);
    if (written?.kind !== 'value') return bindGroup(node, written, path);
    if (written.text.trim() !== '') report(path, written.origin, 'holds other settings and has no value of its own');
    return bindGroup(node, undefined, path);
  };

  const bindSetting = (setting: Setting<unknown>, written: WrittenNode, path: readonly string[]): unknown => {
    const faultsBefore = problems.length;
    const value =
      setting.kind === 'list'
        ? bindList(setting, written, path)
        : setting.kind === 'map'
          ? bindMap(setting, written, path)
          : bindScalar(setting, written, path);
    if (problems.length > faultsBefore || value === undefined) return setting.default;
    const origin = written.origin || [...valuesUnder(written)][0]?.value.origin;
    origins.set(joinPath(path), origin ?? '');
    return value;
  };

  /** Undefined stands for the default: an empty text is a value only where texts are. */
  const bindScalar = (setting: Setting<unknown>, written: WrittenNode, path: readonly string[]): unknown => {
    if (written.kind === 'branch') {
      report(path, written.origin, `must be ${allowedValues(setting)}, not a group of settings`);
      return undefined;
    }
    const text = textOf(path, written);
    if (text === undefined) return undefined;
    if (text.trim() === '' && setting.kind !== 'text' && setting.kind !== 'secret') return undefined;
    const parsed = parseScalar(setting, text);
    if ('value' in parsed) return parsed.value;
    report(path, written.origin, `${JSON.stringify(text)} is not allowed: must be ${parsed.expected}`);
    return undefined;
  };

  const bindList = (setting: Setting<unknown>, written: WrittenNode, path: readonly string[]): unknown => {
    const element = setting.element;
    if (!element) return undefined;
    const items = written.kind === 'value' ? itemsOfText(written, path, element) : itemsOfBranch(written, path);
    return items?.map((item, index) => bindNode(element, item, [...path, String(index)]));
  };

  const itemsOfBranch = (branch: WrittenBranch, path: readonly string[]): WrittenNode[] | undefined => {
    const items: WrittenNode[] = [];
    const names = [...branch.children.keys()].sort((a, b) => Number(a) - Number(b));
    for (const [index, name] of names.entries()) {
      const child = branch.children.get(name);
      if (!child) continue;
      if (name !== String(index)) {
        const origin = [...valuesUnder(child.node)][0]?.value.origin ?? branch.origin;
        report(path, origin, `items of a list are numbered 0, 1, 2, ...: expected [${index}], found [${child.name}]`);
        return undefined;
      }
      items.push(child.node);
    }
    return items;
  };

  const itemsOfText = (
    written: WrittenValue,
    path: readonly string[],
    element: Setting<unknown> | SettingGroup,
  ): WrittenNode[] | undefined => {
    const text = textOf(path, written)?.trim();
    if (text === undefined) return undefined;
    if (text === '') return [];
    if (text.startsWith('[')) {
      const inline = inlineYaml(text, written.origin);
      if (inline?.kind === 'branch' && inline.sequence) return itemsOfBranch(inline, path);
      report(path, written.origin, 'is not a well-formed list');
      return undefined;
    }
    if (!isSetting(element)) {
      report(path, written.origin, 'must be a list of groups: number the items ([0], [1]) or write JSON');
      return undefined;
    }
    return text.split(',').map((item) => ({ kind: 'value', text: item.trim(), origin: written.origin }));
  };

  /** Written names are laid over the default's, so that adding a header does not take the others away. */
  const bindMap = (setting: Setting<unknown>, written: WrittenNode, path: readonly string[]): unknown => {
    let branch: WrittenNode | undefined = written;
    if (written.kind === 'value') {
      const text = textOf(path, written)?.trim();
      if (text === undefined) return undefined;
      branch = text.startsWith('{') ? inlineYaml(text, written.origin) : pairsOfText(text, written.origin);
    }
    if (branch?.kind !== 'branch') {
      report(path, written.origin, 'must be names with values: {"name": "value"} or name=value,name=value');
      return undefined;
    }
    const bound = { ...(setting.default as Record<string, string>) };
    for (const leaf of valuesUnder(branch)) {
      const text = textOf([...path, ...leaf.path], leaf.value);
      if (text !== undefined) bound[leaf.path.join('.')] = text;
    }
    return bound;
  };

  return { settings: bindGroup(root, written, []), problems, unknown, origins };
};

/** JSON or YAML flow text inside one value. */
const inlineYaml = (text: string, origin: string): WrittenNode | undefined => {
  const convert = (value: unknown): WrittenNode => {
    if (value === null || typeof value !== 'object') return { kind: 'value', text: String(value ?? ''), origin };
    const entries = Array.isArray(value) ? value.map((item, index) => [String(index), item]) : Object.entries(value);
    return {
      kind: 'branch',
      sequence: Array.isArray(value),
      origin,
      children: new Map(
        entries.map(([name, item]) => [
          Array.isArray(value) ? name : canonicalName(name),
          { name, node: convert(item) },
        ]),
      ),
    };
  };
  try {
    return convert(parseYaml(text, { intAsBigInt: true }));
  } catch {
    return undefined;
  }
};

const pairsOfText = (text: string, origin: string): WrittenNode | undefined => {
  const branch: WrittenBranch = { kind: 'branch', children: new Map(), sequence: false, origin };
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    // `127.0.0.1:50211:0.0.3`, as lists of nodes are written, has no equals sign.
    const equals = pair.includes('=') ? pair.indexOf('=') : pair.lastIndexOf(':');
    if (equals < 1) return undefined;
    const name = pair.slice(0, equals).trim();
    branch.children.set(name, { name, node: { kind: 'value', text: pair.slice(equals + 1).trim(), origin } });
  }
  return branch;
};
