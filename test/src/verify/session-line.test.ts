import { expect, test } from 'vitest';
import { groupProblem } from '../../../src/verify/session-line.ts';

test.each([
  ['none', 'conversations', 'a.jsonl', 'a', true],
  ['none', 'x', 'a.jsonl', 'a', false],
  ['date', '2026-01-13', '2026-01-13/a.jsonl', 'a', true],
  ['date', '2026-01-14', '2026-01-13/a.jsonl', 'a', false],
  ['date', '2026-01-14', '2026-02-30/a.jsonl', 'a', true],
  ['date', '2026-02-30', 'a.jsonl', 'a', false],
  ['date', '2026-01-14', '2026-01-14', 'a', true],
  ['date', '+010000-01', 'a.jsonl', 'a', true],
  ['scenario', 'google-maps-es', 'd/google-maps-es-01.jsonl', 'a', true],
  ['scenario', 'google-maps-es', 'd/market.jsonl', 'a', false],
  ['scenario', 'brief', '-', 'brief-1', true],
  ['date', 'conversations', 'a.jsonl', 'a', true],
  ['date', 'conversations', '2026-01-13/a.jsonl', 'a', false],
  ['scenario', 'conversations', '-', '-:7', true],
  ['scenario', 'conversations', '-', 'brief-1', false],
] as const)('by %s, group %s, source %s, id %s: %s', (groupBy, group, source, id, good) => {
  expect(groupProblem(groupBy, group, source, id) === undefined).toBe(good);
});
