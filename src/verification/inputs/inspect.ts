/** From uploaded files to the contracts that they describe. Nothing is fetched. */
import type { CandidateContract, Inspection, InvalidSource, MissingSource, UploadedFile } from '../model.ts';
import { type Metadata, recognise, type SourceText, verificationIdOf } from './metadata.ts';
import { hashOfText, SourceIndex } from './source-index.ts';
import { isZip, unzip, type ZipBounds } from './zip.ts';

const constructorInputs = ({ output }: Metadata): readonly unknown[] | undefined => {
  const abi = output.abi as readonly { readonly type?: string; readonly inputs?: readonly unknown[] }[];
  return abi.find((fragment) => fragment?.type === 'constructor')?.inputs;
};

const candidateOf = (metadata: Metadata, index: SourceIndex, used: Set<string>): CandidateContract => {
  const found: Record<string, string> = {};
  const missing: Record<string, MissingSource> = {};
  const invalid: Record<string, InvalidSource> = {};
  for (const [path, { keccak256: expectedHash, content, urls = [] }] of Object.entries(metadata.sources)) {
    if (content !== undefined && content !== '') {
      const calculatedHash = hashOfText(content);
      if (calculatedHash === expectedHash) found[path] = content;
      else {
        const msg = 'The keccak256 that the metadata names is not that of the source which it carries';
        invalid[path] = { expectedHash, calculatedHash, msg };
      }
      continue;
    }
    const source = index.find(expectedHash);
    if (source === undefined) missing[path] = { keccak256: expectedHash, urls };
    else {
      found[path] = source.text;
      used.add(source.path);
    }
  }
  const [target] = Object.entries(metadata.settings.compilationTarget);
  const inputs = constructorInputs(metadata);
  return {
    verificationId: verificationIdOf(metadata),
    language: metadata.language,
    metadata,
    compilerVersion: metadata.compiler.version,
    compiledPath: target?.[0] ?? '',
    name: target?.[1] ?? '',
    found,
    missing,
    invalid,
    ...(inputs === undefined ? {} : { constructorArguments: inputs }),
  };
};

/** The files themselves, archives expanded; archives within archives stay as they are. */
const expanded = (files: readonly UploadedFile[], bounds: ZipBounds): readonly UploadedFile[] =>
  files.flatMap((file) => (isZip(file) ? unzip(file, bounds) : [file]));

const textOf = ({ path, content }: UploadedFile): SourceText => ({ path, text: Buffer.from(content).toString('utf8') });

/** The sources among uploaded files, for compilations that need files which no import names. */
export const sourcesOf = (files: readonly UploadedFile[], bounds: ZipBounds): readonly SourceText[] =>
  expanded(files, bounds).flatMap((file) => recognise(textOf(file))?.sources ?? []);

/** @throws KagamiError VERIFICATION_INPUT_INVALID for archives that are broken or too large */
export const inspect = (files: readonly UploadedFile[], bounds: ZipBounds): Inspection => {
  const unusable: string[] = [];
  const sources: SourceText[] = [];
  const described = new Map<string, Metadata>();
  for (const file of expanded(files, bounds)) {
    const recognised = recognise(textOf(file));
    if (recognised === undefined) unusable.push(file.path);
    sources.push(...(recognised?.sources ?? []));
    for (const metadata of recognised?.metadata ?? []) described.set(verificationIdOf(metadata), metadata);
  }
  const index = new SourceIndex(sources);
  const used = new Set<string>();
  const contracts = [...described.values()].map((metadata) => candidateOf(metadata, index, used));
  const unused = [...new Set(sources.map(({ path }) => path))].filter((path) => !used.has(path));
  return { contracts, unused: [...unusable, ...unused] };
};
