/** Standard output for what is no dataset: help, answers, lists. A reader that went away ends it quietly (141). */
import { createStdoutSink, type StdoutSink } from '../dataset/stdout.ts';

let sink: StdoutSink | undefined;

/** Prints a line; wait for the promise before the next one, where there is one. */
export function printLine(line: string | Uint8Array): Promise<void> | undefined {
  sink ??= createStdoutSink();
  return sink.write(typeof line === 'string' ? Buffer.from(line) : line);
}

/** Resolves when the system has taken everything that was printed. */
export async function endPrinting(): Promise<void> {
  await sink?.end();
}
