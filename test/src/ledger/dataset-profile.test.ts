import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readManifest } from '../../../src/dataset/manifest.ts';
import type { SessionLine } from '../../../src/dataset/schema/ledger.ts';
import type { DatasetProfile } from '../../../src/dataset/schema/reports.ts';
import { build } from '../../../src/job/build.ts';
import { binOf, binRange } from '../../../src/ledger/counts.ts';
import { PROFILE_LIMITS, ProfileCounter } from '../../../src/ledger/dataset-profile.ts';
import { readProfile } from '../../../src/report/read-profile.ts';
import { Problems } from '../../../src/verify/problems.ts';
import { ProfileRecount } from '../../../src/verify/profile-recount.ts';
import { verifyDataset } from '../../../src/verify/verify-dataset.ts';
import { formats } from '../../../transforms/formats/index.ts';
import { shortName } from '../../../transforms/formats/shape-counter.ts';
import { entryLine } from '../../support/build-logs.ts';
import { temporaryFolder } from '../../support/folder.ts';

const root = resolve(import.meta.dirname, '../../..');
const inputs = [join(root, 'examples/logs'), join(root, 'examples/dialects')];
const profileIn = (out: string): DatasetProfile =>
  JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8')).profile;

describe('bins', () => {
  test('each number is in the bin with its range, and bins are contiguous', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 50 }), (value) => {
        const [from, to] = binRange(binOf(value));
        expect(from <= value && value <= to).toBe(true);
        expect(binOf(from)).toBe(binOf(to));
        expect(binOf(to + 1)).toBe(binOf(to) + 1);
      }),
    );
  });

  test('are single numbers up to 7, then four to an octave', () => {
    expect([...Array(13).keys()].map((bin) => binRange(bin)[0])).toEqual([
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16],
    ]);
  });
});

describe('the list of sources', () => {
  const line = fc.record({
    source: fc.string({
      minLength: 1,
      maxLength: 3,
      unit: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
    }),
    lines: fc.integer({ min: 0, max: 3 }),
    rejected: fc.integer({ min: 0, max: 2 }),
    size: fc.constant(7),
  });

  test('has the sources with most rejected lines, then with most lines, in any order of arrival', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(line, { minLength: 100, maxLength: 260, selector: ({ source }) => source }),
        (sources) => {
          const counter = new ProfileCounter('date');
          for (const { source, lines, rejected, size } of sources)
            counter.source({
              ...{ source, status: 'read', lines, size },
              fates: { superseded: lines, 'rejected:bad-json': rejected, 'rejected:bad-messages': 1 },
            });
          const ranked = sources.toSorted(
            (a, b) => b.rejected - a.rejected || b.lines - a.lines || (a.source < b.source ? -1 : 1),
          );
          expect(counter.take().sources).toEqual(
            ranked.slice(0, PROFILE_LIMITS.sources).map(({ source, lines, rejected, size }) => ({
              ...{ source, lines, size },
              fates: { rejected: rejected + 1, ...(lines > 0 && { superseded: lines }) },
            })),
          );
        },
      ),
    );
  });
});

/** Counts messages and calls of chat records without the code under test. */
function countedIn(data: string): { messages: number; calls: number } {
  const texts = readdirSync(data).map((name) => readFileSync(join(data, name), 'utf8'));
  const lines = texts.flatMap((text) => text.trimEnd().split('\n'));
  const messages = lines.flatMap((line) => JSON.parse(line).messages as { tool_calls?: unknown[] }[]);
  const calls = messages.reduce((sum, { tool_calls: list = [] }) => sum + list.length, 0);
  expect(calls).toBeGreaterThan(50);
  return { messages: messages.length, calls };
}

