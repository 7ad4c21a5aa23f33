/** Standard output for help, answers and lists. If its reader goes away, the command ends quietly with 141. */
import { createStdoutSink, type StdoutSink } from '../dataset/stdout.ts';

let sink: StdoutSink | undefined;

/** Prints a line. If it returns a promise, await it before printing the next line. */
export function printLine(line: string | Uint8Array): Promise<void> | undefined {
  sink ??= createStdoutSink();
  return sink.write(typeof line === 'string' ? Buffer.from(line) : line);
}

/** Resolves when everything printed has been written. */
export async function endPrinting(): Promise<void> {
  await sink?.end();
}
