/** `--max-part` replaces images that are too long, in the logs of any dialect, and decides which datasets may be updated. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';

const IMAGE = Buffer.from(Array.from({ length: 1_500_000 }, (_, i) => (i * 7 + (i >> 8)) % 251));
const BASE64 = IMAGE.toString('base64');
const URL = `data:image/png;base64,${BASE64}`;
const sum = createHash('sha256').update(IMAGE).digest('hex');
const PART = `{"type":"text","text":"[part-too-big: image/png, 1500000 bytes, SHA-256 ${sum}]"}`;
const LOGGED = `{"type":"image_url","image_url":{"url":"${URL}"}}`;

const question = { role: 'user', content: 'Is the garden in flower?' };
const answer = { role: 'assistant', content: 'It is.' };
const call = { id: 'c1', type: 'function', function: { name: 'photograph', arguments: '{}' } };
const pictured = [
  question,
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'c1', content: [{ type: 'image_url', image_url: { url: URL } }] },
];
const tools = [{ type: 'function', function: { name: 'photograph', parameters: { type: 'object' } } }];

const event = (uuid: string, parentUuid: string | null, message: { readonly role: string }): string =>
  JSON.stringify({ uuid, parentUuid, sessionId: 's', type: message.role, message });
const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: BASE64 } };

const LOGS: Readonly<Record<string, string>> = {
  exchange: JSON.stringify({
    timestamp: '2026-01-13T08:00:00Z',
    session_id: 's',
    request: { messages: pictured, tools },
    response: { choices: [{ message: answer }] },
  }),
  messages: JSON.stringify({ messages: [...pictured, answer], tools }),
  'claude-code': [
    event('1', null, question),
    event('2', '1', {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'c1', name: 'photograph', input: {} }],
    } as never),
    event('3', '2', {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c1', content: [block] }],
    } as never),
    event('4', '3', { ...answer, content: [{ type: 'text', text: answer.content }] } as never),
  ].join('\n'),
};

interface Summary {
  readonly rewrites: Readonly<Record<string, number>>;
  readonly findings: Readonly<Record<string, number>>;
}

/** Writes the log of a dialect and builds it. */
async function built(dialect: string, ...args: readonly string[]) {
  const folder = temporaryFolder();
  const [log, out] = [join(folder, 's.jsonl'), join(folder, 'out')];
  writeFileSync(log, `${LOGS[dialect]}\n`);
  const again = async (...more: readonly string[]) => {
    const run = await turnmill(['build', log, '--group-by', 'none', '--workers', '1', ...more]);
    expect(run.status, run.stderr).toBe(0);
    const read = (path: string): string => readFileSync(join(out, path), 'utf8');
    const summary: Summary = JSON.parse(read('reports/summary.json'));
    return {
      ...run,
      record: read('data/conversations-00000.jsonl'),
      found: read('reports/integrity.jsonl'),
      summary,
    };
  };
  return { out, again, ...(await again('--out', out, ...args)) };
}

test.each(Object.keys(LOGS))('an image of 1.5 MB in a log of %s', async (dialect) => {
  const whole = await built(dialect, '--max-part', '0');
  expect(whole.record.split(LOGGED)).toHaveLength(2);
  expect(whole.summary.rewrites).not.toHaveProperty('part-too-big');
  const { record, summary, found, out } = await built(dialect);
  expect(record).toBe(whole.record.replace(LOGGED, () => PART));
  expect(summary.rewrites).toEqual({ ...whole.summary.rewrites, 'part-too-big': 1 });
  expect(summary.findings).toEqual({ ...whole.summary.findings, 'part-too-big': 1 });
  const finding = found.split('\n').find((line) => line.includes('"part-too-big"'));
  expect(JSON.parse(finding ?? '')).toMatchObject({
    rule: 'part-too-big',
    severity: 'WARNING',
    message:
      'messages[2]: content[0]: 1500000 bytes of data (image/png) are replaced by their SHA-256 (--max-part)',
  });
  expect((await turnmill(['verify', out])).status).toBe(0);
});

test('another limit reuses nothing', async () => {
  const { again, out, record } = await built('exchange');
  expect((await again('--update', out)).stderr).not.toContain('other settings');
  const changed = await again('--update', out, '--max-part', '3MiB');
  expect(changed.stderr).toContain('built with other settings: maxPart: everything is read again');
  expect(changed.record).toBe(record.replace(PART, () => LOGGED));
  expect(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).settings.maxPart).toBe(3 * 1024 * 1024);
});

test('--max-part takes a size', async () => {
  const { status, stderr } = await turnmill(['build', 'x', '--out', '-', '--max-part', 'none']);
  expect(status).toBe(64);
  expect(stderr).toContain("--max-part: 'none' is not a size: write 1GiB, 100MB, 512k or a number of bytes");
});
