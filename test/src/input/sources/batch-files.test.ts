/** Which files of a folder are read together as one batch. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type FolderSessions, joinFolders } from '../../../../src/input/sources/folder-sessions.ts';
import { listSources } from '../../../../src/input/sources/list.ts';
import type { SourceRef } from '../../../../src/input/sources/source.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const request = '{"custom_id": "a", "method": "POST", "url": "/v1", "body": {"messages": []}}\n';
const answer = '{"id":"r","custom_id":"a","response":{"body":{}},"error":null}\n';
const params = '{"custom_id":"a","params":{"messages":[]}}\n';
const result = '{"custom_id":"a","result":{"type":"succeeded"}}\n';

/** Sources of a folder, as lists of their files. */
function sourcesOf(
  files: Readonly<Record<string, string | Buffer>>,
  sessionBy?: FolderSessions,
): Readonly<Record<string, readonly string[] | undefined>> {
  const folder = join(temporaryFolder(), 'logs');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const { sources } = joinFolders(listSources([folder]), [folder], sessionBy);
  return Object.fromEntries(
    Array.from(sources, ({ name, parts }) => [name, parts?.map((part) => part.name)]),
  );
}

describe('requests and answers in a folder', () => {
  it('are one source that is named after the folder', () => {
    expect(sourcesOf({ 'batch_input.jsonl': request, 'batch_output.jsonl': answer })).toEqual({
      logs: ['batch_input.jsonl', 'batch_output.jsonl'],
    });
    expect(sourcesOf({ 'b/requests.jsonl': params, 'b/msgbatch_1_results.jsonl': result })).toEqual({
      b: ['b/msgbatch_1_results.jsonl', 'b/requests.jsonl'],
    });
  });

  it('are recognised by their content, and other logs stay separate sources', () => {
    const log = '{"timestamp":1,"session_id":"s","request":{"messages":[]}}\n';
    expect(
      sourcesOf({
        'batch_1.jsonl': request,
        'batch_2.jsonl': answer,
        'batch_output.jsonl': log,
        'a.jsonl': log,
      }),
    ).toEqual({
      'a.jsonl': undefined,
      'batch_output.jsonl': undefined,
      logs: ['batch_1.jsonl', 'batch_2.jsonl'],
    });
  });

  it('include both answers and errors', () => {
    expect(
      sourcesOf({
        'in_requests.jsonl': request,
        'batch_9_output.jsonl': answer,
        'batch_9_error.jsonl': answer,
      }),
    ).toEqual({ logs: ['batch_9_error.jsonl', 'batch_9_output.jsonl', 'in_requests.jsonl'] });
  });

  it('are matched by name when there are several batches', () => {
    expect(
      sourcesOf({
        'input_x.jsonl': request,
        'input_y.jsonl': request,
        'output_x.jsonl': answer,
        'output_y.jsonl': answer,
        'output_z.jsonl': answer,
      }),
    ).toEqual({
      input_x: ['input_x.jsonl', 'output_x.jsonl'],
      input_y: ['input_y.jsonl', 'output_y.jsonl'],
      'output_z.jsonl': undefined,
    });
  });

  it('may be packed with gzip, and are then recognised by their unpacked beginning', () => {
    const long = `${request}{"note": "${randomBytes(20_000).toString('hex')}"}\n`;
    const packed = { 'input.jsonl.gz': gzipSync(long), 'results.jsonl.gz': gzipSync(answer) };
    expect(Object.keys(sourcesOf(packed))).toEqual(['logs']);
    const other = { 'batch_input.jsonl.gz': gzipSync('{"messages":[]}'), 'results.jsonl': answer };
    expect(Object.keys(sourcesOf(other))).toHaveLength(2);
    const damaged = { 'input.jsonl.gz': Buffer.from('not packed'), 'results.jsonl': answer };
    expect(Object.keys(sourcesOf(damaged))).toHaveLength(2);
  });

  it('are recognised by their names when zstd packed them', () => {
    const bytes = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
    expect(Object.keys(sourcesOf({ 'batch_input.jsonl.zst': bytes, 'output.jsonl': answer }))).toEqual([
      'logs',
    ]);
    expect(Object.keys(sourcesOf({ 'input.jsonl.zst': bytes, 'output.jsonl': answer }))).toHaveLength(2);
  });

  it('are joined with --session-by folder whatever their names are, packed or not', () => {
    const packed = { 'b/monday.jsonl.gz': gzipSync(request), 'b/file-a1.jsonl.gz': gzipSync(answer) };
    expect(Object.keys(sourcesOf(packed))).toHaveLength(2);
    expect(sourcesOf(packed, 'folder')).toEqual({ b: ['b/file-a1.jsonl.gz', 'b/monday.jsonl.gz'] });
    expect(Object.keys(sourcesOf({ 'monday.jsonl': request, 'a1.jsonl': answer }, 'folder'))).toEqual([
      'logs',
    ]);
  });

  it('stay separate without their counterpart, and with --session-by file or id', () => {
    expect(
      Object.keys(sourcesOf({ 'batch_1_output.jsonl': answer, 'batch_2_output.jsonl': answer })),
    ).toHaveLength(2);
    for (const by of ['file', 'id'] as const)
      expect(
        Object.keys(sourcesOf({ 'batch_input.jsonl': request, 'batch_output.jsonl': answer }, by)),
      ).toHaveLength(2);
  });
});

describe('a folder of very many files', () => {
  it('is listed without a spread of 200,000 files, which would overflow the stack', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'log.jsonl'), request);
    const listing = listSources([folder]);
    const [one] = listing.sources;
    const sources = Array.from({ length: 200_000 }, (_, i) => ({
      ...(one as SourceRef),
      name: `${i}.jsonl`,
    }));
    expect(joinFolders({ ...listing, sources }, [folder], undefined).sources).toHaveLength(200_000);
  });
});
