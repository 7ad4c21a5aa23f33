/** Opening and framing sources, and which files are read whole. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UNWATCHED } from '../../../src/engine/instrument.ts';
import { MAX_DEATHS, SourceOpener } from '../../../src/engine/source-opener.ts';
import { createSlab } from '../../../src/input/framing/slab.ts';
import { listSources } from '../../../src/input/sources/list.ts';
import type { SourceRef } from '../../../src/input/sources/source.ts';
import { resolveSettings, type Settings } from '../../../src/settings/settings.ts';
import { temporaryFolder } from '../../support/folder.ts';

const TEXT = '{"a":1}\n';

interface Made {
  readonly opener: SourceOpener;
  readonly ref: SourceRef;
  readonly path: string;
}

function openerOver(name: string, given: Partial<Settings> = {}): Made {
  const folder = temporaryFolder();
  const path = join(folder, name);
  writeFileSync(path, TEXT);
  const settings = resolveSettings({ inputs: [folder], out: undefined, ...given });
  const slab = createSlab();
  const opener = new SourceOpener({
    ...{ settings, slab, watch: UNWATCHED, signal: undefined },
    upcoming: () => [],
  });
  const [ref] = listSources([folder], settings.follow).sources as [SourceRef];
  return { opener, ref, path };
}

it('opens a source, and picks its framer', async () => {
  const { opener, ref } = openerOver('log.jsonl');
  const reader = await opener.open({ index: 0, ref });
  const { framer, isLines, read } = await opener.frame(reader, ref);
  const count = (await read(framer.space())) as number;
  const lines = [...framer.filled(count)];
  await reader.close();
  expect(isLines).toBe(true);
  expect(lines).toMatchObject([{ kind: 'line', origin: { line: 1, offset: 0 } }]);
});

it('refuses a source that killed too many worker threads, with their causes', () => {
  const { opener, ref } = openerOver('log.jsonl');
  const deaths = Array.from({ length: MAX_DEATHS }, (_, i) => (i === 0 ? 'out of memory' : 'crash'));
  expect(() => opener.open({ index: 0, ref, deaths })).toThrow(
    `${MAX_DEATHS} worker threads died while reading it: out of memory, crash`,
  );
});

describe('reads whole', () => {
  it('a small plain file', () => {
    const { opener, ref } = openerOver('log.jsonl');
    expect(Buffer.from(opener.readSmall(ref)?.bytes ?? []).toString()).toBe(TEXT);
  });

  it.each<[string, string, Partial<Settings>]>([
    ['a document', 'log.json', {}],
    ['a packed file', 'log.jsonl.gz', {}],
    ['a file whose checksum is wanted', 'log.jsonl', { checksum: true, update: true, out: 'out' }],
    ['a file that may hold a line that is too long', 'log.jsonl', { maxLine: TEXT.length }],
  ])('not %s', (_what, name, settings) => {
    const { opener, ref } = openerOver(name, settings);
    expect(opener.readSmall(ref)).toBeUndefined();
  });

  it('not a file that changed after it was listed', () => {
    const { opener, ref, path } = openerOver('log.jsonl');
    appendFileSync(path, TEXT);
    expect(opener.readSmall(ref)).toBeUndefined();
  });
});
