/** Reports faults: a usage error with a hint, an operational fault as one structured line, a bug with its stack. */
import type { LogLevel } from '../log-level.ts';
import { printable } from '../printable.ts';
import { BUG } from './exit-code.ts';
import { isTerminal, tell } from './terminal.ts';

export interface Fault {
  readonly code: string;
  readonly subject?: string | undefined;
  readonly message: string;
}

/** Prints one line of JSON, or on a terminal only the message. */
export async function tellFault({ code, subject, message }: Fault, level: LogLevel): Promise<void> {
  if (level === 'silent') return;
  if (isTerminal()) return void tell(`turnmill: ${printable(message)}\n`);
  const { createLogger } = await import('../logger.ts');
  createLogger(level).error({ code, ...(subject === undefined ? {} : { subject }) }, message);
}

const COMMAND = /^[a-z]+$/;

export function tellUsage(message: string, argv: readonly string[]): void {
  const named = argv.find((word) => COMMAND.test(word));
  const help =
    named === undefined || message.startsWith('Unknown command')
      ? 'turnmill --help'
      : `turnmill ${named} --help`;
  tell(`turnmill: ${printable(message)}\nTry '${help}'.\n`);
}

/** @returns the exit status of a bug */
export function tellBug(error: unknown): number {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  tell(`turnmill: internal error, please report it:\n${stack.split('\n').map(printable).join('\n')}\n`);
  return BUG;
}

/** Reports uncaught errors, which are bugs, and ends the process with 70 whatever it was doing. */
export function watchForBugs(): void {
  const end = (error: unknown): never => process.exit(tellBug(error));
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
