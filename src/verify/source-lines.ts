/**
 * A line file that follows the order of ledger/sources.jsonl, read alongside it: per source its lines, one at a time,
 * so that nothing is kept of a dataset of any size. A line of no source in the ledger is a problem.
 */
import type { JsonObject } from './json-value.ts';
import type { ReadLine } from './line-reader.ts';
import type { Problems } from './problems.ts';
import { compareKeys, type SourceKey } from './source-key.ts';

export interface SourceLine {
  readonly line: number;
  readonly value: JsonObject;
}

export interface SourceLines {
  /** The next lines, while they are about this source. */
  of(source: SourceKey): AsyncGenerator<SourceLine>;
  /** Passes over the lines about sources that should have come before this one; undefined: over all that is left. */
  passOver(before: SourceKey | undefined): Promise<void>;
  close(): Promise<void>;
}

interface Head extends SourceLine {
  readonly key: SourceKey;
}

export function createSourceLines(
  lines: AsyncGenerator<ReadLine>,
  file: string,
  problems: Problems,
  keyOf: (value: JsonObject) => SourceKey | undefined,
): SourceLines {
  let head: Head | undefined;
  let ended = false;

  /** The line that is next, without taking it. */
  async function peek(): Promise<Head | undefined> {
    while (head === undefined && !ended) {
      const next = await lines.next();
      if (next.done) ended = true;
      else head = headOf(next.value);
    }
    return head;
  }

  function headOf({ line, value }: ReadLine): Head | undefined {
    if (value === undefined) return undefined;
    const key = keyOf(value);
    if (key === undefined) problems.add(file, `line ${line}: expected the name of a source, found none`);
    return key && { line, value, key };
  }

  return {
    async *of(source) {
      for (let next = await peek(); next !== undefined; next = await peek()) {
        if (compareKeys(next.key, source) !== 0) return;
        head = undefined;
        yield next;
      }
    },
    async passOver(before) {
      for (let next = await peek(); next !== undefined; next = await peek()) {
        if (before !== undefined && compareKeys(next.key, before) >= 0) return;
        head = undefined;
        const { name } = next.key;
        problems.add(
          file,
          `line ${next.line}: expected a source of ledger/sources.jsonl in its order, found '${name}'`,
        );
      }
    },
    async close() {
      await lines.return(undefined);
    },
  };
}
