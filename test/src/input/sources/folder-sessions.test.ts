import { mkdirSync, readFileSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../../src/input/decompress/limits.ts';
import { parseFingerprint, sizeInIdentity } from '../../../../src/input/fingerprint.ts';
import { openSource } from '../../../../src/input/open-source.ts';
import { type FolderSessions, joinFolders } from '../../../../src/input/sources/folder-sessions.ts';
import { listSources } from '../../../../src/input/sources/list.ts';
import type { SourceRef } from '../../../../src/input/sources/source.ts';
import { fingerprintIfUnchanged } from '../../../../src/input/unchanged.ts';
import { temporaryFolder } from '../../../support/folder.ts';

/** Makes a folder of files that are old enough for their times to identify them. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
  }
  return folder;
}

const joined = (folder: string, sessionBy?: FolderSessions): readonly SourceRef[] => [
  ...joinFolders(listSources([folder]), [folder], sessionBy).sources,
];

async function contentOf(ref: SourceRef, roomBytes = 7): Promise<string> {
  const reader = await openSource(ref, UNLIMITED);
  const pieces: Buffer[] = [];
  try {
    for (;;) {
      const room = Buffer.alloc(roomBytes);
      const count = await reader.read(room);
      if (count === 0) break;
      pieces.push(room.subarray(0, count));
    }
    reader.verify();
    expect(reader.readBytes()).toBe(sizeInIdentity(reader.identity as string));
    return Buffer.concat(pieces).toString();
  } finally {
    await reader.close();
  }
}

describe('folders that are sessions', () => {
  it('joins only event files, in the order of their numbers', () => {
    const folder = folderWith({
      'a/events/10.json': '{}',
      'a/events/2.json': '{}',
      'a/another.json': '{}',
      'b/event-00001-x.json': '{}',
      'b/event-00000-y.json': '{}',
      'c/2.json': '{}',
    });
    expect(joined(folder).map(({ name, parts }) => [name, parts?.map((part) => part.name)])).toEqual([
      ['a/another.json', undefined],
      ['a/events', ['a/events/2.json', 'a/events/10.json']],
      ['b', ['b/event-00000-y.json', 'b/event-00001-x.json']],
      ['c/2.json', undefined],
    ]);
  });

  it('joins every folder on request, and none with --session-by file or id', () => {
    const folder = folderWith({ 'c/2.json': '{}', 'c/1.jsonl': '{}', 'c/3.jsonl.gz': 'x', 'd.json': '{}' });
    const name = folder.slice(folder.lastIndexOf('/') + 1);
    expect(
      joined(folder, 'folder')
        .map((ref) => ref.name)
        .sort(),
    ).toEqual(['c', name].sort());
    for (const sessionBy of ['file', 'id'] as const) expect(joined(folder, sessionBy)).toHaveLength(4);
    const file = join(folder, 'd.json');
    expect(joinFolders(listSources([file]), [file], 'folder').sources.at(0)?.parts).toBeUndefined();
  });

  it('recognises an event folder that is the input itself', () => {
    const folder = join(folderWith({ 'events/0.json': '{}' }), 'events');
    for (const input of [folder, `${folder}/`])
      expect(joined(input)).toMatchObject([{ name: 'events', parts: [{ name: '0.json' }] }]);
  });

  it('yields one line for each document, whatever the size of the reads', async () => {
    const folder = folderWith({
      'events/0.json': '{\n  "a": "x\\"\\\\",\r\n  "b": [1]\n}\n',
      'events/1.json': '',
      'events/2.json': '{"cut": "in\na string',
      'events/3.json': '{}',
    });
    const [ref] = joined(folder) as [SourceRef];
    const whole = '{   "a": "x\\"\\\\",    "b": [1] } \n\n{"cut": "in\na string\n{}';
    for (const roomBytes of [1, 2, 7, 4096]) expect(await contentOf(ref, roomBytes)).toBe(whole);
    expect(ref.sizeBytes).toBe(whole.length);
  });

  it('keeps the line feeds of files of lines', async () => {
    const folder = folderWith({ 'c/1.jsonl': '{}\n{}', 'c/2.jsonl': '{}\n' });
    expect(await contentOf(joined(folder, 'folder')[0] as SourceRef)).toBe('{}\n{}\n{}\n');
  });

  it('decompresses files', async () => {
    const folder = folderWith({ 'events/0.json': '{\n"a":0}', 'events/2.json': '{}' });
    writeFileSync(join(folder, 'events/1.json.gz'), gzipSync('{\n"a":1}'));
    const [ref] = joined(folder) as [SourceRef];
    expect(ref.parts).toHaveLength(3);
    for (const roomBytes of [1, 4096]) {
      const reader = await openSource(ref, UNLIMITED);
      const room = Buffer.alloc(roomBytes);
      let text = '';
      for (let n = await reader.read(room); n > 0; n = await reader.read(room))
        text += room.toString('utf8', 0, n);
      expect(text).toBe('{ "a":0}\n{ "a":1}\n{}');
      expect(reader.readBytes()).toBe(text.length);
      reader.verify();
      await reader.close();
    }
  });

  it('reports a damaged compressed file', async () => {
    const folder = folderWith({ 'events/0.json': '{}' });
    writeFileSync(join(folder, 'events/1.json.gz'), gzipSync('{"a":1}').subarray(0, -4));
    const reader = await openSource(joined(folder)[0] as SourceRef, UNLIMITED);
    await expect(
      (async () => {
        while ((await reader.read(Buffer.alloc(99))) > 0);
      })(),
    ).rejects.toMatchObject({
      reason: 'corrupt-gzip',
      message: expect.stringMatching(/^events\/1\.json\.gz: /),
    });
    await reader.close();
  });

  it('has another fingerprint when a file changes, is added or is removed', async () => {
    const folder = folderWith({ 'events/0.json': '{}', 'events/1.json': '{}' });
    const [ref] = joined(folder) as [SourceRef];
    const reader = await openSource(ref, UNLIMITED);
    const { identity } = reader;
    expect(identity).toMatch(/^dir:[0-9a-f]{64}:5$/);
    expect(parseFingerprint(identity as string)).toMatchObject({
      sizeBytes: 5,
      isSettled: true,
      provesContent: false,
    });
    expect(fingerprintIfUnchanged(ref, identity as string)).toBe(identity);
    expect(fingerprintIfUnchanged(ref, identity as string, true)).toBeUndefined();
    writeFileSync(join(folder, 'events/2.json'), '{}');
    expect(fingerprintIfUnchanged(joined(folder)[0] as SourceRef, identity as string)).toBeUndefined();
    writeFileSync(join(folder, 'events/1.json'), '[]');
    expect(() => reader.verify()).toThrow('written to');
    await reader.close();
    unlinkSync(join(folder, 'events/1.json'));
    expect(fingerprintIfUnchanged(ref, identity as string)).toBeUndefined();
    expect(() => openSource(ref, UNLIMITED)).toThrow('ENOENT');
  });

  it('has no fingerprint while a late write could go unnoticed', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'events'));
    writeFileSync(join(folder, 'events/0.json'), '{}');
    const reader = await openSource(joined(folder)[0] as SourceRef, UNLIMITED);
    expect([reader.identity?.slice(0, 4), reader.fingerprint?.()]).toEqual(['dir:', undefined]);
    await reader.close();
    expect(readFileSync(join(folder, 'events/0.json'), 'utf8')).toBe('{}');
  });
});
