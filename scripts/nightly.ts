/**
 * `npm run nightly [seeds] [faults] [minutes] [block seeds]`: imports under faults that follow from seeds (200 of record
 * files and 100 of block streams, 8 faults of database and processes each, unless told otherwise; `none` leaves either
 * out), and names each seed that fails with the way to repeat it. Kills a cutover at each of its points. Imports 20
 * simulated ledgers as record files and as blocks and compares their tables. Refuses 10,000 mutations of each chain of
 * blocks, of another seed each time. Then runs the built node for an hour, or as many minutes, and fails when its memory
 * grows (`scripts/soak.ts`); 0 leaves that out.
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RESILIENCE = 'src/importer/resilience';
const NONE = 'none';
/** Of each chain of blocks. */
const MUTATIONS = 10_000;
const [seeds = '1-200', faults = '8', minutes = '60', blockSeeds = '1-100'] = process.argv.slice(2);

const LEDGERS =
  'one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve,thirteen,fourteen,fifteen,sixteen,seventeen,eighteen,' +
  'nineteen,twenty';

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

interface Outcome {
  readonly passed: number;
  /** Titles of tests. */
  readonly failed: readonly string[];
}

const runTests = (test: string, settings: Readonly<Record<string, string>>): Outcome => {
  const folder = mkdtempSync(join(tmpdir(), 'kagami-nightly-'));
  try {
    const output = join(folder, 'report.json');
    const reporters = ['--reporter=verbose', '--reporter=json', `--outputFile.json=${output}`];
    spawnSync('npx', ['vitest', 'run', test, ...reporters], {
      stdio: 'inherit',
      env: { ...process.env, ...settings },
    });
    if (!existsSync(output)) throw new Error('The run was ended before its end');
    const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as Report;
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    if (tests.length === 0) process.exitCode = 1;
    return {
      passed: tests.filter(({ status }) => status === 'passed').length,
      failed: tests.filter(({ status }) => status !== 'passed').map(({ title }) => title),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const report = (what: string, { passed, failed }: Outcome, repeat: (title: string) => string): void => {
  process.stdout.write(`\n${passed} of ${passed + failed.length} ${what} passed\n`);
  for (const title of failed) process.stdout.write(`'${title}' failed; repeat: ${repeat(title)}\n`);
  if (failed.length > 0) process.exitCode = 1;
};

const seedIn = (title: string): string => /seed (\w+)/.exec(title)?.[1] ?? '';

if (seeds !== NONE) {
  const outcome = runTests(`${RESILIENCE}/resilience.test.ts`, { KAGAMI_SEEDS: seeds, KAGAMI_FAULTS: faults });
  report('seeds of record files', outcome, (title) => `npm run nightly ${seedIn(title)} ${faults} 0 ${NONE}`);
}
if (blockSeeds !== NONE) {
  const outcome = runTests(`${RESILIENCE}/block-resilience.test.ts`, {
    KAGAMI_BLOCK_SEEDS: blockSeeds,
    KAGAMI_FAULTS: faults,
  });
  report('seeds of block streams', outcome, (title) => `npm run nightly ${NONE} ${faults} 0 ${seedIn(title)}`);
  const cutover = `${RESILIENCE}/cutover-kill.test.ts`;
  const command = `KAGAMI_CUTOVER_KILLS=all npx vitest run ${cutover}`;
  report('cutovers killed at every point', runTests(cutover, { KAGAMI_CUTOVER_KILLS: 'all' }), () => command);
  const streams = 'src/importer/pipeline/two-streams.test.ts';
  const ledgers = runTests(streams, { KAGAMI_TWO_STREAMS_SEEDS: LEDGERS });
  report(
    'ledgers alike in both streams',
    ledgers,
    (title) => `KAGAMI_TWO_STREAMS_SEEDS=${seedIn(title)} npx vitest run ${streams}`,
  );
  const fuzz = 'src/streams/block/block-fuzz.test.ts';
  const mutations = { KAGAMI_FUZZ_BLOCKS: String(MUTATIONS), KAGAMI_FUZZ_SEED: String(randomInt(2 ** 31)) };
  report(
    `chains that refuse ${MUTATIONS} mutations`,
    runTests(fuzz, mutations),
    (title) => `KAGAMI_FUZZ_BLOCKS=${MUTATIONS} KAGAMI_FUZZ_SEED=${seedIn(title)} npx vitest run ${fuzz}`,
  );
}

if (minutes !== '0') {
  const soak = spawnSync(process.execPath, [fileURLToPath(new URL('soak.ts', import.meta.url)), minutes], {
    stdio: 'inherit',
  });
  if (soak.status !== 0) {
    process.stdout.write(`the soak failed; repeat: node scripts/soak.ts ${minutes}\n`);
    process.exitCode = 1;
  }
}
