/** Logs of clients that end with a compaction: nothing was said after what it left. */
import { describe, expect, it } from 'vitest';
import claudeCode from '../../../transforms/dialects/claude-code.ts';
import cline from '../../../transforms/dialects/cline.ts';
import codex from '../../../transforms/dialects/codex.ts';
import type { Dialect } from '../../../transforms/dialects/dialect.ts';
import geminiCli from '../../../transforms/dialects/gemini-cli.ts';
import opencode from '../../../transforms/dialects/opencode.ts';
import pi from '../../../transforms/dialects/pi.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

const words = (one: string) => [{ type: 'text', text: one }];

const claude = (type: string, uuid: string, parentUuid: string | null, more: object = {}) => ({
  ...{ type, uuid, parentUuid, sessionId: 's' },
  message: { id: uuid, role: type, content: words(uuid) },
  ...more,
});
const CLAUDE = [
  claude('user', 'q', null),
  claude('assistant', 'a', 'q'),
  { type: 'system', subtype: 'compact_boundary', uuid: 'c', parentUuid: null, sessionId: 's' },
  claude('user', 'sum', 'c', { isCompactSummary: true }),
];

const item = (role: string, one: string) => ({
  ...{ type: 'message', role },
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: one }],
});
const said = (role: string, one: string) => ({ type: 'response_item', payload: item(role, one) });
const CODEX = [
  { type: 'session_meta', payload: { id: 's' } },
  ...[said('user', 'q'), said('assistant', 'a')],
  {
    type: 'compacted',
    payload: { message: '', replacement_history: [item('assistant', 'a'), item('user', 'sum')] },
  },
];

const gemini = (id: string, type: string) => ({ id, type, content: [{ text: id }] });
const GEMINI = [
  { sessionId: 's', projectHash: 'h' },
  ...[gemini('q', 'user'), { ...gemini('a', 'gemini'), model: 'm' }],
  { $set: { messages: [gemini('sum', 'user'), gemini('ok', 'gemini'), gemini('a', 'gemini')] } },
];

const entry = (id: string, parentId: string | null, role: string) => ({
  ...{ type: 'message', id, parentId },
  message: { role, content: words(id) },
});
const PI = [
  { type: 'session', version: 3, id: 's' },
  ...[entry('q', null, 'user'), entry('a', 'q', 'assistant')],
  { type: 'compaction', id: 'c', parentId: 'a', summary: 'sum', firstKeptEntryId: 'q' },
];

const message = (id: string, role: string, ...parts: readonly object[]) => ({ info: { id, role }, parts });
const OPENCODE = [
  {
    info: { id: 's' },
    messages: [
      ...[message('q', 'user', ...words('q')), message('a', 'assistant', ...words('a'))],
      message('c', 'user', { type: 'compaction', auto: true, tail_start_id: 'q' }),
      message('d', 'assistant', ...words('sum')),
    ],
  },
];

const task = (role: string, one: string, more: object = {}) => ({
  ...{ role, content: words(one), ts: 1 },
  ...more,
});
const CLINE = [
  ...[task('user', 'q'), task('assistant', 'a')],
  task('user', 'sum', { isSummary: true, condenseId: 'c' }),
];

function read(dialect: Dialect, lines: readonly object[], select: 'leaves' | 'last') {
  const elements = readLog(
    dialect.create(undefined, { select }),
    lines.map((line) => JSON.stringify(line)),
  );
  const entries = elements.filter((one): one is Entry => one.kind === 'entry');
  const said = entries.map(({ messages, reply }) =>
    [...messages, ...(reply ? [reply] : [])].map(({ bytes }) => {
      const { content } = JSON.parse(text(bytes));
      return typeof content === 'string' ? content : content[0].text;
    }),
  );
  return { said, fates: elements.flatMap((one) => (one.kind === 'fate' ? one.fate : [])) };
}

describe.each<[Dialect, readonly object[], readonly string[]]>([
  [claudeCode, CLAUDE, ['sum']],
  [codex, CODEX, ['a', 'sum']],
  [geminiCli, GEMINI, ['sum', 'ok', 'a']],
  [pi, PI, ['sum', 'q', 'a']],
  [opencode, OPENCODE, ['What did we do so far?', 'sum', 'q', 'a']],
  [cline, CLINE, ['sum']],
])('$name', (dialect, lines, left) => {
  it('writes what the compaction left only with --select last', () => {
    const whole = read(dialect, lines, 'leaves');
    expect(whole.said).toEqual([['q', 'a']]);
    expect(whole.fates).toContain('dropped:abandoned-branch');
    expect(read(dialect, lines, 'last').said).toEqual([left]);
  });
});

it('writes the conversation of a fork, all of which was copied', () => {
  const more = [claude('user', 'r', 'sum'), claude('assistant', 'b', 'r')];
  const lines = [...CLAUDE, ...more].map((line) => ({ ...line, forkedFrom: { sessionId: 't' } }));
  expect(read(claudeCode, lines, 'leaves').said).toEqual([
    ['q', 'a'],
    ['sum', 'r', 'b'],
  ]);
});
