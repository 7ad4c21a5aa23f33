/** How a fault is told: usage in a line and a hint, an operational fault as one structured line, a bug with its stack. */
import type { LogLevel } from '../log-level.ts';
import { printable } from '../printable.ts';
import { BUG } from './exit-code.ts';
import { isTerminal, tell } from './terminal.ts';

export interface Fault {
  readonly code: string;
  readonly subject?: string | undefined;
  readonly message: string;
}

/** One line of JSON; on a terminal, where a person reads it, the same in words. */
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

/** @returns the status of a bug */
export function tellBug(error: unknown): number {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  tell(`turnmill: this is a bug:\n${stack.split('\n').map(printable).join('\n')}\n`);
  return BUG;
}
