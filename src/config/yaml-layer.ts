/** A YAML file as a layer of settings, each value with its line. Texts stay as written, so that no digit is lost. */
import { type Alias, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import { KagamiError } from '../errors/kagami-error.ts';
import { splitPath } from './names.ts';
import { emptyBranch, nodeAt, overlay, putAt, type WrittenBranch, type WrittenNode } from './written-tree.ts';

/**
 * Reads a YAML text; several documents (`---`) are laid over each other in order. Documents that are bound to a profile
 * (`spring.config.activate.on-profile`) are left out, since there are no profiles here.
 * @throws KagamiError CONFIG_UNREADABLE with file, line and column when the text is not YAML.
 */
export const readYamlLayer = (file: string, text: string): WrittenBranch => {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  let layer = emptyBranch(file);
  for (const document of Array.isArray(documents) ? documents : []) {
    const fault = document.errors[0];
    if (fault) {
      const at = lines.linePos(fault.pos[0]);
      throw new KagamiError('CONFIG_UNREADABLE', `${file}:${at.line}:${at.col}: ${fault.message}`, {
        details: { file, line: at.line, column: at.col },
      });
    }
    const convert = (node: Node | null | undefined): WrittenNode | undefined => {
      if (node === null || node === undefined) return undefined;
      if (isAlias(node)) return convert((node as Alias).resolve(document));
      const origin = `${file}:${lines.linePos(node.range?.[0] ?? 0).line}`;
      if (isScalar(node)) {
        if (node.value === null) return undefined;
        return {
          kind: 'value',
          text: typeof node.value === 'string' ? node.value : (node.source ?? String(node.value)),
          origin,
        };
      }
      const branch: WrittenBranch = { ...emptyBranch(origin), sequence: isSeq(node) };
      if (isSeq(node)) {
        node.items.forEach((item, index) => {
          const child = convert(item as Node);
          if (child) branch.children.set(String(index), { name: String(index), node: child });
        });
      } else if (isMap(node)) {
        const nameOf = (key: unknown): string => (isScalar(key) ? String(key.value) : '');
        // What `<<` merges in is weaker than the names that stand beside it, wherever it stands.
        const merges = node.items.filter((pair) => nameOf(pair.key) === '<<');
        const plain = node.items.filter((pair) => nameOf(pair.key) !== '<<');
        for (const pair of [...merges, ...plain]) {
          const child = convert(pair.value as Node);
          if (child) putAt(branch, merges.includes(pair) ? [] : splitPath(nameOf(pair.key)), child);
        }
      }
      return branch;
    };
    const node = convert(document.contents as Node | null);
    if (node?.kind !== 'branch' || nodeAt(node, ['spring', 'config', 'activate', 'on-profile'])) continue;
    layer = overlay(layer, node) as WrittenBranch;
  }
  return layer;
};
