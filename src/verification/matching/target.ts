/** From a contract that metadata describes to what has to be compiled. */
import { convertLibrariesToStdJsonFormat } from '@ethereum-sourcify/lib-sourcify';
import type { CandidateContract, CompilationTarget, CompilerInput } from '../model.ts';

/** Compilers that write a setting into metadata which they then refuse to read. */
const refusesInliner = /^0\.8\.[234]\b/;

type Settings = Readonly<Record<string, unknown>>;

const withoutInliner = (settings: Settings): Settings => {
  const optimizer = settings.optimizer as { readonly details?: Readonly<Record<string, unknown>> } | undefined;
  if (optimizer?.details === undefined) return settings;
  const { inliner: _inliner, ...details } = optimizer.details;
  return { ...settings, optimizer: { ...optimizer, details } };
};

/** Metadata names libraries `path:Name`, compilers want them by path. */
const compilerSettings = (candidate: CandidateContract): Settings => {
  const { compilationTarget: _target, libraries, ...rest } = candidate.metadata.settings as Settings;
  const settings = refusesInliner.test(candidate.compilerVersion) ? withoutInliner(rest) : rest;
  if (candidate.language !== 'Solidity') return settings;
  const linked = convertLibrariesToStdJsonFormat(libraries as Record<string, string> | undefined);
  return linked === undefined ? settings : { ...settings, libraries: linked };
};

export const isCandidate = (target: CompilationTarget | CandidateContract): target is CandidateContract =>
  'verificationId' in target;

/** Sources are given in the order of the metadata; the candidate must have all of them. */
export const targetOf = (candidate: CandidateContract): CompilationTarget => {
  const paths = Object.keys(candidate.metadata.sources as object);
  const input: CompilerInput = {
    language: candidate.language,
    sources: Object.fromEntries(paths.map((path) => [path, { content: candidate.found[path] ?? '' }])),
    settings: compilerSettings(candidate),
  };
  return { compilerVersion: candidate.compilerVersion, input, path: candidate.compiledPath, name: candidate.name };
};

/** The same with further sources, for compilers whose code depends on files that nothing imports. */
export const withSources = (
  target: CompilationTarget,
  sources: readonly { readonly path: string; readonly text: string }[],
): CompilationTarget => {
  const further = Object.fromEntries(sources.map(({ path, text }) => [path, { content: text }]));
  return { ...target, input: { ...target.input, sources: { ...further, ...target.input.sources } } };
};
