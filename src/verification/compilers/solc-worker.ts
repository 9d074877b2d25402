/**
 * Process of one compilation with a `soljson.js`. The compiler runs in a thread, so that the process's own thread can
 * watch the memory (WebAssembly memory counts for no limit of Node) and ends when whoever started it is gone.
 */
import { createRequire } from 'node:module';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { allowLongTexts, type SolJson } from './long-texts.ts';
import type { SolcAnswer, SolcOrder } from './solc-process.ts';

const WATCH_EVERY_MS = 100;

interface Solc {
  compile(input: string): string;
  version(): string;
}

const compile = ({ soljson, input }: SolcOrder): SolcAnswer => {
  const require = createRequire(import.meta.url);
  // One wrapper fits all releases, and without callbacks no import reaches files.
  const emscripten = require(soljson) as SolJson;
  allowLongTexts(emscripten);
  const solc = require('solc/wrapper')(emscripten) as Solc;
  return { kind: 'output', version: solc.version(), output: solc.compile(input) };
};

const serve = (): void => {
  const end = (answer: SolcAnswer): void => {
    process.send?.(answer, () => process.exit());
  };
  process.on('disconnect', () => process.exit());
  process.once('message', (order: SolcOrder) => {
    const watch = setInterval(() => {
      if (process.memoryUsage.rss() > order.memoryMb * 1024 * 1024) end({ kind: 'memory' });
    }, WATCH_EVERY_MS);
    const thread = new Worker(new URL(import.meta.url), { workerData: order });
    const finish = (answer: SolcAnswer): void => {
      clearInterval(watch);
      end(answer);
    };
    thread.once('message', finish);
    thread.once('error', (error) =>
      finish(
        (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? { kind: 'memory' }
          : { kind: 'crash', message: error.message },
      ),
    );
    thread.once('exit', () => finish({ kind: 'crash', message: 'the compiler ended without an answer' }));
  });
};

if (isMainThread) serve();
else parentPort?.postMessage(compile(workerData as SolcOrder));
