/**
 * The log: one JSON object a line on standard error, written before the call returns, so that a kill loses nothing. It
 * tells what the tool does, never what the users' data holds. The only import of pino.
 */
import pino, { type Logger } from 'pino';
import type { LogLevel } from './log-level.ts';
import { printable } from './printable.ts';

const STDERR = 2;

/** A log that is lost (a full disk, a closed pipe) never ends the run. */
export function createLogger(level: LogLevel): Logger {
  const destination = pino.destination({ sync: true, fd: STDERR });
  destination.on('error', () => undefined);
  const stream = {
    write(line: string): void {
      try {
        destination.write(`${printable(line.trimEnd())}\n`);
      } catch {
        // Nobody is left to be told.
      }
    },
  };
  const levels = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: null, formatters: levels, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}
