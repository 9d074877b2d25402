/**
 * `npm run nightly [seeds] [faults] [minutes]`: imports under faults that follow from seeds (200 of them, 8 faults of
 * database and processes each, unless told otherwise), and names each seed that fails with the way to repeat it. Then runs
 * the built node for an hour, or as many minutes, and fails when its memory grows (`scripts/soak.ts`); 0 leaves that out.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TEST = 'src/importer/resilience/resilience.test.ts';
const [seeds = '1-200', faults = '8', minutes = '60'] = process.argv.slice(2);

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

const folder = mkdtempSync(join(tmpdir(), 'kagami-nightly-'));
try {
  const output = join(folder, 'report.json');
  spawnSync('npx', ['vitest', 'run', TEST, '--reporter=verbose', '--reporter=json', `--outputFile.json=${output}`], {
    stdio: 'inherit',
    env: { ...process.env, KAGAMI_SEEDS: seeds, KAGAMI_FAULTS: faults },
  });
  if (!existsSync(output)) throw new Error('The run was ended before its end');
  const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as Report;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed');
  const failed = tests.filter(({ status }) => status !== 'passed');
  process.stdout.write(`\n${passed.length} of ${tests.length} seeds passed\n`);
  for (const { title } of failed) {
    const seed = /seed (\d+)/.exec(title)?.[1];
    process.stdout.write(`seed ${seed} failed; repeat: npm run nightly ${seed} ${faults}\n`);
  }
  if (failed.length > 0 || tests.length === 0) process.exitCode = 1;
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
