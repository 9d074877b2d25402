/** Recognises the compiler's metadata in what tools leave behind. */
import { createHash } from 'node:crypto';

export interface SourceEntry {
  readonly keccak256: string;
  readonly urls?: readonly string[];
  readonly content?: string;
}

/** What is relied upon of metadata; there is more in it. */
export interface Metadata extends Readonly<Record<string, unknown>> {
  readonly language: 'Solidity' | 'Vyper';
  readonly compiler: { readonly version: string };
  readonly settings: Readonly<Record<string, unknown>> & {
    readonly compilationTarget: Readonly<Record<string, string>>;
  };
  readonly sources: Readonly<Record<string, SourceEntry>>;
  readonly output: { readonly abi: readonly unknown[] };
}

export interface SourceText {
  readonly path: string;
  readonly text: string;
}

export interface Recognised {
  readonly metadata: readonly Metadata[];
  readonly sources: readonly SourceText[];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const looksLikeMetadata = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) &&
  (value.language === 'Solidity' || value.language === 'Vyper') &&
  isObject(value.settings) &&
  isObject(value.settings.compilationTarget) &&
  isObject(value.sources) &&
  isObject(value.output) &&
  Boolean(value.version && value.output.abi && value.output.userdoc && value.output.devdoc);

const isSourceEntry = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.keccak256 === 'string' &&
  (value.content === undefined || typeof value.content === 'string') &&
  (value.urls === undefined || (Array.isArray(value.urls) && value.urls.every((url) => typeof url === 'string')));

/** One contract to compile, by a compiler that is named, from sources that are described. */
const isUsable = (value: Readonly<Record<string, unknown>>): boolean => {
  const { compilationTarget } = value.settings as Record<string, unknown>;
  const targets = Object.values(compilationTarget as object);
  return (
    targets.length === 1 &&
    typeof targets[0] === 'string' &&
    isObject(value.compiler) &&
    typeof value.compiler.version === 'string' &&
    Array.isArray((value.output as Record<string, unknown>).abi) &&
    Object.values(value.sources as object).every(isSourceEntry)
  );
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Metadata that is the value, or is written in it as text. */
const metadataIn = (value: unknown): Readonly<Record<string, unknown>> | undefined => {
  if (looksLikeMetadata(value)) return value;
  if (typeof value !== 'string') return undefined;
  const inner = parsed(value);
  return looksLikeMetadata(inner) ? inner : undefined;
};

/** Output of a compiler, `contracts[path][name].metadata`, as build information of Hardhat and Foundry holds it. */
const metadataOfOutput = (output: unknown): Readonly<Record<string, unknown>>[] => {
  if (!isObject(output) || !isObject(output.contracts)) return [];
  return Object.values(output.contracts)
    .flatMap((contracts) => (isObject(contracts) ? Object.values(contracts) : []))
    .map((contract) => (isObject(contract) ? metadataIn(contract.metadata) : undefined))
    .filter((found) => found !== undefined);
};

const sourcesOfInput = (input: unknown): SourceText[] => {
  if (!isObject(input) || !isObject(input.sources)) return [];
  return Object.entries(input.sources).flatMap(([path, source]) =>
    isObject(source) && typeof source.content === 'string' ? [{ path, text: source.content }] : [],
  );
};

/** Metadata as text within other text: it begins with `compiler` and ends with `version`, since its keys are sorted. */
const nestedMetadata = /"\{\\"compiler\\":\{\\"version\\".*?\},\\"version\\":1\}"/;

const metadataOfText = (text: string): Readonly<Record<string, unknown>> | undefined => {
  const nested = nestedMetadata.exec(text)?.[0];
  return nested === undefined ? undefined : metadataIn(parsed(nested));
};

const recogniseJson = (value: unknown): { metadata: Readonly<Record<string, unknown>>[]; sources: SourceText[] } => {
  const own = metadataIn(value);
  if (own !== undefined) return { metadata: [own], sources: [] };
  if (!isObject(value)) return { metadata: [], sources: [] };
  // Artifacts of single contracts: Foundry's rawMetadata, Truffle's and hardhat-deploy's metadata.
  const artifact = metadataIn(value.rawMetadata) ?? metadataIn(value.metadata);
  if (artifact !== undefined) return { metadata: [artifact], sources: [] };
  return { metadata: metadataOfOutput(value.output), sources: sourcesOfInput(value.input) };
};

const mayBeJson = /^\s*["{]/;

/** What a file holds; undefined when it is metadata that can't be used. */
export const recognise = ({ path, text }: SourceText): Recognised | undefined => {
  const { metadata, sources } = recogniseJson(mayBeJson.test(text) ? parsed(text) : undefined);
  if (metadata.length === 0 && sources.length === 0) {
    const nested = metadataOfText(text);
    if (nested === undefined) return { metadata: [], sources: [{ path, text }] };
    metadata.push(nested);
  }
  const usable = metadata.filter(isUsable);
  if (metadata.length > 0 && usable.length === 0) return undefined;
  return { metadata: usable as unknown as Metadata[], sources };
};

/** Identifies the metadata everywhere: 40 hex digits. */
export const verificationIdOf = (metadata: Metadata): string => {
  const text = JSON.stringify(JSON.stringify(JSON.stringify(metadata)));
  return createHash('sha1').update(text).digest('hex');
};
