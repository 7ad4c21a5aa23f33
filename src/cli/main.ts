/** From the words of the command line to an exit status. Whatever goes wrong ends here, and in one way. */

import { TurnmillError } from '../errors.ts';
import type { LogLevel } from '../log-level.ts';
import { readArguments } from './arguments.ts';
import { exitCodeOf, SIGNALS, SUCCESS } from './exit-code.ts';
import { listenForInterrupts } from './interrupts.ts';
import { endPrinting, printLine } from './print.ts';
import { tellBug, tellFault, tellUsage } from './tell-fault.ts';

/**
 * @param onListening signals are listened to from here on, until the command is over
 * @returns the exit status; the caller sets it, nothing here ends the process but a bug or a second signal
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
  const interrupts = listenForInterrupts(!command.stoppable);
  onListening?.();
  try {
    return await command.run({ words, values, signal: interrupts.signal });
  } catch (error) {
    const { received } = interrupts;
    if (received === undefined) throw error;
    await tellFault({ code: 'interrupted', message: `stopped by ${received}; nothing was committed` }, level);
    // A reader that takes nothing would hold the process for ever: what it has not taken by now is lost.
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
