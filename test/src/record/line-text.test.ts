import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import type { SessionLine, SourceLine } from '../../../src/dataset/schema/ledger.ts';
import type { FindingLine } from '../../../src/dataset/schema/reports.ts';
import { findingText, sessionText, sourceText } from '../../../src/record/line-text.ts';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('a"b', 'a\\b', 'é', '\u2028'),
);
const count = fc.nat();
const counts = fc.dictionary(text, count);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const usage = fc.record({
  toolCalls: count,
  definitions: fc.array(text),
  clientTurns: count,
  assistantTurns: count,
  assistantTurnsWithTools: count,
});
const tools = fc.record({ seen: count, kept: count, duplicateSame: count, duplicateConflict: count });
const place = fc.record({ line: count, offset: count, length: count });
const session: fc.Arbitrary<SessionLine> = fc.record({
  id: fc.option(text),
  source: text,
  source_b64: optional(text),
  input: optional(count),
  fate: text,
  shard: optional(text),
  line: optional(count),
  records: optional(fc.constant([{ format: 'trl', shard: 'data/trl/x.jsonl', line: 1 }])),
  refused: optional(fc.constant([{ format: 'trl', reason: 'r' }])),
  origin: optional(place),
  entries: count,
  superseded: count,
  truncated: count,
  folded: optional(count),
  root: optional(text),
  messages: optional(counts),
  calls: optional(counts),
  changes: counts,
  tools: fc.option(tools),
  usage: optional(usage),
});
const source: fc.Arbitrary<SourceLine> = fc.record({
  source: text,
  source_b64: optional(text),
  input: optional(count),
  status: fc.constantFrom('read', 'empty', 'rejected', 'limited'),
  reason: optional(text),
  detail: optional(text),
  size: optional(count),
  compression: optional(fc.constantFrom('none', 'gzip', 'zstd')),
  packed: optional(
    fc.record({ members: count, member_bytes: count, padding_bytes: count, trailing_bytes: count }),
  ),
  bytes: optional(count),
  parts: optional(fc.record({ bom: count, lines: count, terminators: count, rest: count })),
  framed: optional(count),
  lines: count,
  fates: counts,
  repairs: optional(counts),
});

const finding: fc.Arbitrary<FindingLine> = fc.record({
  severity: fc.constantFrom('ERROR', 'WARNING'),
  rule: text,
  session: fc.option(text),
  source: text,
  source_b64: optional(text),
  input: optional(count),
  entry: count,
  message: text,
  count: optional(count),
  across_sources: optional(fc.constant(true)),
});

const COMMON_SESSION: SessionLine = {
  id: 'a-1',
  source: 'x/y.jsonl',
  fate: 'written',
  shard: 'data/2026-01-13-00000.jsonl',
  line: 1,
  origin: { line: 4, offset: 11_701, length: 4921 },
  entries: 4,
  superseded: 3,
  truncated: 0,
  changes: { 'goose-info': 1, 'null-fields': 2 },
  tools: { seen: 12, kept: 3, duplicateSame: 9, duplicateConflict: 0 },
  usage: {
    toolCalls: 4,
    definitions: ['a', 'b"c'],
    clientTurns: 2,
    assistantTurns: 2,
    assistantTurnsWithTools: 2,
  },
};
const COMMON_SOURCE: SourceLine = {
  source: 'x/y.jsonl',
  status: 'read',
  size: 9,
  compression: 'none',
  bytes: 9,
  parts: { bom: 0, lines: 8, terminators: 1, rest: 0 },
  framed: 1,
  lines: 1,
  fates: { snapshot: 1 },
  repairs: {},
};

it('formats typical lines as JSON.stringify does', () => {
  expect(sessionText(COMMON_SESSION)).toBe(JSON.stringify(COMMON_SESSION));
  expect(sourceText(COMMON_SOURCE)).toBe(JSON.stringify(COMMON_SOURCE));
});

test('formats any line as JSON.stringify does', () => {
  fc.assert(fc.property(session, (line) => sessionText(line) === JSON.stringify(line)));
  fc.assert(fc.property(source, (line) => sourceText(line) === JSON.stringify(line)));
  fc.assert(fc.property(finding, (line) => findingText(line) === JSON.stringify(line)));
});
