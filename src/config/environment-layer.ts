/**
 * Environment variables as a layer of settings. `HIERO_MIRROR_REST_RESPONSE_LIMIT_MAX` means
 * `hiero.mirror.rest.response.limit.max`: letters of any case, `_` between levels, a number for an item of a list
 * (`..._NODES_0_HOST`). Since `_` may also stand inside a name (`MAX_LIMIT` for `maxLimit`), names are matched against
 * the declared tree.
 */
import type { Environment } from './environment.ts';
import { ROSETTA_FILE_VARIABLE } from './files.ts';
import { findChild } from './names.ts';
import { isSetting, type Setting, type SettingGroup } from './setting.ts';
import { emptyBranch, putAt, type WrittenBranch } from './written-tree.ts';

/** How the origin of a value from the environment begins. */
export const VARIABLE_ORIGIN = 'environment variable ';

/** Prefixes of variables that are ours; the second is the former name of the first. */
const PREFIXES = [['hiero', 'mirror'], ['hedera', 'mirror'], ['kagami']] as const;

/** Variables that Kubernetes sets for every service, which would otherwise look like settings of ours. */
const SERVICE_LINK = /_(SERVICE_(HOST|PORT(_.*)?)|PORT_\d+_(TCP|UDP)(_(ADDR|PORT|PROTO))?)$/i;
const SERVICE_LINK_VALUE = /^(tcp|udp):\/\//;

/** Reads the variables that carry one of our prefixes. Unknown names stay in the layer and are reported when binding. */
export const readEnvironmentLayer = (root: SettingGroup, env: Environment): WrittenBranch => {
  const layer = emptyBranch('environment');
  for (const name of Object.keys(env).sort()) {
    const text = env[name];
    const path = text === undefined ? undefined : pathOfVariable(root, name);
    if (text === undefined || !path || name === ROSETTA_FILE_VARIABLE) continue;
    if (SERVICE_LINK.test(name) || (/_PORT$/i.test(name) && SERVICE_LINK_VALUE.test(text))) continue;
    putAt(layer, path, { kind: 'value', text, origin: `${VARIABLE_ORIGIN}${name}` });
  }
  return layer;
};

/**
 * The path that a variable name means in the declared tree; names that match nothing are split at each `_`.
 * Undefined when the name has none of our prefixes.
 */
export const pathOfVariable = (root: SettingGroup, name: string): string[] | undefined => {
  const segments = name.split(/[_.]|\[|\]/).filter((segment) => segment !== '');
  for (const prefix of PREFIXES) {
    if (segments.length <= prefix.length) continue;
    if (!prefix.every((part, index) => segments[index]?.toLowerCase() === part)) continue;
    const tree = prefix[0] === 'hedera' ? { hedera: root.hiero ?? {} } : root;
    return matchGroup(tree, segments) ?? segments.map((segment) => segment.toLowerCase());
  }
  return undefined;
};

const matchGroup = (group: SettingGroup, segments: readonly string[]): string[] | undefined => {
  for (let taken = 1; taken <= segments.length; taken++) {
    const found = findChild(group, segments.slice(0, taken).join(''));
    if (!found) continue;
    const rest = matchNode(found.node, segments.slice(taken));
    if (rest) return [found.name, ...rest];
  }
  return undefined;
};

const matchNode = (node: Setting<unknown> | SettingGroup, segments: readonly string[]): string[] | undefined => {
  if (!isSetting(node)) return segments.length === 0 ? undefined : matchGroup(node, segments);
  if (segments.length === 0) return [];
  const [first = '', ...rest] = segments;
  if (node.kind === 'list' && node.element && /^\d+$/.test(first)) {
    const inner = matchNode(node.element, rest);
    return inner && [first, ...inner];
  }
  if (node.kind === 'map') return [segments.join('-').toLowerCase()];
  return undefined;
};
