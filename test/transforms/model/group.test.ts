import { describe, expect, it, test } from 'vitest';
import { GROUPINGS, groupOf, ONE_GROUP, scenarioOf } from '../../../transforms/model/group.ts';
import { conversationOf } from '../checks/samples.ts';

const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const STAMP = '1768342443120394000';
const startedAt = 1_768_342_443_000_000_000n; // 2026-01-13T22:14:03Z

const from = (source: string, sessionId = 's') =>
  conversationOf([], { origin: { source, line: 1, offset: 0, length: 1 }, sessionId, startedAt });

test('exactly these groupings exist', () => {
  expect(GROUPINGS).toEqual(['date', 'scenario', 'none']);
});

test('without grouping there is one group', () => {
  expect(groupOf(from('2026-01-01/a.jsonl'), 'none')).toBe('conversations');
  expect(ONE_GROUP).toBe('conversations');
});

describe('the group by date', () => {
  it('is the ISO date folder directly below the root', () => {
    expect(groupOf(from('2025-12-31/a.jsonl'), 'date')).toBe('2025-12-31');
    expect(groupOf(from('2024-02-29/x/y/a.jsonl'), 'date')).toBe('2024-02-29');
  });

  test.each([
    'a.jsonl',
    '-',
    '2025-12-31.jsonl',
    '2025-02-29/a.jsonl',
    '2025-13-01/a.jsonl',
    '2025-12-31-x/a.jsonl',
    'x2025-12-31/a.jsonl',
    'logs/2025-12-31/a.jsonl',
    '2025-1-1/a.jsonl',
    '/2025-12-31/a.jsonl',
  ])('of %s is the UTC date of the first entry', (source) => {
    expect(groupOf(from(source), 'date')).toBe('2026-01-13');
  });
});

describe('the group by scenario', () => {
  test.each([
    [`a/b/market-brief-${STAMP}.jsonl`, 'market-brief'],
    ['market-brief.jsonl', 'market-brief'],
    ['market-brief.JSONL', 'market-brief'],
    ['market-brief.jsonl.gz', 'market-brief'],
    ['market-brief.jsonl.zst', 'market-brief'],
    ['market-brief.ndjson', 'market-brief'],
    ['market-brief.json', 'market-brief'],
    ['market-brief.txt', 'market-brief.txt'],
    ['market.jsonl.jsonl', 'market.jsonl'],
    ['d.jsonl/market', 'market'],
  ])('of %s is %s', (source, scenario) => {
    expect(groupOf(from(source), 'scenario')).toBe(scenario);
  });

  it('of standard input is taken from the session id', () => {
    expect(groupOf(from('-', `market-brief-${STAMP}`), 'scenario')).toBe('market-brief');
  });
});

describe('scenarioOf', () => {
  test.each([
    ['a', 'a'],
    ['', ''],
    [`a-${STAMP}`, 'a'],
    [`a-${STAMP.slice(1)}`, `a-${STAMP.slice(1)}`],
    [`a-1${STAMP}`, `a-1${STAMP}`],
    [`a${STAMP}`, `a${STAMP}`],
    [`a-${UUID}`, 'a'],
    [`a-${UUID.toUpperCase()}`, 'a'],
    [`a-${UUID.slice(1)}`, `a-${UUID.slice(1)}`],
    [UUID, UUID],
    ['google-maps-es-01', 'google-maps-es'],
    ['google-maps-es-123456', 'google-maps-es'],
    ['google-maps-es-1234567', 'google-maps-es-1234567'],
    ['google-maps-es-1a', 'google-maps-es-1a'],
    ['maps-01', 'maps-01'],
    ['a-2026-01-13', 'a-2026-01-13'],
    ['a-b-1-2', 'a-b-1-2'],
    [`a-b-01-${STAMP}`, 'a-b'],
    [`a-b-01-${UUID}`, 'a-b'],
    [`a-b-${UUID}-${STAMP}`, 'a-b'],
    [`a-b-${STAMP}-${UUID}`, 'a-b'],
    [`a-${STAMP}-${STAMP}-${STAMP}`, 'a'],
    [`a-${STAMP}-${STAMP}-${STAMP}-${STAMP}`, `a-${STAMP}`],
    [`a-b-01-${STAMP}-${UUID}`, 'a-b'],
    ['x--01', 'x-'],
  ])('of %s is %s', (stem, scenario) => {
    expect(scenarioOf(stem)).toBe(scenario);
  });
});

it('the group of a session without date and name is the default one', () => {
  const { startedAt: _startedAt, ...timeless } = from('a.jsonl', 'a.jsonl:7');
  expect(groupOf({ ...timeless, startedAt: undefined }, 'date')).toBe(ONE_GROUP);
  expect(groupOf(from('2025-12-31/a.jsonl', 'x'), 'date')).toBe('2025-12-31');
  expect(groupOf(from('-', '-:7'), 'scenario')).toBe(ONE_GROUP);
});
