/** A dialect whose documents hold many conversations in one member: its records, places and rejections. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';

const DIALECT = `export const dialects = [{
  name: 'evals', summary: 'Evaluations.', inside: 'samples', alone: true, keys: ['eval', 'q', 'a'],
  memory: () => ({ task: undefined }),
  detect: (first) => first.get('eval')?.type === 'object' && first.get('status') !== undefined,
  read(json, context, memory) {
    const head = json.get('eval');
    if (head !== undefined) {
      memory.task = head.get('task').text();
      return context.drop('document-head');
    }
    if (json.get('q') === undefined) return context.reject('bad-event', 'q is missing');
    return {
      sessionId: memory.task + '/' + json.get('id').text(),
      messages: [context.makeMessage('user', { content: json.get('q') })],
      reply: context.makeMessage('assistant', { content: json.get('a') }),
    };
  },
}];`;

it('reads the head first, then each conversation with its place', async () => {
  const root = temporaryFolder();
  const plugin = join(root, 'plug.mjs');
  writeFileSync(plugin, DIALECT);
  const log = join(root, 'log.json');
  const samples = ['{"id":"1","q":"One?","a":"1."}', '{"id":"2"}', '{"id":"3","q":"Three?","a":"3."}'];
  const text = `{"status":"ok","eval":{"task":"t"},\n"samples":[${samples.join(',\n')}],"stats":{"n":[1]}}\n`;
  writeFileSync(log, text);
  const out = join(root, 'out');
  const { status } = await turnmill(['build', log, '--out', out, '--plugin', plugin, '--group-by', 'none']);
  expect(status).toBe(3);
  const records = readFileSync(join(out, 'data/conversations-00000.jsonl'), 'utf8').trim().split('\n');
  expect(records.map((record) => JSON.parse(record).messages[0].content)).toEqual(['One?', 'Three?']);
  expect((await turnmill(['verify', out])).status).toBe(0);
  const { fates } = JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8'));
  expect(fates).toEqual({ snapshot: 2, 'dropped:document-head': 1, 'rejected:bad-event': 1 });
  const quarantined = readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8');
  const byte_start = text.indexOf(samples[1] as string);
  expect(JSON.parse(quarantined)).toMatchObject({ line: 3, byte_start, byte_end: byte_start + 10 });
});
