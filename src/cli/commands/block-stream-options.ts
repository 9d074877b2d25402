/** The options of block streams, which `start` and `import` share. */
import { InvalidArgumentError, Option } from 'commander';
import type { FlagSettings } from '../command-context.ts';

export const blockStreamFlags: FlagSettings = {
  blockNodes: ['--block-node', 'hiero.mirror.importer.block.nodes'],
  blockStream: ['--block-stream', 'hiero.mirror.importer.block.enabled'],
};

const DEFAULT_PORT = 40_840;

interface NodeOption {
  readonly host: string;
  readonly port: number;
  readonly requiresTls: boolean;
  readonly priority: number;
}

/** `host`, `host:port`, `[address]:port`, or with `https://` before it where the node speaks TLS. */
const parseNode = (text: string, before: readonly NodeOption[] = []): readonly NodeOption[] => {
  const match = /^(?:(https?):\/\/)?(?:\[([0-9a-f:.]+)\]|([^\s:/[\]]+))(?::(\d{1,5}))?\/?$/i.exec(text.trim());
  const port = match?.[4] === undefined ? DEFAULT_PORT : Number(match[4]);
  if (match === null || port < 1 || port > 65_535) throw new InvalidArgumentError('Give host:port.');
  const host = match[2] ?? match[3] ?? '';
  return [...before, { host, port, requiresTls: match[1]?.toLowerCase() === 'https', priority: before.length }];
};

export const blockNodeOption = (): Option =>
  new Option(
    '--block-node <host:port>',
    'read blocks from this block node (repeatable, the preferred one first)',
  ).argParser(parseNode);

/** What the options say, as texts of settings. */
export const blockStreamSettings = (
  options: Readonly<Record<string, unknown>>,
): { readonly blockNodes?: string; readonly blockStream?: boolean } => {
  const nodes = options.blockNode as readonly NodeOption[] | undefined;
  if (nodes !== undefined) return { blockNodes: JSON.stringify(nodes), blockStream: true };
  return options.blockStream === true ? { blockStream: true } : {};
};
