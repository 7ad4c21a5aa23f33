import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UnlinkedFile } from '../../../src/dataset/unlinked-file.ts';
import { LineSorter, type LineSorterOptions } from '../../../src/engine/line-sorter.ts';
import type { SortKey } from '../../../src/engine/sorted-rows.ts';
import type { Line, StreamElement } from '../../../transforms/model/element.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { createDice } from '../../support/odd-logs/dice.ts';

interface Sample {
  readonly text: string;
  readonly key: SortKey;
}

const lineOf = (text: string, line: number, traits: Partial<Line> = {}): Line => ({
  ...{ kind: 'line', bytes: Buffer.from(text) },
  origin: { source: 's', line, offset: line * 100, length: text.length },
  ...traits,
});
const key = (session: number, seconds = 0, nanos = 0): SortKey => ({ session, seconds, nanos });
const roomFor = (bytes: number): Uint8Array => new Uint8Array(bytes);

let files = 0;

function sorterOf(options: Partial<LineSorterOptions> = {}): LineSorter {
  const folder = temporaryFolder();
  const openFile = (): UnlinkedFile => {
    files++;
    return new UnlinkedFile(join(folder, `rows-${files}`));
  };
  return new LineSorter({ source: 's', maxBytes: 1 << 20, openFile, ...options });
}

function sorted(samples: readonly Sample[], options?: Partial<LineSorterOptions>): readonly StreamElement[] {
  const sorter = sorterOf(options);
  for (const [i, sample] of samples.entries()) sorter.add(lineOf(sample.text, i + 1), sample.key);
  return [...sorter.sorted(roomFor)];
}

const shown = (elements: readonly StreamElement[]): readonly string[] =>
  elements.map((element) => (element.kind === 'line' ? Buffer.from(element.bytes).toString() : element.kind));

function samplesOf(seed: number, count: number): readonly Sample[] {
  const dice = createDice(seed, new Map());
  return Array.from({ length: count }, (_, i) => {
    const text = `${i} ${'x'.repeat(dice.int(dice.chance(0.05) ? 3000 : 40))}`;
    const seconds = dice.chance(0.1) ? Number.NEGATIVE_INFINITY : dice.int(4) - 2;
    return { text, key: key(dice.int(7), seconds, dice.int(3) - 1) };
  });
}

describe('lines', () => {
  it('come by session, then by time, then in the order of the source', () => {
    const samples = [
      { text: 'b2', key: key(1, 5, 2) },
      { text: 'a2', key: key(0, 9) },
      { text: 'b1', key: key(1, 5, 1) },
      { text: 'a0', key: key(0, Number.NEGATIVE_INFINITY) },
      { text: 'a1', key: key(0, -3) },
      { text: 'a3', key: key(0, 9) },
    ];
    expect(shown(sorted(samples))).toEqual(['a0', 'a1', 'a2', 'a3', 'b1', 'b2']);
  });

  it.each([1, 2, 3])('come in the same order with any limit of memory (seed %i)', (seed) => {
    const samples = samplesOf(seed, 1500);
    const expected = samples.toSorted(
      ({ key: a }, { key: b }) =>
        a.session - b.session || (a.seconds === b.seconds ? a.nanos - b.nanos : a.seconds - b.seconds),
    );
    for (const maxBytes of [1, 100, 1000, 20_000, 1 << 30]) {
      const before = files;
      expect(shown(sorted(samples, { maxBytes }))).toEqual(expected.map(({ text }) => text));
      // a single row per run needs more runs than are merged at once
      expect(files - before).toBe(maxBytes <= 100 ? 3 : maxBytes > 1e6 ? 0 : 1);
    }
  });

  it('keep their places and traits', () => {
    for (const maxBytes of [1, 1 << 20]) {
      const sorter = sorterOf({ maxBytes });
      const lines = [
        lineOf('one', 1),
        lineOf('two', 2, { isOpen: true }),
        lineOf('', 3, { beginsList: true }),
      ];
      const repair = {
        kind: 'repair',
        repair: 'json-document',
        origin: lineOf('', 4).origin,
        count: 1,
      } as const;
      for (const element of [...lines, repair]) sorter.add(element, key(0));
      const kept = [...sorter.sorted(roomFor)].map((one) =>
        one.kind === 'line' ? { ...one, bytes: Buffer.from(one.bytes) } : one,
      );
      expect(kept).toEqual([...lines, repair]);
    }
  });

  it('of a source that can be read again are not kept if they are long', () => {
    const texts = ['long '.repeat(400), 'short', 'also long '.repeat(300)];
    const source = Buffer.alloc(1000 + 4 * 4000);
    for (const maxBytes of [1, 1 << 20]) {
      const sorter = sorterOf({
        maxBytes,
        readAt: (position, room) => source.copy(room, 0, position, position + Math.min(room.length, 700)),
      });
      for (const [i, text] of texts.entries()) {
        const offset = i * 4000 + 7;
        source.write(text, offset);
        sorter.add(
          { ...lineOf(text, i + 1), origin: { source: 's', line: i + 1, offset, length: text.length } },
          key(-i),
        );
      }
      expect(shown([...sorter.sorted(roomFor)])).toEqual(texts.toReversed());
    }
  });

  it('of a source that has become shorter are a fault of the source', () => {
    const sorter = sorterOf({ readAt: () => 0 });
    sorter.add(lineOf('x'.repeat(2000), 1), key(0));
    expect(() => [...sorter.sorted(roomFor)]).toThrow('it ended before byte 2100');
  });
});

it('damage of the file is detected', () => {
  const file = new UnlinkedFile(join(temporaryFolder(), 'rows'));
  const sorter = sorterOf({ maxBytes: 1, openFile: () => file });
  sorter.add(lineOf('one', 1), key(0));
  sorter.add(lineOf('two', 2), key(0));
  const { read } = file;
  file.read = (position, into) => {
    read.call(file, position, into);
    into[into.length - 1] = 0;
  };
  expect(() => [...sorter.sorted(roomFor)]).toThrow('does not have the content that was written');
});
