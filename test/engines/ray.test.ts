/** engines/ray/, on one machine. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ENGINES, FAULTS, type Job, PYTHON_HOME, prepare, run } from './engine.ts';

function start({ logs, out, parts, env }: Job, ...options: readonly string[]) {
  const job = [join(ENGINES, 'ray/turnmill_job.py'), logs, '--out', out, '--parts', parts, '--slices', '4'];
  const environment = { ...env, RAY_AUTH_MODE: 'disabled', RAY_USAGE_STATS_ENABLED: '0' };
  return run(join(PYTHON_HOME ?? '', 'bin/python'), [...job, ...options], environment);
}

describe.skipIf(PYTHON_HOME === undefined)('Ray', () => {
  test('the dataset has the bytes of one build (needs ray)', async () => {
    const job = prepare();
    const { status, stdout, stderr } = start(job);
    expect(status, stderr).toBe(3);
    expect(stdout).toContain(': turnmill ');
    await job.expectWhole();
  });

  test.each(['the process of the task is killed', 'turnmill is killed'] as const)(
    'the task is repeated when %s (needs ray)',
    async (fault) => {
      const job = prepare(FAULTS[fault]);
      const { status, stderr } = start(job);
      expect(status, stderr).toBe(3);
      expect([job.fired(), job.attempts()]).toEqual([true, 2]);
      await job.expectWhole();
    },
  );

  test('a wrong option is not tried again (needs ray)', () => {
    const job = prepare();
    const { status, stderr } = start(job, '--', '--no-such-option');
    expect(status).toBe(1);
    expect(stderr).toContain('ends with 64');
    expect(job.attempts()).toBe(1);
  });
});