describe('the counts of a build', () => {
  test.each([
    ...formats.map(({ name }) => [name, [name], 'none'] as const),
    ['chat and trl', ['chat', 'trl'], 'none'] as const,
    ['trl and chat', ['trl', 'chat'], 'gzip'] as const,
    ['session traces, packed', ['sts'], 'gzip'] as const,
  ])('match the files: %s', async (name, format, compress) => {
    const out = join(temporaryFolder(), 'out');
    await build({ inputs, out, format, compress });
    const profile = profileIn(out);
    expect(profile).toEqual(await readProfile(out, readManifest(out)));
    if (name === 'chat') expect(profile.records).toMatchObject(countedIn(join(out, 'data')));
  });

  test('count the conversations of each model', async () => {
    const out = join(temporaryFolder(), 'out');
    await build({ inputs: inputs.slice(1), out, format: ['chat', 'trl'] });
    const profile = profileIn(out);
    const counts: Record<string, number> = {};
    for (const line of readFileSync(join(out, 'ledger/sessions.jsonl'), 'utf8').trimEnd().split('\n')) {
      const { fate, model } = JSON.parse(line);
      if (fate === 'written' && model !== undefined) counts[model] = (counts[model] ?? 0) + 1;
    }
    expect(profile.records).toMatchObject({ models: counts, model_count: Object.keys(counts).length });
    expect(profile).toEqual(await readProfile(out, readManifest(out)));
    expect((await verifyDataset(out)).problems).toEqual([]);
    expect(counts.m).toBeGreaterThan(8);
    const page = readFileSync(join(out, 'reports/index.html'), 'utf8').replaceAll('\u00a0', ' ');
    expect(page).toContain(`<p>By model: m ${counts.m}, `);
  });

  test('match the files: decks of samples', async () => {
    const out = join(temporaryFolder(), 'out');
    await build({ inputs, out, format: ['samples'], formatOptions: { as: 'toml' } });
    expect(readdirSync(join(out, 'data'))).toContainEqual(expect.stringMatching(/\.toml$/));
    expect(profileIn(out)).toEqual(await readProfile(out, readManifest(out)));
  });

  test('count records that equal an earlier one, in any order and with any number of workers', async () => {
    const folder = temporaryFolder();
    const [cat, dog, cow] = ['cat', 'dog', 'cow'].map((text) =>
      entryLine({ messages: [{ role: 'user', content: text }] }),
    );
    const logs = join(folder, 'logs');
    mkdirSync(logs);
    // three cats and two dogs; `cow` is as long as they are
    for (const [i, line] of [cat, dog, cow, cat, dog, cat].entries())
      writeFileSync(join(logs, `${i}.jsonl`), `${line}\n`);
    for (const workers of [1, 3]) {
      const out = join(folder, `out-${workers}`);
      await build({ inputs: [logs], out, workers, format: ['trl', 'chat'] });
      expect(profileIn(out).records.repeated).toBe(3);
      expect(profileIn(out)).toEqual(await readProfile(out, readManifest(out)));
      expect((await verifyDataset(out)).problems).toEqual([]);
      writeFileSync(join(logs, '6.jsonl'), `${cow}\n`);
      await build({ inputs: [logs], out, workers, format: ['trl', 'chat'], update: true });
      expect(profileIn(out).records.repeated).toBe(4);
      rmSync(join(logs, '6.jsonl'));
    }
  });

  test('are the same bytes with any number of workers and after an update, as is the page', async () => {
    const folder = temporaryFolder();
    const filesOf = async (name: string, settings: object): Promise<readonly string[]> => {
      const out = join(folder, name);
      await build({ inputs, out, ...settings });
      return ['summary.json', 'index.html'].map((file) => readFileSync(join(out, 'reports', file), 'utf8'));
    };
    const one = await filesOf('one', { workers: 1 });
    expect(await filesOf('two', { workers: 2 })).toEqual(one);
    expect(await filesOf('four', { workers: 4 })).toEqual(one);
    await build({ inputs: [inputs[0] as string], out: join(folder, 'part') });
    rmSync(join(folder, 'one'), { recursive: true });
    await build({ inputs: [inputs[0] as string], out: join(folder, 'one') });
    const alone = readFileSync(join(folder, 'one/reports/index.html'), 'utf8');
    expect(await filesOf('part', { inputs: [inputs[0]], update: true, checksum: true })).toContain(alone);
  });
});

test('profiles of parts add up to that of the whole, also beyond their limits', () => {
  const name = fc.integer({ min: 0, max: 60 }).map((n) => `n${n}`);
  const counts = fc.dictionary(name, fc.integer({ min: 1, max: 9 }), { maxKeys: 12 });
  const source = fc.record({
    ...{ name, dialect: fc.option(name, { nil: undefined }), model: fc.option(name, { nil: undefined }) },
    ...{ roles: counts, calls: counts, bytes: fc.nat(9000), lines: fc.nat(2) },
    fate: fc.constantFrom('written', 'empty', 'contained', 'rejected:x'),
    branches: fc.nat(2),
  });
  type Source = typeof source extends fc.Arbitrary<infer T> ? T : never;
  const see = (counter: ProfileCounter, { name, fate, bytes, roles, calls, model, ...one }: Source): void => {
    counter.record(new Uint8Array(bytes), { shape: { roles, calls } });
    for (let i = 0; i <= one.branches; i++) {
      const line = { entries: 1, superseded: 0, truncated: 0, changes: {}, tools: null };
      counter.session({ ...line, id: i === 0 ? 's' : `s#${i}`, source: name, fate, model }, name);
    }
    const { dialect, lines } = one;
    counter.source({ source: name, status: 'read', dialect, lines, size: bytes, fates: { [fate]: lines } });
  };
  const parts = fc.array(fc.array(source, { maxLength: 40 }), { maxLength: 8 });
  let overflows = 0;
  fc.assert(
    fc.property(parts, (all) => {
      const whole = new ProfileCounter('scenario');
      for (const one of all.flat()) see(whole, one);
      const added = new ProfileCounter('scenario');
      for (const part of all) {
        const counter = new ProfileCounter('scenario', false);
        for (const one of part) see(counter, one);
        added.add(JSON.parse(JSON.stringify(counter.counts())));
      }
      const wanted = whole.take();
      if ('other' in wanted.records.roles) overflows++;
      expect(added.take()).toEqual(wanted);
    }),
  );
  expect(overflows).toBeGreaterThan(0);
});

