/** Findings about answers that ended early and about results that are errors, where only one member of the log says so. */
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../../transforms/dialects/dialect.ts';
import geminiCli from '../../../transforms/dialects/gemini-cli.ts';
import openhands from '../../../transforms/dialects/openhands.ts';
import pi from '../../../transforms/dialects/pi.ts';
import runs from '../../../transforms/dialects/runs.ts';
import { readLog } from '../log-lines.ts';

/** The rules of the findings about all messages but the first one. */
function rulesOf(dialect: Dialect, ...objects: readonly object[]): readonly string[] {
  const lines = objects.map((object) => JSON.stringify(object));
  return readLog(dialect.create(), lines).flatMap((one) => {
    if (one.kind !== 'entry') return [];
    const messages = [...one.messages, ...(one.reply ? [one.reply] : [])];
    return messages.slice(1).flatMap(({ notes = [] }) => notes.map(({ rule }) => rule));
  });
}

const CUT = { finish_reason: 'length' };
const FILTERED = { finish_reason: 'content_filter' };
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const user = { role: 'user', content: 'a' };
const answer = (more: object = {}) => ({ role: 'assistant', content: 'b', ...more });

const question = { id: 0, source: 'user', action: 'message', args: { content: 'a' } };
const action = (finish_reason: string) => ({
  ...{ id: 1, source: 'agent', action: 'run', args: { command: 'ls' } },
  tool_call_metadata: {
    tool_call_id: 'c',
    model_response: { id: 'r', choices: [{ finish_reason, message: answer({ tool_calls: [call] }) }] },
  },
});
const observed = (observation: string) => ({
  ...{ id: 2, source: 'agent', cause: 1, observation, content: 'no such file', extras: {} },
});

const piLog = (stopReason: string) => [
  { type: 'session', id: 's', cwd: '/', version: 3 },
  ...[user, answer({ stopReason })].map((message, i) => ({ type: 'message', id: `${i}`, message })),
];

const line = (uuid: string, parentUuid: string | null, type: string, role: string, part: object) => ({
  ...{ uuid, parentUuid, sessionId: 's', timestamp: '2026-01-14T08:00:00Z', type },
  message: { role, parts: [part] },
});
const asked = line('1', null, 'user', 'user', { text: 'a' });
const called = line('2', '1', 'assistant', 'model', { functionCall: { id: 'c', name: 'f', args: {} } });
const responded = (response: object) =>
  line('3', '2', 'tool_result', 'user', { functionResponse: { id: 'c', name: 'f', response } });

describe('an answer', () => {
  it.each([
    ['the completion of an action of OpenHands', openhands, [question, action('length')], 'reply-cut'],
    ['a bare message', runs, [user, answer(CUT)], 'reply-cut'],
    ['a bare message, by a filter', runs, [user, answer(FILTERED)], 'reply-filtered'],
    [
      'the response of mini-swe-agent',
      runs,
      [user, answer({ extra: { response: { choices: [CUT] } } })],
      'reply-cut',
    ],
    ['the choice of tau2', runs, [user, answer({ raw_data: CUT })], 'reply-cut'],
    ['an answer of pi', pi, piLog('length'), 'reply-cut'],
    ['an answer of pi, by a filter', pi, piLog('refusal'), 'reply-filtered'],
    ['an answer of pi, for an unknown reason', pi, piLog('quota'), 'unknown-stop'],
  ] as const)('that ended early has a finding: %s', (_what, dialect, objects, rule) => {
    expect(rulesOf(dialect, ...objects)).toContain(rule);
  });

  it('that was not cut has none', () => {
    expect(rulesOf(openhands, question, action('tool_calls'), observed('run'))).toEqual([]);
    expect(rulesOf(runs, user, answer({ finish_reason: 'stop' }))).toEqual([]);
  });
});

describe('a result', () => {
  it.each([
    ['an observation of OpenHands', openhands, [question, action('tool_calls'), observed('error')]],
    ['a response of Qwen Code', geminiCli, [asked, called, responded({ error: 'no such file' })]],
  ] as const)('that is an error has a finding: %s', (_what, dialect, objects) => {
    expect(rulesOf(dialect, ...objects)).toContain('result-is-error');
  });

  it('with an output has none', () => {
    expect(rulesOf(geminiCli, asked, called, responded({ output: 'ok' }))).not.toContain('result-is-error');
  });
});
