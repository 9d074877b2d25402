/** Names what a run left out, at its end: suites and tests for which files or tools are missing on this machine. */
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

/** Declared so; tests behind a hook that failed are skipped too, but that is a failure. */
const isSkipped = ({ options }: TestSuite | TestCase): boolean => options.mode === 'skip';

const countOf = (suite: TestSuite): string => {
  const count = [...suite.children.allTests()].length;
  return count === 1 ? '1 test' : `${count} tests`;
};

/** Skipped suites as a whole, and skipped tests of suites that ran. */
const leftOutOf = (parent: TestModule | TestSuite): string[] =>
  [...parent.children].flatMap((task) => {
    if (isSkipped(task)) return task.type === 'suite' ? [`${task.fullName} (${countOf(task)})`] : [task.fullName];
    return task.type === 'suite' ? leftOutOf(task) : [];
  });

export default class LeftOutReporter implements Reporter {
  /** Whoever names the tests to run knows what is left out. */
  #isChoice = false;

  onInit(vitest: Vitest): void {
    this.#isChoice = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#isChoice) return;
    const lines = modules.flatMap((module) => leftOutOf(module).map((name) => `  ${module.relativeModuleId}: ${name}`));
    if (lines.length === 0) return;
    console.log(
      `\nLeft out, because the files or tools that they need are not on this machine:\n${lines.sort().join('\n')}`,
    );
  }
}
