/** The manifests of engines/kubernetes/: the commands of their containers, run here one after the other, on folders. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ENGINES, output, PYTHON_HOME, prepare, run } from './engine.ts';

interface Manifest {
  readonly spec: {
    readonly completions?: number;
    readonly template: { readonly spec: { readonly containers: readonly [Container] } };
  };
}

interface Container {
  readonly command: readonly [string, string];
  readonly args: readonly [string];
}

const AS_JSON = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))';

function manifest(name: string): Manifest['spec'] {
  const python = join(PYTHON_HOME ?? '', 'bin/python');
  const json = output(python, ['-c', AS_JSON, join(ENGINES, 'kubernetes', name)], process.env);
  return (JSON.parse(json) as Manifest).spec;
}

describe.skipIf(PYTHON_HOME === undefined)('Kubernetes', () => {
  test('the slices and their merge have the bytes of one build (needs python)', async () => {
    const job = prepare();
    const env = { ...job.env, LOGS: job.logs, PARTS: job.parts, OUT: job.out };
    const start = ({ template }: Manifest['spec'], index: number) => {
      const [{ command, args }] = template.spec.containers;
      const [program, flag] = command;
      return run(program, [flag, ...args], { ...env, JOB_COMPLETION_INDEX: `${index}` });
    };
    const [build, merge] = [manifest('job.yaml'), manifest('merge.yaml')];
    expect(run('mkdir', [job.parts], env).status).toBe(0);
    expect(start(merge, 0).status).toBe(75);
    for (let index = 0; index < (build.completions ?? 0); index++) expect(start(build, index).status).toBe(0);
    expect(start(build, 1).status).toBe(0); // a pod that is started twice
    expect(start(merge, 0).status).toBe(0);
    await job.expectWhole();
  });
});
