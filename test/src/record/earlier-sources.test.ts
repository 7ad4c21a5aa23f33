/** Findings about what an earlier source has too. Their rules have whole runs in test/src/cli/. */
import { expect, test } from 'vitest';
import type { Listing, SourceRef } from '../../../src/input/sources/source.ts';
import type { SessionReport } from '../../../src/ledger/result.ts';
import { EarlierSources, seenSession } from '../../../src/record/earlier-sources.ts';
import { session } from '../../support/results.ts';

const LISTING: Listing = {
  sources: ['a', 'b', 'c'].map((name) => ({ name, input: 0, path: `/absent/${name}`, sizeBytes: 1 })),
  skipped: [],
  passedOver: {},
  extensions: {},
};
/** Compares a session of a source with those before it. */
function see(earlier: EarlierSources, source: number, report: SessionReport): void {
  const seen = seenSession(report, LISTING.sources.at(source) as SourceRef);
  if (seen !== undefined) earlier.see(source, seen);
}
const at = (line: number) => ({ snapshot: { line, offset: 0, length: 1 } });
const copied = {
  ...{ kind: 'finding', severity: 'WARNING', rule: 'copied-history', acrossSources: true },
  message: 'the first message of the conversation is in an earlier source too: a',
};

test('each conversation with the root of an earlier source is a finding that names the first one', () => {
  const earlier = new EarlierSources(LISTING);
  see(earlier, 0, session('s', { root: 'r', ...at(1) }));
  see(earlier, 0, session('s#2', { root: 'r', ...at(2) }));
  expect(earlier.take()).toEqual([]);
  for (const source of [1, 2]) {
    see(earlier, source, session(`t${source}`, { root: 'r', ...at(3) }));
    see(earlier, source, session(`t${source}#2`, { root: 'r', ...at(4) }));
    see(earlier, source, session(`other${source}`, { root: `r${source}`, ...at(5) }));
    expect(earlier.take()).toEqual([
      { ...copied, sessionId: `t${source}`, line: 3 },
      { ...copied, sessionId: `t${source}#2`, line: 4 },
    ]);
  }
});

test('roots and session ids are independent', () => {
  const earlier = new EarlierSources(LISTING);
  see(earlier, 0, session('x', { root: 'y', ...at(1) }));
  see(earlier, 1, session('y', { root: 'x', ...at(1) }));
  expect(earlier.take()).toEqual([]);
  see(earlier, 2, session('x', { root: 'y', ...at(1) }));
  expect(earlier.take().map(({ rule }) => rule)).toEqual(['session-in-parts', 'copied-history']);
});

test('after a thousand findings in a source, one more counts the rest', () => {
  const earlier = new EarlierSources(LISTING);
  for (const source of [0, 1])
    for (let i = 0; i < 1005; i++)
      see(earlier, source, session(`${source} ${i}`, { root: `r${i}`, ...at(i + 1) }));
  const found = earlier.take();
  expect(found).toHaveLength(1001);
  expect(found.at(-1)).toEqual({
    ...{ ...copied, sessionId: undefined, line: 1001 },
    message: '5 more conversations of the source have their first message in earlier sources too',
  });
  expect(earlier.take()).toEqual([]);
});
