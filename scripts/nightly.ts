/**
 * `npm run nightly [seeds] [faults] [minutes]`: imports under faults that follow from seeds (200 of them, 8 faults of
 * database and processes each, unless told otherwise), and names each seed that fails with the way to repeat it. Imports 20
 * simulated ledgers as record files and as blocks and compares their tables. Then runs the built node for an hour, or as
 * many minutes, and fails when its memory grows (`scripts/soak.ts`); 0 leaves that out.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [seeds = '1-200', faults = '8', minutes = '60'] = process.argv.slice(2);

const LEDGERS =
  'one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve,thirteen,fourteen,fifteen,sixteen,seventeen,eighteen,' +
  'nineteen,twenty';

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

interface SeededTest {
  readonly test: string;
  readonly env: Readonly<Record<string, string>>;
  /** The command that repeats one seed. */
  readonly repeat: (seed: string | undefined) => string;
}

const folder = mkdtempSync(join(tmpdir(), 'kagami-nightly-'));

/** Runs a test that has a case for each seed, and names those that fail. */
const runSeeds = ({ test, env, repeat }: SeededTest): void => {
  const output = join(folder, 'report.json');
  rmSync(output, { force: true });
  spawnSync('npx', ['vitest', 'run', test, '--reporter=verbose', '--reporter=json', `--outputFile.json=${output}`], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (!existsSync(output)) throw new Error('The run was ended before its end');
  const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as Report;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status !== 'passed');
  process.stdout.write(`\n${tests.length - failed.length} of ${tests.length} seeds passed\n`);
  for (const { title } of failed) {
    const seed = /seed (\w+)/.exec(title)?.[1];
    process.stdout.write(`seed ${seed} failed; repeat: ${repeat(seed)}\n`);
  }
  if (failed.length > 0 || tests.length === 0) process.exitCode = 1;
};

try {
  runSeeds({
    test: 'src/importer/resilience/resilience.test.ts',
    env: { KAGAMI_SEEDS: seeds, KAGAMI_FAULTS: faults },
    repeat: (seed) => `npm run nightly ${seed} ${faults}`,
  });
  const streams = 'src/importer/pipeline/two-streams.test.ts';
  runSeeds({
    test: streams,
    env: { KAGAMI_TWO_STREAMS_SEEDS: LEDGERS },
    repeat: (seed) => `KAGAMI_TWO_STREAMS_SEEDS=${seed} npx vitest run ${streams}`,
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
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
