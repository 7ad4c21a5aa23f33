/**
 * Runs the command in this process: the same arguments, options, messages and exit statuses, ten times faster. `npm run test:faults` starts
 * the built command instead.
 */
import { Writable } from 'node:stream';
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
    return { begin() {}, check() {}, hold() {}, restore() {} };
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
  const records = writesRecords(args) ? new StandardOutput() : undefined;
  try {
    const status = await main(args, host);
    const stdout = Buffer.concat([host.stdout, records?.bytes ?? Buffer.alloc(0)]);
    return { status, signal: null, stdout, stderr: host.stderr };
  } finally {
    records?.restore();
  }
}

const writesRecords = (args: readonly string[]): boolean =>
  args.some((word, at) => word === '-' && args[at - 1] === '--out');

/** Takes the place of `process.stdout`, which `--out -` writes records to. */
class StandardOutput extends Writable {
  static inUse = false;
  readonly #own = Object.getOwnPropertyDescriptor(process, 'stdout') as PropertyDescriptor;
  readonly #chunks: Buffer[] = [];

  constructor() {
    super();
    StandardOutput.inUse = true;
    Object.defineProperty(process, 'stdout', { configurable: true, enumerable: true, get: () => this });
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(Buffer.from(chunk));
    done();
  }

  restore(): void {
    Object.defineProperty(process, 'stdout', this.#own);
    StandardOutput.inUse = false;
  }
}

/** Standard input, worker threads and a second command that writes records at the same time need a separate process. */
function needsProcess(args: readonly string[]): boolean {
  if (process.env.TURNMILL_FAULTS === 'all' || readsStandardInput(args) || !hasOneWorker(args)) return true;
  return writesRecords(args) && StandardOutput.inUse;
}

const readsStandardInput = (args: readonly string[]): boolean =>
  args.some((word, at) => (word === '-' && args[at - 1] !== '--out') || /^-:\d+$/.test(word));

/** Whether the run starts no thread: commands other than build and check never do. */
function hasOneWorker(args: readonly string[]): boolean {
  if (!['build', 'check'].includes(args[0] ?? '')) return true;
  const at = args.indexOf('--workers');
  return at < 0 || args[at + 1] === '1';
}
