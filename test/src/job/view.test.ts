/** The viewer reads the lines of a dataset with the settings of its manifest. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openView } from '../../../src/job/view.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

const IMAGE = {
  type: 'image_url',
  image_url: { url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB' },
};

async function changesWith(...flags: readonly string[]): Promise<string> {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const path = writeLog(folder, 'a.jsonl', [entry({ messages: [{ role: 'user', content: [IMAGE] }] })]);
  expect((await turnmill(['build', path, '--out', out, ...flags])).status).toBe(0);
  const { viewed, close } = await openView({ target: out, logs: [path] });
  onTestFinished(close);
  const ref = { name: 'a.jsonl', input: 0, path, sizeBytes: 0 };
  return JSON.stringify(await viewed.changesOf?.(ref, 1, 0));
}

test('shows a change that a limit made', async () => {
  expect(await changesWith('--max-part', '10')).toContain('part-too-big');
  expect(await changesWith()).not.toContain('part-too-big');
});

test('ignores settings of formats and of runs', async () => {
  const flags = ['--max-part', '10', '--format', 'openai', '--on-finding', 'no-answer=keep', '--limit', '1'];
  expect(await changesWith(...flags)).toContain('part-too-big');
});
