/** engines/spark/, on one machine and on a standalone cluster. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { background, ENGINES, FAULTS, freePort, has, type Job, PYTHON_HOME, prepare, run } from './engine.ts';

const canRun = PYTHON_HOME !== undefined && has('java');
const bin = (name: string): string => join(PYTHON_HOME ?? '', 'bin', name);
const environment = {
  SPARK_LOCAL_IP: '127.0.0.1',
  SPARK_LOCAL_HOSTNAME: 'localhost',
  PYSPARK_PYTHON: bin('python'),
};

function submit({ logs, out, parts, env }: Job, conf: readonly string[]) {
  const job = [join(ENGINES, 'spark/turnmill_job.py'), logs, '--out', out, '--parts', parts];
  // executors of a cluster do not get the environment of the driver
  const all = ['spark.ui.enabled=false', `spark.executorEnv.TURNMILL_BIN=${env.TURNMILL_BIN}`];
  const quiet = [...all.flatMap((one) => ['--conf', one]), ...conf];
  return run(bin('spark-submit'), [...quiet, ...job, '--slices', '4'], { ...env, ...environment });
}

async function expectBuilt(job: Job, conf: readonly string[], attempts: number): Promise<void> {
  const { status, stdout, stderr } = submit(job, conf);
  expect(status, stderr).toBe(3);
  expect(stdout).toContain(': turnmill ');
  expect(job.attempts()).toBe(attempts);
  await job.expectWhole();
}

describe.skipIf(!canRun)('on one machine', () => {
  test('the dataset has the bytes of one build (needs spark)', async () => {
    await expectBuilt(prepare(), ['--master', 'local[2,4]'], 1);
  });

  test('a task that is killed is repeated (needs spark)', async () => {
    const job = prepare(FAULTS['the process of the task is killed']);
    await expectBuilt(job, ['--master', 'local[2,4]'], 2);
    expect(job.fired()).toBe(true);
  });

  test('slices that are there already are not built again, and the status of the merge is that of the job (needs spark)', () => {
    const job = prepare();
    const master = ['--master', 'local[2,4]'];
    expect(submit(job, master).status).toBe(3);
    const again = submit(job, master);
    expect([again.status, again.stdout]).toEqual([73, expect.stringContaining('exists')]);
  });
});

describe.skipIf(!canRun)('on a standalone cluster of two workers', () => {
  async function startCluster(): Promise<string> {
    const env = { ...process.env, ...environment };
    const start = (name: string, ...args: readonly string[]) =>
      background(bin('spark-class'), [`org.apache.spark.deploy.${name}`, ...args, '--webui-port', '0'], env);
    const port = await freePort();
    const url = `spark://127.0.0.1:${port}`;
    start('master.Master', '--host', '127.0.0.1', '--port', `${port}`);
    for (const host of ['127.0.0.1', '127.0.0.2'])
      start('worker.Worker', '--host', host, '--cores', '1', '--memory', '1g', url);
    return url;
  }
  const conf = (url: string, ...more: readonly string[]): readonly string[] => [
    '--master',
    url,
    ...['spark.executor.memory=512m', ...more].flatMap((one) => ['--conf', one]),
  ];

  test('an executor that is killed is replaced (needs spark)', async () => {
    const job = prepare(FAULTS['the executor is killed']);
    await expectBuilt(job, conf(await startCluster()), 2);
    expect(job.fired()).toBe(true);
  });

  test('a task that hangs is overtaken by a copy of it (needs spark)', async () => {
    const job = prepare(FAULTS['the task hangs']);
    const speculation = ['spark.speculation=true', 'spark.speculation.quantile=0.5'];
    await expectBuilt(job, conf(await startCluster(), ...speculation), 2);
    expect(job.fired()).toBe(true);
  });
});
