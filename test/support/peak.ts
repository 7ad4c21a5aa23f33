/** The command as a child whose peak of memory is known, fed from a file or from a generator of any size. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { COMMAND, type Ended, ended } from './command.ts';

export interface Measured extends Ended {
  /** The most that the process had in memory (VmHWM; the system's maxRSS starts at the size of the parent that forked it). */
  readonly peakMb: number;
}

const TELL_PEAK =
  'import{readFileSync}from"node:fs";process.on("exit",()=>console.error(/VmHWM:.*/.exec(readFileSync("/proc/self/status"))[0]))';

/** Runs `turnmill ARGS`; the chunks are its standard input. */
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
