/** Logs that a file has twice: one appended to itself, or a later state of it to an earlier one. */
import { describe, expect, it } from 'vitest';
import calls from '../../../transforms/dialects/calls.ts';
import claudeCode from '../../../transforms/dialects/claude-code.ts';
import type { Dialect } from '../../../transforms/dialects/dialect.ts';
import geminiCli from '../../../transforms/dialects/gemini-cli.ts';
import goose from '../../../transforms/dialects/goose.ts';
import responses from '../../../transforms/dialects/responses.ts';
import runs from '../../../transforms/dialects/runs.ts';
import spans from '../../../transforms/dialects/spans.ts';
import { text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

type Log = readonly object[];

/** The roles and contents of each conversation; of two with the same messages only one. */
function saidIn(dialect: Dialect, log: Log): readonly string[] {
  const elements = readLog(
    dialect.create(),
    log.map((one) => JSON.stringify(one)),
  );
  const said = elements.flatMap((one) => {
    if (one.kind !== 'entry') return [];
    const messages = [...one.messages, ...(one.reply ? [one.reply] : [])];
    return messages.map(({ bytes, role }) => `${role} ${JSON.parse(text(bytes)).content}`).join(', ');
  });
  return [...new Set(said)];
}

const time = (second: number) => `2026-03-01T10:00:0${second}.000Z`;
const goosed = (role: string, words: string, created: number) => ({
  role,
  created,
  content: [{ text: words }],
});
const row = (role: string, content: string, second: number, more: object = {}) => ({
  ...{ role, content, timestamp: time(second) },
  ...more,
});
const claude = (type: 'user' | 'assistant', content: string, more: object) => {
  const blocks = type === 'user' ? content : [{ type: 'text', text: content }];
  return { type, message: { role: type, content: blocks }, ...more };
};
const init = { type: 'system', subtype: 'init', session_id: 's', mcp_servers: [] };
const uuid = (id: string, parentUuid: string | null) => ({ uuid: id, parentUuid, sessionId: 's' });
const retracted = [
  claude('user', 'a', uuid('u', null)),
  claude('assistant', 'x', uuid('x', 'u')),
  { type: 'system', subtype: 'model_refusal_fallback', retractedMessageUuids: ['x'], ...uuid('r', 'x') },
  claude('assistant', 'b', uuid('b', 'r')),
];
const gemini = (id: string, type: string, content: string) => ({ id, type, content, timestamp: time(1) });
const takenBack = [
  { sessionId: 'g', projectHash: 'h', startTime: time(0) },
  ...[gemini('1', 'user', 'a'), gemini('2', 'gemini', 'b'), gemini('3', 'user', 'c')],
  ...[gemini('4', 'gemini', 'd'), { $rewindTo: '3' }, gemini('5', 'user', 'e'), gemini('6', 'gemini', 'f')],
];
const line = (id: string, parentUuid: string | null, type: string, more: object) => ({
  ...{ uuid: id, parentUuid, sessionId: 'q', timestamp: time(1), cwd: '/', version: '1', type },
  ...more,
});
const parts = (role: string, words: string) => ({ message: { role, parts: [{ text: words }] } });
const history = [parts('user', 'a').message, parts('model', 'b').message];
const launched = [
  line('1', null, 'system', { subtype: 'agent_bootstrap', systemPayload: { kind: 'fork', history } }),
  line('2', '1', 'user', parts('user', 'c')),
  line('3', '2', 'system', { subtype: 'agent_launch_prompt', systemPayload: { displayText: 'whole c' } }),
  line('4', '3', 'assistant', parts('model', 'd')),
];
const answered = (id: string, input: string, words: string) => ({
  request: { model: 'm', conversation: 'v', input },
  response: {
    ...{ id, object: 'response', status: 'completed' },
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words }] }],
  },
});
const event = (nanoseconds: number, eventName: string, body: object) => ({
  ...{ timeUnixNano: `${nanoseconds}`, eventName, body, traceId: 't', spanId: 's' },
});
const azure = (SequenceNumber: number, more: object) => ({ CorrelationId: 'c', SequenceNumber, ...more });

