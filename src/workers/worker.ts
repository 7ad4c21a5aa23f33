/** Entry point of a worker thread. Its modules are imported late, so that their code comes from the cache. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { keepCompiledCode } from '../compiled-code.ts';
import { exposeGarbageCollector, setFlags } from '../start-flags.ts';
import type { WorkerData } from './task-worker.ts';

async function start(port: MessagePort): Promise<void> {
  const data = workerData as WorkerData;
  if (data.flags !== undefined) {
    setFlags(data.flags);
    exposeGarbageCollector();
    keepCompiledCode();
  }
  const { TaskWorker } = await import('./task-worker.ts');
  await new TaskWorker(port, data).run();
}

if (parentPort !== null) void start(parentPort);
