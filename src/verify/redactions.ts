/** Checks reports/redactions.jsonl: it lists the names of `--redact` that are in the shards, shard by shard. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { RedactionLine } from '../dataset/schema/reports.ts';
import { readLines } from './line-reader.ts';
import type { Problems } from './problems.ts';
import { asCount, asText, type Untrusted } from './untrusted.ts';

export const REDACTIONS = 'reports/redactions.jsonl';
const NAME = /<[A-Z][A-Z0-9_]*:[A-Z2-7]{10}>/g;

/** The names in order, and the sum of the bytes at which they begin. */
interface Names {
  /** Hash of the names so far. */
  names: string;
  starts: number;
  count: number;
}

export class RedactionRecount {
  readonly #shards = new Map<string, Names>();

  /** Counts the names in a line of a shard. */
  see(shard: string, text: string): void {
    for (const { 0: name, index } of text.matchAll(NAME))
      this.#add(this.#shards, shard, name, Buffer.byteLength(text.slice(0, index)));
  }

  /** @param hasLines whether each line of a shard is a record, so that places are those of the line */
  async check(root: string, hasLines: boolean, problems: Problems): Promise<void> {
    const listed = new Map<string, Names>();
    for await (const { line, value } of readLines(join(root, REDACTIONS), REDACTIONS, problems)) {
      if (value === undefined) continue;
      const { shard, placeholder, start, end }: Untrusted<RedactionLine> = value;
      const name = asText(placeholder) ?? '';
      problems.equal(REDACTIONS, line, 'end', (asCount(start) ?? 0) + name.length, end);
      this.#add(listed, asText(shard) ?? '', name, asCount(start) ?? 0);
    }
    for (const shard of new Set([...this.#shards.keys(), ...listed.keys()])) {
      const [found, stated] = [this.#shards.get(shard), listed.get(shard)];
      const what = `names in ${shard}`;
      problems.equal(REDACTIONS, undefined, what, found?.count ?? 0, stated?.count ?? 0);
      if (found?.count !== stated?.count) continue;
      problems.equal(REDACTIONS, undefined, `${what}, in order`, found?.names, stated?.names);
      if (hasLines)
        problems.equal(REDACTIONS, undefined, `places of ${what}, added up`, found?.starts, stated?.starts);
    }
  }

  #add(shards: Map<string, Names>, shard: string, name: string, start: number): void {
    const names = shards.get(shard) ?? { names: '', starts: 0, count: 0 };
    shards.set(shard, names);
    names.names = createHash('sha256')
      .update(names.names + name)
      .digest('hex');
    names.starts += start;
    names.count++;
  }
}
