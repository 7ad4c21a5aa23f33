/** Lines that a log without ids has twice in a row. */
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../../transforms/dialects/dialect.ts';
import geminiCli from '../../../transforms/dialects/gemini-cli.ts';
import goose from '../../../transforms/dialects/goose.ts';
import runs from '../../../transforms/dialects/runs.ts';
import sts from '../../../transforms/dialects/sts.ts';
import { text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

/** The roles of the conversation with the ids of its calls, and the fates of the lines that are not in it. */
function read(dialect: Dialect, objects: readonly object[]) {
  const lines = objects.map((object) => JSON.stringify(object));
  const elements = readLog(dialect.create(), lines);
  const said = elements.flatMap((one) => {
    if (one.kind !== 'entry') return [];
    return [...one.messages, ...(one.reply ? [one.reply] : [])].map(({ bytes }) => {
      const { role, tool_calls = [] } = JSON.parse(text(bytes));
      return [role, ...tool_calls.map(({ id }: { readonly id: string }) => id)].join(' ');
    });
  });
  return { said, fates: elements.flatMap((one) => (one.kind === 'fate' ? [one.fate] : [])) };
}

const twice = (objects: readonly object[]): readonly object[] => objects.flatMap((one) => [one, one]);

const trace = (more: object) => [
  { type: 'session', harness: 'h', id: 's' },
  { type: 'message', message: { role: 'user', content: 'a', ...more } },
  { type: 'message', message: { role: 'assistant', content: 'b', ...more } },
];
const lines = (more: object) => [
  { role: 'user', content: [{ type: 'text', text: 'a' }], ...more },
  { role: 'assistant', content: [{ type: 'text', text: 'b' }], ...more },
];
const bare = (more: object) => [
  { role: 'user', content: 'a', ...more },
  { role: 'assistant', content: 'b', ...more },
];
const at = { timestamp: '2026-03-01T10:00:01.000Z' };
const events = [
  { type: 'message', role: 'user', content: 'a', ...at },
  { type: 'tool_use', tool_name: 'f', tool_id: 'c', parameters: {}, ...at },
  { type: 'tool_result', tool_id: 'c', status: 'success', output: 'r', ...at },
];

describe('a line that is repeated at once', () => {
  it.each([
    ['a trace', sts, trace({ timestamp: 1770112800000 }), ['user', 'assistant']],
    ['lines of goose', goose, lines({ created: 1770112800 }), ['user', 'assistant']],
    ['bare messages', runs, bare(at), ['user', 'assistant']],
    ['output of Gemini CLI', geminiCli, events, ['user', 'assistant c', 'tool']],
  ])('is read once if it has a time: %s', (_what, dialect, objects, said) => {
    expect(read(dialect, twice(objects)).said).toEqual(said);
    expect(read(dialect, twice(objects)).fates).toContain('dropped:copied-line');
    expect(read(dialect, objects)).toEqual({ said, fates: [] });
  });

  it.each([
    ['a trace', sts, trace({})],
    ['bare messages', runs, bare({})],
  ])('is read twice if nothing says that it is the same: %s', (_what, dialect, objects) => {
    expect(read(dialect, twice(objects)).said).toEqual(['user', 'user', 'assistant', 'assistant']);
  });

  it.each([
    ['a trace', sts, (one: object) => ({ type: 'message', message: { ...one, timestamp: 1770112800000 } })],
    ['bare messages', runs, (one: object) => ({ ...one, ...at })],
  ])('is read twice if it is the result of another call without an id: %s', (_what, dialect, line) => {
    const call = { type: 'function', function: { name: 'f', arguments: '{}' } };
    const answer =
      dialect === sts ? { content: '', toolCalls: [call, call] } : { content: '', tool_calls: [call, call] };
    const head = dialect === sts ? trace({}).slice(0, 1) : [];
    const log = [
      ...head,
      line({ role: 'user', content: 'a' }),
      line({ role: 'assistant', ...answer }),
      ...twice([line({ role: 'tool', content: 'ok' })]),
    ];
    expect(read(dialect, log).said.map((one) => one.split(' ')[0])).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
    ]);
  });

  it('is read twice if it is a piece of a text', () => {
    const piece = { type: 'message', role: 'assistant', content: 'ha', delta: true, ...at };
    const [entry] = readLog(
      geminiCli.create(),
      [events[0], piece, piece].map((one) => JSON.stringify(one)),
    );
    expect(entry?.kind === 'entry' && JSON.parse(text(entry.reply?.bytes as Uint8Array)).content).toBe(
      'haha',
    );
  });
});

it('of an unknown type in a trace has a finding', () => {
  const [entry] = readLog(
    sts.create(),
    [...trace({}), { type: 'usage', id: 'x' }].map((one) => JSON.stringify(one)),
  ).filter((one) => one.kind === 'entry');
  const notes = entry?.kind === 'entry' ? (entry.messages[0]?.notes ?? []) : [];
  expect(notes.map(({ rule }) => rule)).toContain('unknown-event');
});
