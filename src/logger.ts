/**
 * The log: one JSON object per line, written before the call returns, so that a kill loses nothing. It reports what the
 * tool does, never the content of users' data. Only this file imports pino.
 */
import pino, { type Logger } from 'pino';
import type { LogLevel } from './log-level.ts';
import { printable } from './printable.ts';

/**
 * Creates the log.
 * @param write writes a line with its newline before it returns, and must not throw: a log that is lost (a full disk, a
 * closed pipe) never ends the run
 */
export function createLogger(level: LogLevel, write: (line: string) => unknown): Logger {
  const stream = { write: (line: string): void => void write(`${printable(line.trimEnd())}\n`) };
  const levels = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: null, formatters: levels, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}
