/**
 * Prints `N passed, N failed` from the report that Vitest wrote as JSON, and fails unless everything that ran passed.
 * A test file that could not even be loaded counts as one failure.
 */
import { existsSync, readFileSync } from 'node:fs';

interface Report {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

const [path] = process.argv.slice(2);
if (path === undefined || !existsSync(path)) {
  console.error('The test runner left no report: it did not come to its end.');
  process.exitCode = 1;
} else {
  const report = JSON.parse(readFileSync(path, 'utf8')) as Report;
  const notLoaded = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  ).length;
  const failed = report.numFailedTests + notLoaded;
  const skipped = report.numPendingTests + report.numTodoTests;
  if (skipped > 0) console.log(`${skipped} skipped (files or tools that they need are not on this machine)`);
  console.log(`${report.numPassedTests} passed, ${failed} failed`);
  if (!report.success || failed > 0 || report.numPassedTests === 0) process.exitCode = 1;
}
