/** Runs a command line and returns its exit status. All errors are reported here. */

import type { PlugInCalls } from '../engine/run-task.ts';
import { TurnmillError } from '../errors.ts';
import type { LogLevel } from '../log-level.ts';
import { readArguments } from './arguments.ts';
import { commands } from './commands/index.ts';
import { exitCodeOf, SIGNALS, type StopSignal, SUCCESS, tellBug, tellFault, tellUsage } from './faults.ts';
import type { Host } from './host.ts';

/**
 * @param stopListening called when the handlers of the start are no longer wanted: before code of plug-ins is loaded, and once
 * the command handles signals itself
 * @returns the exit status, for the caller to set; only a bug or a second signal ends the process here
 */
export async function main(argv: readonly string[], host: Host, stopListening?: () => void): Promise<number> {
  let level: LogLevel = 'warn';
  try {
    const invocation = readArguments(argv, host.helpColumns, await commandsFor(argv, stopListening));
    if ('text' in invocation) {
      await host.print(invocation.text);
      await host.endPrinting();
      return SUCCESS;
    }
    level = invocation.values.logLevel ?? level;
    return await runCommand(invocation, level, host, stopListening);
  } catch (error) {
    return statusOf(error, argv, level, host);
  }
}

/**
 * Plug-ins add options to the commands, so they are loaded before the line is parsed. Their code may not return: a signal
 * ends the process meanwhile.
 */
async function commandsFor(argv: readonly string[], stopListening?: () => void): Promise<typeof commands> {
  if (!argv.some((word) => word === '--plugin' || word.startsWith('--plugin='))) return commands;
  stopListening?.();
  const { commandsWithPlugIns } = await import('./plug-in-options.ts');
  return commandsWithPlugIns(commands, argv);
}

type Chosen = Exclude<ReturnType<typeof readArguments>, { readonly text: string }>;

async function runCommand(
  { command, words, values }: Chosen,
  level: LogLevel,
  host: Host,
  stopListening?: () => void,
): Promise<number> {
  const interrupts = new Interrupts(!command.stoppable);
  stopListening?.();
  try {
    const { signal } = interrupts;
    return await command.run({ words, values, signal, plugInCalls: interrupts, host, commands });
  } catch (error) {
    const { received } = interrupts;
    if (received === undefined) throw error;
    const left = values.out === '-' ? 'the records so far are not a whole dataset' : 'nothing was published';
    const message = `stopped by ${received}; ${left}`;
    await tellFault(host, { code: 'interrupted', message }, level);
    // A reader that has stopped reading would keep the process alive forever, so drop what it has not read by now.
    if (process.stdout.writableLength > 0) process.exit(SIGNALS[received]);
    return SIGNALS[received];
  } finally {
    interrupts.release();
  }
}

async function statusOf(
  error: unknown,
  argv: readonly string[],
  level: LogLevel,
  host: Host,
): Promise<number> {
  if (!(error instanceof TurnmillError)) return tellBug(host, error);
  const { code, subject, message } = error;
  if (code === 'usage') tellUsage(host, message, argv);
  else if (code !== 'broken-pipe') await tellFault(host, { code, subject, message }, level);
  return exitCodeOf(code);
}

const GRACE_MS = 10_000;
const NAMES = Object.keys(SIGNALS) as StopSignal[];

/**
 * Handles stop signals from its creation until `release`. The first signal aborts the run, even one that is waiting for
 * standard input or for a slow reader, and gives it time to clean up. A second signal, or ten seconds, ends the process.
 */
class Interrupts implements PlugInCalls {
  readonly #controller = new AbortController();
  readonly #atOnce: boolean;
  #received: StopSignal | undefined;
  #grace: NodeJS.Timeout | undefined;

  /** @param atOnce whether the first signal ends the process, because the command has nothing to clean up */
  constructor(atOnce: boolean) {
    this.#atOnce = atOnce;
    this.#listen();
  }

  /** Restores the default action of the signals, which ends the process. */
  begin(): void {
    this.#ignore();
  }

  /** Handles the signals again. */
  end(): void {
    this.#listen();
  }

  #listen(): void {
    for (const name of NAMES) process.on(name, this.#onSignal);
  }

  #ignore(): void {
    for (const name of NAMES) process.off(name, this.#onSignal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first signal that was received, if any. */
  get received(): StopSignal | undefined {
    return this.#received;
  }

  /** Restores the default action of the signals for good. */
  release(): void {
    clearTimeout(this.#grace);
    this.#ignore();
  }

  readonly #onSignal = (name: StopSignal): void => {
    if (this.#received !== undefined || this.#atOnce) process.exit(SIGNALS[this.#received ?? name]);
    this.#received = name;
    this.#grace = setTimeout(() => process.exit(SIGNALS[name]), GRACE_MS);
    this.#grace.unref();
    const reason = new Error(`stopped by ${name}`);
    this.#controller.abort(reason);
    if (process.stdout.writableNeedDrain) process.stdout.destroy(reason);
  };
}