describe('a profile', () => {
  const session = (source: string, fate: string): SessionLine => ({
    ...{ id: 'x', source, fate, entries: 1, superseded: 0, truncated: 0, changes: {}, tools: null },
  });

  test('bounds its lists and counts the rest', () => {
    const counter = new ProfileCounter('date');
    for (let i = 0; i < 300; i++) {
      const source = { uri: `${'long'.repeat(200)}${i}.jsonl` };
      const error = { code: 'x', message: 'm'.repeat(9000) };
      counter.quarantined({
        v: 2,
        scope: 'line',
        reason: `r${i % 40}`,
        stage: 'parse',
        source,
        line: i,
        error,
      });
      counter.finding({
        severity: 'ERROR',
        rule: `f${i % 40}`,
        session: 's',
        source: 'a',
        entry: 1,
        message: 'x',
      });
      counter.source({ source: `${i}.jsonl`, status: 'read', lines: 1, fates: { 'rejected:x': i } });
      const day = new Date(i * 86_400_000).toISOString().slice(0, 10);
      counter.session(session(`${day}/a.jsonl`, 'empty'), undefined);
      counter.record(new Uint8Array(10), {
        shape: { roles: { [`role${i}`]: 1 }, calls: { [`tool${i}`]: 1 } },
      });
    }
    const profile = counter.take();
    expect(profile.rejections).toHaveLength(PROFILE_LIMITS.reasons);
    expect(profile.rejections[0]?.examples).toHaveLength(PROFILE_LIMITS.examples);
    expect(profile.rejections[0]?.examples[0]?.message.length).toBeLessThanOrEqual(240);
    expect(profile.rejections[0]?.examples[0]?.source.length).toBeLessThanOrEqual(120);
    expect(profile.findings).toHaveLength(PROFILE_LIMITS.reasons);
    expect(profile.sources).toHaveLength(PROFILE_LIMITS.sources);
    expect(profile.sources[0]?.fates).toEqual({ rejected: 299 });
    expect(profile.groups).toHaveLength(PROFILE_LIMITS.groups);
    expect(profile.groups.at(-1)?.group).toBe('1970-10-27');
    expect(profile.group_count).toBe(300);
    expect(profile.records).toMatchObject({ messages: 300, calls: 300, tool_count: 300 });
    expect(Object.keys(profile.records.roles)).toHaveLength(32);
    expect(profile.records.roles.other).toBe(269);
    expect(Object.keys(profile.records.tools)).toHaveLength(PROFILE_LIMITS.tools);
  });

  test('counts a rejected session of a dated folder for its day, and one without a date for none', () => {
    const counter = new ProfileCounter('date');
    counter.session(session('2026-01-13/a.jsonl', 'rejected:x'), undefined);
    counter.session(session('a/2026-01-13.jsonl', 'rejected:x'), undefined);
    counter.session(session('b.jsonl', 'written'), '2026-01-13');
    expect(counter.take().groups).toEqual([
      { group: '2026-01-13', written: 1, empty: 0, rejected: 1 },
      { group: 'conversations', written: 0, empty: 0, rejected: 1 },
    ]);
  });

  test('counts the further branches of a session, and verify counts the same', () => {
    const branchesOf = (...places: readonly (readonly [source: string, id: string | null])[]) => {
      const counter = new ProfileCounter('date');
      const recount = new ProfileRecount('chat');
      for (const [source, id] of places) {
        const line = { ...session(source, 'written'), id };
        counter.session(line, 'g');
        recount.session({ ...line });
      }
      const profile = counter.take();
      const problems = new Problems();
      recount.compare(profile as never, problems);
      expect(problems.kept.filter(({ message }) => message.includes('branches'))).toEqual([]);
      return profile.branches;
    };
    const ofOne = (...ids: readonly (string | null)[]) => branchesOf(...ids.map((id) => ['a', id] as const));
    expect(ofOne('x', 'x#2', 'x#3', 'y', 'y#2')).toBe(3);
    expect(ofOne('x', 'x/agent', 'x/agent#2')).toBe(1);
    expect(ofOne('x#2', 'x#2#2', 'x#2#3')).toBe(2);
    expect(ofOne('', '#2')).toBe(1);
    for (const ids of [
      ['x#1', 'x#2', 'x#3'],
      ['x', 'x#1', 'x#02', 'x#', 'x#2a', 'x2', 'x#1000000'],
      [null, '#2'],
      ['x', 'y', 'x#2'],
      ['x', 'x'],
    ])
      expect(ofOne(...ids), String(ids)).toBeUndefined();
    expect(branchesOf(['a', 'x'], ['b', 'x#2'])).toBeUndefined();
  });

  test('cuts a long name in the middle and never splits a surrogate pair', () => {
    const cut = shortName(`${'😀'.repeat(100)}end`);
    expect(cut.length).toBeLessThanOrEqual(120);
    expect(/\p{Surrogate}/u.test(cut)).toBe(false);
    expect(cut).toMatch(/^😀.*…😀*end$/u);
  });
});
