/** Calls that continue each other by id in a source that begins with a pair of chat completions: they are joined as they are read. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { explainLine } from '../../../src/job/explain.ts';
import { resolveSettings } from '../../../src/settings/settings.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';

const at = (second: number) => new Date(1_770_112_800_000 + second * 1000).toISOString();
const place = (second: number, session: string) => ({ session_id: session, timestamp: at(second) });
const chat = (second: number, session: string, turns: number) => ({
  ...place(second, session),
  request: {
    messages: Array.from({ length: turns }, (_, i) => ({
      ...{ role: i % 2 === 0 ? 'user' : 'assistant', content: `turn ${i}` },
    })),
  },
  response: { choices: [{ message: { role: 'assistant', content: `end of ${turns}` } }] },
});

interface More {
  readonly tool?: string;
  readonly instructions?: string;
  readonly status?: string;
}

/** A call that continues the one with the number `after`. Its number is its time. */
const call = (n: number, session: string, after: number | undefined, more: More = {}) => {
  const { tool, instructions, status = 'completed' } = more;
  const content = [{ type: 'output_text', text: `a${n}` }];
  return {
    ...place(n, session),
    request: {
      ...{ input: `q${n}`, instructions },
      ...(after !== undefined && { previous_response_id: `r${after}` }),
      ...(tool !== undefined && { tools: [{ type: 'function', name: tool, parameters: {} }] }),
    },
    response: {
      ...{ id: `r${n}`, object: 'response', status },
      output: status === 'completed' ? [{ type: 'message', role: 'assistant', content }] : [],
    },
  };
};
const chain = (from: number, to: number, session: string, more?: (n: number) => More) =>
  Array.from({ length: to - from }, (_, i) =>
    call(from + i, session, i === 0 ? undefined : from + i - 1, more?.(from + i)),
  );

const LOGS: Readonly<Record<string, readonly (object | string)[]>> = {
  'after a shorter pair': [chat(1, 's', 1), ...chain(2, 9, 's')],
  'after a longer pair': [chat(1, 's', 31), ...chain(2, 9, 's')],
  'with tools that change': [chat(1, 's', 1), ...chain(2, 9, 's', (n) => ({ tool: `t${n >> 1}` }))],
  'with a system text that changes': [
    chat(1, 's', 1),
    ...chain(2, 9, 's', (n) => ({ instructions: `s${n >> 2}` })),
  ],
  'with lines that are not JSON, blank ones and pairs between': [
    ...[chat(1, 's', 1), ...chain(2, 5, 's'), '{"torn":', '', call(6, 's', 4)],
    ...[chat(7, 's', 3), call(8, 's', 6), call(9, 's', 8), chat(10, 's', 25)],
  ],
  'with a branch, a repeated call and one that is not answered yet': [
    ...[chat(1, 's', 1), ...chain(2, 7, 's'), call(8, 's', 3), call(9, 's', 8), call(9, 's', 8)],
    ...[call(11, 's', 9, { status: 'in_progress' }), call(12, 's', 9)],
  ],
  'whose times do not increase': [chat(1, 's', 1), ...chain(5, 9, 's'), call(3, 's', 8)],
  'of two sessions': [
    ...[chat(1, 's', 1), ...chain(2, 6, 's'), ...chain(7, 9, 't'), chat(10, 't', 9), chat(11, 'u', 1)],
    ...chain(12, 16, 'u'),
  ],
};

async function built(log: readonly (object | string)[], args: readonly string[]) {
  const root = temporaryFolder();
  const path = join(root, 'a.jsonl');
  writeFileSync(path, log.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join(''));
  const out = join(root, 'out');
  await turnmill(['build', path, '--out', out, '--group-by', 'none', ...args]);
  const read = (name: string) => readFileSync(join(out, name), 'utf8');
  const quarantine = read('quarantine/rejected.jsonl');
  const [sessions, sources] = [read('ledger/sessions.jsonl'), read('ledger/sources.jsonl')];
  const { fates } = JSON.parse(read('reports/summary.json'));
  const data = fates.snapshot === undefined ? '' : read('data/conversations-00000.jsonl');
  return { path, fates, same: { data, sessions, sources, quarantine } };
}

for (const by of ['file', 'id'])
  test.each(Object.entries(LOGS))(
    `a chain %s, with --session-by ${by}, gives the same bytes as if each call were listed`,
    async (_name, log) => {
      const joined = await built(log, ['--session-by', by]);
      const listed = await built(log, ['--session-by', by, '--max-messages', '1000']);
      expect(joined.same).toEqual(listed.same);
      expect(joined.same.data + joined.same.quarantine).not.toBe('');
    },
  );

test.each(Object.entries(LOGS))(
  'explain gives each line of a chain %s the fate that it has',
  async (_name, log) => {
    const { path, fates } = await built(log, ['--session-by', 'id']);
    const ref = { name: 'a.jsonl', input: 0, path, sizeBytes: 0 };
    const settings = resolveSettings({ inputs: [path], sessionBy: 'id' });
    const explained: Record<string, number> = {};
    for (let line = 1; line <= log.length; line++)
      for (const { fate } of await explainLine({ ref, line, settings }))
        explained[fate] = (explained[fate] ?? 0) + 1;
    expect(explained).toEqual(fates);
  },
);
