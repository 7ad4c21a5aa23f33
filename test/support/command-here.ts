/**
 * Runs the command in this process: the same arguments, options, messages and exit statuses, ten times faster. `npm run test:faults` starts
 * the built command instead.
 */
import type { Host } from '../../src/cli/host.ts';
import { main } from '../../src/cli/main.ts';
import type { HeapControl } from '../../src/job/hooks.ts';
import { type Ended, turnmill } from './command.ts';

/** A host that records what a command prints and reports. */
export class RecordingHost implements Host {
  readonly isTerminal: boolean = false;
  readonly columns: number = 80;
  readonly helpColumns: undefined;
  readonly #stdout: Uint8Array[] = [];
  #stderr = '';

  get stdout(): Buffer {
    return Buffer.concat(this.#stdout);
  }

  get stderr(): string {
    return this.#stderr;
  }

  print(line: string | Uint8Array): undefined {
    this.#stdout.push(Buffer.from(line), Buffer.from('\n'));
  }

  async endPrinting(): Promise<void> {}

  tell(text: string): boolean {
    this.#stderr += text;
    return true;
  }

  checkStdin(): void {}

  /** V8 flags apply to all tests of this process, so they stay unchanged. */
  prepareRun(): HeapControl {
    return { begin() {}, check() {}, hold() {} };
  }
}

/** Runs `turnmill ARGS` in this process, or like `turnmill` if it needs a separate one. */
export async function turnmillHere(
  args: readonly string[],
  input?: Uint8Array | string,
  env?: NodeJS.ProcessEnv,
): Promise<Ended> {
  if (input !== undefined || env !== undefined || needsProcess(args)) return turnmill(args, input, env);
  const host = new RecordingHost();
  const status = await main(args, host);
  return { status, signal: null, stdout: host.stdout, stderr: host.stderr };
}

/** Standard input, records on standard output and worker threads need a separate process. */
function needsProcess(args: readonly string[]): boolean {
  return process.env.TURNMILL_FAULTS === 'all' || usesStandardStreams(args) || !hasOneWorker(args);
}

const usesStandardStreams = (args: readonly string[]): boolean =>
  args.some((word) => word === '-' || /^-:\d+$/.test(word));

/** Whether the run starts no thread: commands other than build and check never do. */
function hasOneWorker(args: readonly string[]): boolean {
  if (!['build', 'check'].includes(args[0] ?? '')) return true;
  const at = args.indexOf('--workers');
  return at < 0 || args[at + 1] === '1';
}
