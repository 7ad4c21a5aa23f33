/**
 * The known list on a history that grows: each line repeats the messages of the one before it and adds two.
 */
import { createKnownList } from '../../transforms/json/known-list.ts';
import { createPlainScanner } from '../../transforms/json/scanner.ts';
import type { MicroCase } from './micro-case.ts';
import { messagesOf, sample } from './sample.ts';

const lineCount = 40;

/** The same lines with the list, and scanned whole. */
export const cases = (): readonly MicroCase[] => {
  const texts = sample()
    .lines.slice(0, 200)
    .flatMap(messagesOf)
    .map((message) => JSON.stringify(message));
  const distinct = [...new Set(texts)].slice(0, 2 * lineCount);
  const lines = Array.from({ length: lineCount }, (_, i) =>
    Buffer.from(`[${distinct.slice(0, 2 * (i + 1)).join(',')}]`),
  );
  const shared = { bytes: lines.reduce((sum, { length }) => sum + length, 0), items: lineCount };
  const scanner = createPlainScanner();
  const make = (bytes: Uint8Array, start: number, end: number): { readonly bytes: Uint8Array } => ({
    bytes: Buffer.from(bytes.subarray(start, end)),
  });
  return [
    {
      ...shared,
      name: 'known list, repeating history',
      run: () => {
        const list = createKnownList(scanner, 3, make);
        let read = 0;
        for (const line of lines) read += list.read(line, 0);
        return read;
      },
    },
    {
      ...shared,
      name: 'plain scanner, the same lines',
      run: () => lines.reduce((sum, line) => sum + scanner.value(line, 0, 2), 0),
    },
  ];
};
