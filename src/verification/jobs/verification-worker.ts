/** Entry of a thread that inspects uploads and compares contracts, one job at a time. It reads no database. */
import { parentPort, workerData } from 'node:worker_threads';
import { setLibSourcifyLoggerLevel } from '@ethereum-sourcify/lib-sourcify';
import type { CompilerStore, LocatedCompiler } from '../compilers/compiler-store.ts';
import { inspect } from '../inputs/inspect.ts';
import { match } from '../matching/match.ts';
import { metadataOnly } from '../matching/metadata-only.ts';
import { errorOfFault, type FromThread, faultOf, type Job, type JobThreadData, type ToThread } from './job-messages.ts';

const { compileBounds, zipBounds } = workerData as JobThreadData;
const SILENT = -1;
setLibSourcifyLoggerLevel(SILENT);

const send = (message: FromThread): void => parentPort?.postMessage(message);

let locating: PromiseWithResolvers<LocatedCompiler> | undefined;

/** The main thread knows where compilers are, so that no two threads fetch the same one. */
const compilers: CompilerStore = {
  locate: (language, version) => {
    locating = Promise.withResolvers();
    send({ kind: 'locate', language, version });
    return locating.promise;
  },
};

const perform = async (job: Job): Promise<unknown> => {
  if (job.kind === 'inspect') return inspect(job.files, zipBounds);
  if (job.kind === 'match') return match(job.order, { compilers, compileBounds, zipBounds });
  return metadataOnly(job.input, job.compilerVersion, { compilers, compileBounds });
};

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'located') locating?.resolve(message.compiler);
  else if (message.kind === 'not-located') locating?.reject(errorOfFault(message.fault));
  else {
    perform(message.job).then(
      (answer) => send({ kind: 'answer', answer }),
      (error) => send({ kind: 'fault', fault: faultOf(error) }),
    );
  }
});
