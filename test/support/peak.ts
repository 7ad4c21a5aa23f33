/** Runs the command as a child, fed from a file or a generator of any size, and measures its peak memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { COMMAND, type Ended, ended } from './command.ts';

export interface Measured extends Ended {
  /** Peak resident memory (VmHWM; the system's maxRSS starts at the size of the forking parent). */
  readonly peakMb: number;
}

const TELL_PEAK =
  'import{readFileSync}from"node:fs";process.on("exit",()=>console.error(/VmHWM:.*/.exec(readFileSync("/proc/self/status"))[0]))';

/** Runs `turnmill ARGS` with the chunks as standard input. */
export async function runMeasured(
  args: readonly string[],
  chunks?: Iterable<string | Uint8Array>,
): Promise<Measured> {
  const node = [`--import=data:text/javascript,${encodeURIComponent(TELL_PEAK)}`, COMMAND, ...args];
  const child = spawn(process.execPath, node, { stdio: ['pipe', 'pipe', 'pipe'] });
  const end = ended(child);
  child.stdin.on('error', () => undefined);
  for (const chunk of chunks ?? []) if (!child.stdin.write(chunk)) await once(child.stdin, 'drain');
  child.stdin.end();
  const run = await end;
  const peak = /VmHWM:\s*(\d+) kB/.exec(run.stderr)?.[1];
  if (peak === undefined) throw new Error(`no peak: ${run.stderr}`);
  return { ...run, peakMb: Number(peak) / 1024 };
}
