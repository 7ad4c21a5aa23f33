/** Runs a command line and returns its exit status; every error is reported here. */

import { TurnmillError } from '../errors.ts';
import type { LogLevel } from '../log-level.ts';
import { readArguments } from './arguments.ts';
import { exitCodeOf, SIGNALS, SUCCESS } from './exit-code.ts';
import { Interrupts } from './interrupts.ts';
import { endPrinting, printLine } from './print.ts';
import { tellBug, tellFault, tellUsage } from './tell-fault.ts';

/**
 * @param onListening called when the command handles signals itself
 * @returns the exit status, for the caller to set; only a bug or a second signal ends the process here
 */
export async function main(argv: readonly string[], onListening?: () => void): Promise<number> {
  let level: LogLevel = 'warn';
  try {
    const invocation = readArguments(argv, process.stdout.columns);
    if ('text' in invocation) {
      await printLine(invocation.text);
      await endPrinting();
      return SUCCESS;
    }
    level = invocation.values.logLevel ?? level;
    return await runCommand(invocation, level, onListening);
  } catch (error) {
    return statusOf(error, argv, level);
  }
}

type Chosen = Exclude<ReturnType<typeof readArguments>, { readonly text: string }>;

async function runCommand(
  { command, words, values }: Chosen,
  level: LogLevel,
  onListening?: () => void,
): Promise<number> {
  const interrupts = new Interrupts(!command.stoppable);
  onListening?.();
  try {
    return await command.run({ words, values, signal: interrupts.signal });
  } catch (error) {
    const { received } = interrupts;
    if (received === undefined) throw error;
    await tellFault({ code: 'interrupted', message: `stopped by ${received}; nothing was published` }, level);
    // A reader that reads nothing would keep the process alive forever: drop what it has not read by now.
    if (process.stdout.writableLength > 0) process.exit(SIGNALS[received]);
    return SIGNALS[received];
  } finally {
    interrupts.release();
  }
}

async function statusOf(error: unknown, argv: readonly string[], level: LogLevel): Promise<number> {
  if (!(error instanceof TurnmillError)) return tellBug(error);
  const { code, subject, message } = error;
  if (code === 'usage') tellUsage(message, argv);
  else if (code !== 'broken-pipe') await tellFault({ code, subject, message }, level);
  return exitCodeOf(code);
}
