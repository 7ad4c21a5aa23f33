/** Sessions point to records: each shard's lines are pointed to once each, and in their order. */
import { asCount, asText } from './json-value.ts';
import type { Problems } from './problems.ts';
import type { ShardFacts } from './shard-records.ts';
import { addTools, createToolTally, type ToolTally } from './tool-tally.ts';

export interface Pointers {
  /** A written session's record, found or not. @param line of ledger/sessions.jsonl */
  point(line: number, shard: unknown, record: unknown, tools: number): ShardFacts | undefined;
  /** Records that nobody points to, and those that have other tools than their sessions. */
  end(): void;
}

interface Reached {
  /** The line that was pointed to last. */
  last: number;
  readonly tools: ToolTally;
}

const SESSIONS = 'ledger/sessions.jsonl';

export function createPointers(shards: ReadonlyMap<string, ShardFacts>, problems: Problems): Pointers {
  const reached = new Map<string, Reached>();
  for (const path of shards.keys()) reached.set(path, { last: 0, tools: createToolTally() });

  return {
    point(line, shard, record, tools) {
      const path = asText(shard) ?? '';
      const facts = shards.get(path);
      const at = reached.get(path);
      if (facts === undefined || at === undefined) {
        problems.equal(SESSIONS, line, 'shard', 'one of the manifest', shard);
        return undefined;
      }
      const found = asCount(record) ?? 0;
      const wanted = at.last + 1;
      if (found > facts.records || found < 1) {
        problems.add(
          SESSIONS,
          `line ${line}: expected a record of ${path}, which has ${facts.records}, found ${found}`,
        );
      } else problems.equal(SESSIONS, line, `the line of ${path}`, wanted, found);
      at.last = Math.max(at.last, Math.min(found, facts.records));
      addTools(at.tools, tools);
      return facts;
    },
    end() {
      for (const [path, { records, tools: found }] of shards) {
        const { last, tools } = reached.get(path) as Reached;
        if (last < records)
          problems.add(
            path,
            `line ${last + 1}: expected a session in ${SESSIONS} that points to it, found none`,
          );
        if (found === undefined || last < records) continue;
        problems.equal(path, undefined, 'tools of all records, by their sessions', tools.sum, found.sum);
        if (tools.sum === found.sum && tools.fold !== found.fold) {
          problems.add(
            path,
            'expected the numbers of tools in the order of the sessions, found another order',
          );
        }
      }
    },
  };
}
