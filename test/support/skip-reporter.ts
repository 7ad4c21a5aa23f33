/** Counts the skipped tests by need and prints them at the end of a run, so that no skip goes unnoticed. */
import type { Reporter, TestModule } from 'vitest/node';

const WHY = /\((long|needs [a-z, ]+)\)$/;

export default class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const skipped = tests.filter((test) => test.result().state === 'skipped');
    const counts = new Map<string, number>();
    for (const { name } of skipped) {
      const why = WHY.exec(name)?.[1] ?? 'other';
      counts.set(why, (counts.get(why) ?? 0) + 1);
    }
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const by = [...counts].map(([why, count]) => `${count} ${why}`).join('; ');
    process.stdout.write(`SKIP ${skipped.length}${by && `: ${by}`} (passed: ${passed})\n`);
  }
}
