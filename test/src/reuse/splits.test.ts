/** The decision about splits is the same in any number of passes, and near the shares that were asked for. */
import { describe, expect, test } from 'vitest';
import type { PathedSession } from '../../../src/reuse/ledger-files.ts';
import { Splits } from '../../../src/reuse/splits.ts';
import { randomFrom } from '../../support/plain-logs.ts';

const SHARES = { train: 0.8, validation: 0.1, test: 0.1 };

/** Returns a session with a question and an answer; equal numbers give equal answers. */
function session(id: string | null, answer: number): PathedSession {
  const path = Buffer.alloc(32);
  path.writeUInt32LE(1, 0);
  path.writeUInt32LE(Math.imul(answer + 1, 0x9e3779b1) >>> 0, 16);
  path.writeUInt32LE(answer, 20);
  path[31] = 1;
  return { id, source: `${id}.jsonl`, fate: 'written', path } as unknown as PathedSession;
}

const splitsOf = (sessions: readonly PathedSession[], maxTableBytes?: number): Splits =>
  new Splits({
    count: sessions.length,
    read: () => sessions,
    shares: SHARES,
    seed: 'seed',
    ...(maxTableBytes !== undefined && { maxTableBytes }),
  });

describe('Splits', () => {
  test('sessions of chains, branches and sub-agents are in one split', () => {
    const chain = Array.from({ length: 200 }, (_, n) => session(`s${n >> 1}`, (n + 1) >> 1));
    const splits = splitsOf([
      ...chain,
      session('s7/agent', 999),
      session('s7#3', 998),
      session('s7#2/agent', 997),
    ]);
    expect(splits.groups).toBe(1);
    expect(new Set(Array.from({ length: 203 }, (_, n) => splits.of(n))).size).toBe(1);
  });

  test('ids with a slash belong together only if there is a session with the id before it', () => {
    const samples = ['eval/tulips/1', 'eval/roses/1', 'logs/a.json', 'logs/b.json', '/a', '/b'];
    expect(splitsOf(samples.map((id, n) => session(id, n))).groups).toBe(samples.length);
    const agents = ['eval/tulips/1/sorter', 'eval/tulips/1#2/sorter/deep', 'eval/tulips/1#2'];
    expect(splitsOf([...samples, ...agents].map((id, n) => session(id, n))).groups).toBe(samples.length);
  });

  test('an id of the log that ends like a branch belongs to another one only if there is a session with that', () => {
    const issues = Array.from({ length: 20 }, (_, n) => session(`owner/repo#${n + 1}`, n));
    const branches = [session('owner/repo#5#2', 50), session('owner/repo#5#3/agent', 51)];
    expect(splitsOf([...issues, ...branches]).groups).toBe(issues.length);
    expect(splitsOf([...issues, ...branches, session('owner/repo', 52)]).groups).toBe(2); // #1 is not a branch
    expect(splitsOf([session('a', 0), session('a#1', 1), session('a#1000000', 2)]).groups).toBe(3);
  });

  test('branches of a session that was rejected or left out are in one group', () => {
    const branches = [session('x#2', 0), session('x#3', 1)];
    expect(splitsOf(branches).groups).toBe(2);
    expect(splitsOf(branches.map((branch) => ({ ...branch, source: 'x.jsonl' }))).groups).toBe(1);
    const rejected = { ...session('x', 2), fate: 'rejected:no-reply' } as PathedSession;
    const readAll = () => [rejected, ...branches];
    expect(new Splits({ count: 2, read: () => branches, readAll, shares: SHARES, seed: 'seed' }).groups).toBe(
      1,
    );
  });

  test('an id of a million parts is a session by itself', () => {
    const long = ['/'.repeat(1_000_000), '#2'.repeat(500_000), 'a/'.repeat(101)];
    expect(splitsOf([...long, 'a', 'a/'].map((id, n) => session(id, n))).groups).toBe(4);
  });

  test('any number of passes gives the same', () => {
    const random = randomFrom(1);
    const below = (n: number): number => Math.floor(random() * n);
    const sessions = Array.from({ length: 3000 }, () => session(`s${below(2500)}`, below(4000)));
    const [one, many] = [splitsOf(sessions), splitsOf(sessions, 16_384)];
    expect(many.groups).toBe(one.groups);
    expect(one.groups).toBeGreaterThan(500);
    const sides = (splits: Splits): string[] => sessions.map((_, index) => splits.of(index));
    expect(sides(many)).toEqual(sides(one));
    const before = sessions.map((line, n) => ({
      ...line,
      shard: `data/${n % 2 ? 'train' : 'test'}/x-00000.jsonl`,
    }));
    expect(many.movedFrom(() => before)).toBe(one.movedFrom(() => before));
    expect(one.movedFrom(() => before)).toBeGreaterThan(500);
    expect(one.movedFrom(() => sessions.map((line, n) => ({ ...line, shard: `data/${one.of(n)}/x` })))).toBe(
      0,
    );
  });

  test('the order of the sessions does not matter', () => {
    const sessions = Array.from({ length: 400 }, (_, n) => session(`s${n % 170}`, n % 230));
    const [forward, back] = [splitsOf(sessions), splitsOf(sessions.toReversed())];
    for (const index of sessions.keys()) expect(back.of(399 - index)).toBe(forward.of(index));
  });

  test('the shares of groups are those that were asked for, of large groups too', () => {
    // groups of 20 sessions: their smallest hash is small, so it must not decide by its size
    const sessions = Array.from({ length: 20_000 }, (_, n) => session(`s${n}`, Math.floor(n / 20)));
    const splits = splitsOf(sessions);
    expect(splits.groups).toBe(1000);
    const counts = new Map<string, number>();
    for (let n = 0; n < sessions.length; n += 20)
      counts.set(splits.of(n), (counts.get(splits.of(n)) ?? 0) + 1);
    for (const [name, share] of Object.entries(SHARES))
      expect(Math.abs((counts.get(name) ?? 0) / 1000 - share)).toBeLessThan(0.04);
    expect(splits.empty()).toEqual([]);
  });

  test('sessions without an id or an answer stay with their source', () => {
    const bare = { ...session(null, 1), path: new Uint8Array(0) };
    expect(splitsOf([bare, { ...bare }, { ...bare, source: 'other.jsonl' }]).groups).toBe(2);
  });
});
