/** The process that a command runs in: standard input, output and error, and V8. Tests pass a fake one. */
import { fstatSync, statSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { StdoutSink } from '../dataset/stdout.ts';
import { failUsage, TurnmillError } from '../errors.ts';
import type { HeapControl } from '../job/hooks.ts';
import { compileSoonerLater, exposeGarbageCollector } from '../start-flags.ts';
import { BoundedHeap } from './node.ts';

export interface Host {
  /** Whether standard error is a terminal. If so, messages are text for people, otherwise JSON for programs. */
  readonly isTerminal: boolean;
  /** Columns of that terminal, 80 without one. */
  readonly columns: number;
  /** Columns of standard output; undefined if it is not a terminal. */
  readonly helpColumns: number | undefined;
  /** Prints a line to standard output. If it returns a promise, await it before printing the next line. */
  print(line: string | Uint8Array): Promise<void> | undefined;
  /** Resolves once everything printed has been written; rejects if the reader goes away, and the command ends with 141. */
  endPrinting(): Promise<void>;
  /**
   * Writes to standard error. Pass text from outside through `printable` first.
   * @returns false if not all of it was written
   */
  tell(text: string): boolean;
  /**
   * Checks that standard input is readable, if it is one of the inputs.
   * @throws TurnmillError `usage` if it is a terminal, `no-input` if it cannot have content
   */
  checkStdin(inputs: readonly string[], allowEmpty: boolean): void;
  /** Sets V8 up for a run. */
  prepareRun(): HeapControl;
}

const STDIN = 0;
const STDERR = 2;
const RETRY_DELAY_MS = 5;
const MAX_RETRIES = 200;
const DEFAULT_WIDTH = 80;

export class ProcessHost implements Host {
  #sink: StdoutSink | undefined;

  get isTerminal(): boolean {
    return isatty(STDERR);
  }

  get columns(): number {
    return (this.isTerminal ? process.stderr.columns : undefined) || DEFAULT_WIDTH;
  }

  get helpColumns(): number | undefined {
    return process.stdout.columns;
  }

  print(line: string | Uint8Array): Promise<void> | undefined {
    this.#sink ??= new StdoutSink();
    return this.#sink.write(typeof line === 'string' ? Buffer.from(line) : line);
  }

  async endPrinting(): Promise<void> {
    await this.#sink?.end();
  }

  /** Writes synchronously, so that messages keep their order and survive `process.exit`. */
  tell(text: string): boolean {
    let rest: Uint8Array = Buffer.from(text);
    for (let retries = 0; rest.length > 0 && retries < MAX_RETRIES; ) {
      try {
        rest = rest.subarray(writeSync(STDERR, rest));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return false;
        retries++;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_DELAY_MS);
      }
    }
    return rest.length === 0;
  }

  checkStdin(inputs: readonly string[], allowEmpty: boolean): void {
    if (!inputs.includes('-')) return;
    if (isatty(STDIN)) {
      const text = 'standard input is a terminal: pipe a log into it, or name a file or a folder';
      failUsage(text);
    }
    const stats = fstatSync(STDIN);
    if (stats.isDirectory()) throw noInput('is a folder: name the folder as the input instead');
    // Node opens /dev/null for a descriptor that was closed at the start
    const nullDevice = statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
    if (!allowEmpty && stats.isCharacterDevice() && stats.rdev === nullDevice)
      throw noInput('is closed, or /dev/null');
  }

  prepareRun(): HeapControl {
    compileSoonerLater();
    exposeGarbageCollector();
    return new BoundedHeap();
  }
}

function noInput(why: string): TurnmillError {
  return new TurnmillError('no-input', `standard input ${why}`, { subject: '-' });
}