describe('a log that a file has twice', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'] as const;
  const four = [
    goosed('user', a, 1),
    goosed('assistant', b, 2),
    goosed('user', c, 3),
    goosed('assistant', d, 4),
  ];
  const rows = (session_id?: string) => [
    ...[row('user', a, 1, { session_id }), row('assistant', b, 2, { session_id })],
    ...[row('user', c, 3, { session_id }), row('assistant', d, 4, { session_id })],
  ];
  const timed = (second: number) => ({ timestamp: time(second) });

  it.each<[string, Dialect, Log]>([
    ['old lines of goose', goose, four],
    ['bare messages', runs, rows()],
    ['rows of Hermes', runs, rows('h')],
    [
      'lines of Claude Code without ids',
      claudeCode,
      [
        ...[claude('user', a, timed(1)), claude('assistant', b, timed(2))],
        ...[claude('user', c, timed(3)), claude('assistant', d, timed(4))],
      ],
    ],
    ['a transcript with a retracted answer', claudeCode, retracted],
    ['a recording of Gemini CLI with turns taken back', geminiCli, takenBack],
    ['a fork of Qwen Code', geminiCli, launched],
    ['calls of one conversation', responses, [answered('1', a, b), answered('2', c, d), answered('3', a, b)]],
    [
      'events of a model call',
      spans,
      [
        event(1, 'gen_ai.user.message', { content: a }),
        event(2, 'gen_ai.choice', { message: { content: b } }),
      ],
    ],
    [
      'rows of Azure',
      calls,
      [
        azure(1, { RequestMessages: [{ role: 'user', content: a }] }),
        azure(2, { ResponseMessages: [{ role: 'assistant', content: b }] }),
      ],
    ],
  ])('is read once: %s', (_what, dialect, log) => {
    const once = saidIn(dialect, log);
    expect(once).not.toEqual([]);
    expect(saidIn(dialect, [...log, ...log])).toEqual(once);
    expect(saidIn(dialect, [...log, ...log, ...log])).toEqual(once);
  });

  it.each<[string, Dialect, Log]>([
    ['old lines of goose', goose, four],
    ['rows of Hermes', runs, rows('h')],
    ['calls of one conversation', responses, [answered('1', a, b), answered('2', c, d)]],
  ])('is read once if one of the two is an earlier state: %s', (_what, dialect, log) => {
    const once = saidIn(dialect, log);
    const whole = (said: readonly string[]) => said.toSorted((x, y) => y.length - x.length)[0];
    const short = log.slice(0, log.length / 2);
    expect(whole(saidIn(dialect, [...short, ...log]))).toBe(once[0]);
    expect(whole(saidIn(dialect, [...log, ...short]))).toBe(once[0]);
  });

  it('is a conversation of each of its sessions, also if their rows alternate', () => {
    const [one, other] = [rows('h'), rows('i')];
    const mixed = one.flatMap((own, i) => [own, other[i] as object]);
    expect(
      readLog(
        runs.create(),
        [...mixed, ...one, ...other].map((own) => JSON.stringify(own)),
      ),
    ).toMatchObject([
      ...Array(8).fill({ fate: 'dropped:copied-line' }),
      ...[{ messages: { length: 3 } }, { messages: { length: 3 } }],
    ]);
  });

  it('is not what says the same again at another time, or after a head', () => {
    const later = four.map((one) => ({ ...one, created: one.created + 10 }));
    expect(saidIn(goose, [...four, ...later])[0]?.split(', ')).toHaveLength(8);
    const head = { working_dir: '/', description: 'd' };
    const longer = [...four, goosed('user', 'e', 5), goosed('assistant', 'f', 6)];
    expect(saidIn(goose, [head, ...four, head, ...longer]).map((said) => said.split(', ').length)).toEqual([
      4, 6,
    ]);
  });

  it('is not what says the same again where all lines have one time', () => {
    const lines = ['a', 'b', 'a', 'c'].map((words, i) =>
      goosed(i % 2 === 0 ? 'user' : 'assistant', words, 1),
    );
    expect(saidIn(goose, lines)).toEqual(['user a, assistant b, user a, assistant c']);
    const messages = ['a', 'b', 'a', 'c'].map((words, i) =>
      row(i % 2 === 0 ? 'user' : 'assistant', words, 1),
    );
    expect(saidIn(runs, messages)).toEqual(['user a, assistant b, user a, assistant c']);
    const events = [
      event(1, 'gen_ai.user.message', { content: 'a' }),
      event(1, 'gen_ai.assistant.message', { content: 'b' }),
      event(1, 'gen_ai.user.message', { content: 'a' }),
      event(1, 'gen_ai.choice', { message: { content: 'c' } }),
    ];
    expect(saidIn(spans, events)).toEqual(['user a, assistant b, user a, assistant c']);
  });

  it('has calls that continue a response which the log repeats', () => {
    const call = (id: string, input: string, words: string, previous_response_id?: string) => {
      const { request, response } = answered(id, input, words);
      return { request: { ...request, conversation: undefined, previous_response_id }, response };
    };
    const log = [call('1', 'a', 'b'), call('2', 'c', 'd', '1'), call('3', 'e', 'f', '2')];
    const whole = ['user a, assistant b, user c, assistant d, user e, assistant f'];
    expect(saidIn(responses, [...log.slice(0, 2), ...log])).toEqual(whole);
    expect(saidIn(responses, [...log, ...log])).toEqual(whole);
  });

  it('is not two calls of a conversation with one id and other messages', () => {
    expect(saidIn(responses, [answered('1', a, b), answered('1', c, d)]).at(-1)).toBe(
      'user a, assistant b, user c, assistant d',
    );
  });
});

it('turns of Claude Code without ids or times that begin alike are turns, not copies', () => {
  const turn = (answer: string) => [
    init,
    claude('user', 'a', { session_id: 's' }),
    claude('assistant', answer, { session_id: 's' }),
  ];
  expect(saidIn(claudeCode, [...turn('b'), ...turn('d')]).join()).toMatch(/a\W.*b\W.*a\W.*d/);
});
