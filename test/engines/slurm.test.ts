/** engines/slurm/, with a controller and a node on this machine. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { background, ENGINES, FAULTS, freePort, has, type Job, output, prepare } from './engine.ts';

const canRun = process.getuid?.() === 0 && ['munged', 'slurmctld', 'slurmd', 'sbatch'].every(has);
const WAIT_MS = 250;

/** Starts a cluster of one node with two cores. @returns its configuration, for the commands of Slurm */
async function startCluster(): Promise<{ readonly SLURM_CONF: string }> {
  const folder = temporaryFolder();
  const path = (name: string): string => join(folder, name);
  const node = hostname().split('.')[0] as string;
  for (const name of ['state', 'spool', 'munge']) mkdirSync(path(name), { mode: 0o755 });
  writeFileSync(path('munge/key'), Buffer.alloc(1024, 7), { mode: 0o400 });
  const conf = {
    ClusterName: 'test',
    SlurmctldHost: `${node}(127.0.0.1)`,
    SlurmUser: 'root',
    AuthType: 'auth/munge',
    AuthInfo: `socket=${path('munge/socket')}`,
    CredType: 'cred/munge',
    StateSaveLocation: path('state'),
    SlurmdSpoolDir: path('spool'),
    SlurmctldPidFile: path('slurmctld.pid'),
    SlurmdPidFile: path('slurmd.pid'),
    SlurmctldLogFile: path('slurmctld.log'),
    SlurmdLogFile: path('slurmd.log'),
    SlurmctldPort: `${await freePort()}`,
    SlurmdPort: `${await freePort()}`,
    ProctrackType: 'proctrack/pgid',
    TaskPlugin: 'task/none',
    SelectType: 'select/cons_tres',
    SelectTypeParameters: 'CR_CPU',
    ReturnToService: '2',
    MinJobAge: '300',
    NodeName: `${node} NodeAddr=127.0.0.1 CPUs=2 RealMemory=500 State=UNKNOWN`,
    PartitionName: `all Nodes=ALL Default=YES MaxTime=INFINITE State=UP`,
  };
  const lines = Object.entries(conf).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(path('slurm.conf'), lines.join(''));
  const env = { ...process.env, SLURM_CONF: path('slurm.conf') };
  const munge = ['socket', 'key', 'pid', 'log', 'seed'].map((name) => path(`munge/${name}`));
  background('munged', [
    ...['--foreground', '--force', '--socket', munge[0] as string, '--key-file', munge[1] as string],
    ...[
      '--pid-file',
      munge[2] as string,
      '--log-file',
      munge[3] as string,
      '--seed-file',
      munge[4] as string,
    ],
  ]);
  background('slurmctld', ['-D'], env);
  background('slurmd', ['-D', '-N', node], env);
  const isIdle = (): boolean => {
    try {
      return output('sinfo', ['--noheader', '--format', '%T'], env) === 'idle';
    } catch {
      return false;
    }
  };
  while (!isIdle()) await setTimeout(WAIT_MS);
  return { SLURM_CONF: path('slurm.conf') };
}

/** Runs submit.sh and waits until no job is left. @returns the state of the merge */
async function submit({ logs, out, parts, env }: Job, cluster: { readonly SLURM_CONF: string }) {
  const all = { ...env, ...cluster, SBATCH_OUTPUT: join(parts, '../job-%A_%a.log') };
  const merge = output('bash', [join(ENGINES, 'slurm/submit.sh'), '4', parts, out, logs], all);
  while (output('squeue', ['--noheader'], all) !== '') await setTimeout(WAIT_MS);
  const shown = output('scontrol', ['show', 'job', merge], all);
  return { state: /JobState=(\w+)/.exec(shown)?.[1], exit: /ExitCode=(\d+)/.exec(shown)?.[1] };
}

describe.skipIf(!canRun)('Slurm', () => {
  test('the dataset has the bytes of one build (needs slurm)', async () => {
    const job = prepare();
    expect(await submit(job, await startCluster())).toEqual({ state: 'COMPLETED', exit: '0' });
    await job.expectWhole();
  });

  test('a slice that is killed cancels the merge, and is built by the next submission (needs slurm)', async () => {
    const job = prepare(FAULTS['turnmill is killed']);
    const cluster = await startCluster();
    expect((await submit(job, cluster)).state).toBe('CANCELLED');
    expect([job.fired(), job.attempts()]).toEqual([true, 1]);
    expect(await submit(job, cluster)).toEqual({ state: 'COMPLETED', exit: '0' });
    expect(job.attempts()).toBe(2);
    await job.expectWhole();
  });
});
