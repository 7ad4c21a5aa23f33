/** The limits of parse: the depth of a line in every dialect, and the messages of an entry. */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Rejection, StreamElement } from '../../transforms/model/element.ts';
import { apply, defaultsOf } from '../../transforms/stage.ts';
import { type ParseOptions, parse } from '../../transforms/stages/parse.ts';
import { KINDS } from './bytes.ts';
import { entryJson, lineOf, why } from './log-lines.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples/dialects');
const SAMPLE = '{"messages":[{"role":"user","content":"a"}],"expected":{"score":[{"a":[1]}]}}';

/** Lines of every dialect: in some of them the dialect itself walks the deepest level, and one is nested deeper. */
const lines: readonly string[] = [
  ...readdirSync(EXAMPLES)
    .filter((name) => name.includes('.json'))
    .flatMap((name) => {
      const log = readFileSync(resolve(EXAMPLES, name), 'utf8');
      return name.endsWith('.jsonl') ? log.trimEnd().split('\n') : [log];
    }),
  SAMPLE,
  entryJson(),
  '{"messages":[{"role":"user","content":"a"}],"tools":[{"name":"f"}]}',
  '{"messages":[{"role":"user","content":"a"}],"expected":{"score":1}}',
  entryJson({ more: JSON.parse(`${'['.repeat(18)}${']'.repeat(18)}`) }),
];

/** Depth of objects and arrays in a text, counted without a scanner. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const run = (
  line: string,
  options: Partial<ParseOptions>,
  make = KINDS[0]?.[1],
): readonly StreamElement[] => [
  ...apply(parse.create({ ...defaultsOf(parse.options), ...options }), [lineOf(line, make)]),
];
const isTooDeep = (element: StreamElement | undefined): boolean =>
  element?.kind === 'rejection' && element.reason === 'too-deep';

test.each(KINDS)('a line in a %s is too deep when the limit is below its depth', (_kind, make) => {
  const depths = lines.map((line) => depthOf(JSON.parse(line)));
  expect(Math.min(...depths)).toBeLessThan(6);
  expect(Math.max(...depths)).toBeGreaterThan(16);
  for (const [i, line] of lines.entries()) {
    for (let maxDepth = 1; maxDepth <= 20; maxDepth++) {
      const [first] = run(line, { maxDepth }, make);
      expect(isTooDeep(first), `${maxDepth} levels of ${line}`).toBe((depths[i] as number) > maxDepth);
    }
  }
});

test('the position is that of the first level over the limit', () => {
  const [first] = run(entryJson(), { maxDepth: 2 });
  const at = entryJson().indexOf('[');
  expect(why(first as Rejection)).toBe(
    `too-deep: nested too deep at byte ${at} of the line (${at} of the source)`,
  );
});

test('messages are counted with the reply, and without a limit any number is read', () => {
  const kinds = (maxMessages: number | undefined): readonly string[] =>
    run(entryJson(), { maxMessages }).map((element) => element.kind);
  expect(kinds(undefined)).toEqual(['entry']);
  expect(kinds(2)).toEqual(['entry']);
  const [rejected] = run(entryJson(), { maxMessages: 1 });
  expect(rejected).toMatchObject({ kind: 'rejection', scope: 'line', stage: 'parse' });
  expect(why(rejected as Rejection)).toBe('too-many-messages: 2 messages, over the limit of 1');
});
