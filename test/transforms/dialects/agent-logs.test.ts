/** Folded event logs of agents: nothing is lost or repeated, and every result is paired with its call. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import claudeCode from '../../../transforms/dialects/claude-code.ts';
import cline from '../../../transforms/dialects/cline.ts';
import codex from '../../../transforms/dialects/codex.ts';
import type { ReadingOptions } from '../../../transforms/dialects/dialect.ts';
import geminiCli from '../../../transforms/dialects/gemini-cli.ts';
import goose from '../../../transforms/dialects/goose.ts';
import openhands from '../../../transforms/dialects/openhands.ts';
import pi from '../../../transforms/dialects/pi.ts';
import runs from '../../../transforms/dialects/runs.ts';
import sts from '../../../transforms/dialects/sts.ts';
import type { Entry, StreamElement } from '../../../transforms/model/element.ts';
import { placesOf } from '../../../transforms/model/entry-log.ts';
import { LONG } from '../../support/long.ts';
import { asBuffer, text } from '../bytes.ts';
import { lineOf, readLog } from '../log-lines.ts';
import {
  claudeLog,
  clineLog,
  codexLog,
  geminiLog,
  gooseLog,
  openHandsLog,
  piLog,
  runsLog,
  stsLog,
  turns,
} from './agent-logs.ts';

const dialects = [
  { dialect: claudeCode, logOf: claudeLog },
  { dialect: cline, logOf: clineLog },
  { dialect: codex, logOf: codexLog },
  { dialect: geminiCli, logOf: geminiLog },
  { dialect: goose, logOf: gooseLog },
  { dialect: openhands, logOf: openHandsLog },
  { dialect: pi, logOf: piLog },
  { dialect: runs, logOf: runsLog },
  { dialect: sts, logOf: stsLog },
];

function elementsOf(
  { create }: typeof claudeCode,
  lines: readonly string[],
  options: ReadingOptions = {},
): readonly StreamElement[] {
  return readLog(create(undefined, options), lines);
}

const entriesOf = (elements: readonly StreamElement[]): readonly Entry[] =>
  elements.filter((element): element is Entry => element.kind === 'entry');
const allOf = ({ messages, reply }: Entry) => (reply === undefined ? messages : [...messages, reply]);
const textsOf = (elements: readonly StreamElement[]): string =>
  entriesOf(elements)
    .flatMap(allOf)
    .map(({ bytes }) => text(bytes))
    .join('\n');

/** Number of lines with a fate. */
function lineCountOf(elements: readonly StreamElement[]): number {
  const places = elements.flatMap((element) =>
    element.kind === 'entry' ? [...placesOf(element.lines as NonNullable<Entry['lines']>)] : [element.origin],
  );
  expect(new Set(places.map(({ offset }) => offset)).size).toBe(places.length);
  return places.length;
}

/** Expects each result to answer a call of the nearest earlier assistant message, in the order of the calls. */
function expectPaired(elements: readonly StreamElement[]): void {
  for (const entry of entriesOf(elements)) {
    let ids: string[] = [];
    for (const { bytes } of allOf(entry)) {
      const message = JSON.parse(text(bytes));
      if (message.role === 'tool') {
        const at = ids.indexOf(message.tool_call_id);
        expect(at).toBeGreaterThanOrEqual(0);
        ids = ids.slice(at + 1);
      } else if (message.role === 'assistant') {
        ids = (message.tool_calls ?? []).map(({ id }: { readonly id: string }) => id);
      }
    }
  }
}

describe.each(dialects)('$dialect.name', ({ dialect, logOf }) => {
  it('writes every text, call and result once and gives each line one fate', () => {
    fc.assert(
      fc.property(turns, (conversation) => {
        const { lines, tokens } = logOf(conversation);
        const elements = elementsOf(dialect, lines);
        const written = textsOf(elements);
        for (const token of tokens) expect(written.split(token).length - 1, token).toBe(1);
        expect(lineCountOf(elements)).toBe(lines.length);
        expectPaired(elements);
      }),
    );
  });

  it('truncated after any byte, pairs nothing wrongly and rejects at most the last line', () => {
    fc.assert(
      fc.property(turns, fc.double({ min: 0, max: 1, noNaN: true }), (conversation, part) => {
        const whole = logOf(conversation).lines.join('\n');
        const lines = whole.slice(0, Math.floor(whole.length * part)).split('\n');
        const kept = lines.filter((line) => line !== '');
        const elements = elementsOf(dialect, kept);
        expect(lineCountOf(elements)).toBe(kept.length);
        const rejected = elements.filter(({ kind }) => kind === 'rejection');
        expect(rejected.length).toBeLessThanOrEqual(1);
        expectPaired(elements);
      }),
    );
  });

  it('reads a second source as it read the first', () => {
    const { lines } = logOf([{ rounds: [{ calls: 2, reversed: true, thinks: true }], noise: true }]);
    const reader = dialect.create();
    const read = (): string => {
      reader.forget();
      const elements = lines.flatMap((json, i) => [...reader.read(lineOf(json, asBuffer, i + 1, i * 1000))]);
      return textsOf([...elements, ...(reader.end?.() ?? [])]);
    };
    expect(read()).toBe(read());
  });

  it('rejects a conversation that is too long with all its lines and stops holding it', () => {
    const { lines } = logOf(Array.from({ length: 50 }, () => ({ rounds: [], noise: false })));
    const elements = elementsOf(dialect, lines, { maxConversation: 5000 });
    expect(entriesOf(elements)).toMatchObject([
      { messages: [], reply: undefined, refused: { reason: 'conversation-too-long' } },
    ]);
    expect(lineCountOf(elements)).toBe(lines.length);
  });
});

describe('hostile Claude Code logs', () => {
  const user = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}): string =>
    JSON.stringify({
      type: 'user',
      uuid,
      parentUuid,
      sessionId: 's',
      message: { role: 'user', content },
      ...more,
    });
  const says = (uuid: string, parentUuid: string | null, ...content: object[]): string =>
    JSON.stringify({
      ...{ type: 'assistant', uuid, parentUuid, sessionId: 's' },
      message: { id: uuid, role: 'assistant', content },
    });
  const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
  const result = (id: string, content: string) => [{ type: 'tool_result', tool_use_id: id, content }];
  const records = (lines: readonly string[], options: ReadingOptions = {}) =>
    entriesOf(elementsOf(claudeCode, lines, options)).map((entry) =>
      allOf(entry).map(({ bytes }) => {
        const { role, content, tool_calls: calls = [] } = JSON.parse(text(bytes));
        return `${role} ${content ?? ''}${calls.map(({ id }: { readonly id: string }) => `(${id})`).join('')}`;
      }),
    );

  test('a repeated call id answers the nearest message', () => {
    const lines = [user('1', null, 'a'), says('2', '1', use('x')), says('3', '2', use('x'))];
    const answers = [user('4', '3', result('x', 'r3')), user('5', '4', result('x', 'r2'))];
    expect(records([...lines, ...answers])).toEqual([
      ['user a', 'assistant (x)', 'tool r2', 'assistant (x)', 'tool r3'],
    ]);
  });

  test('a result more than 64 lines before its call stays in its place', () => {
    const noise = Array.from({ length: 70 }, (_, i) => user(`n${i}`, null, 'n', { isMeta: true }));
    const [entry = []] = records([
      user('1', null, 'a'),
      user('2', '1', result('x', 'r')),
      ...noise,
      says('3', '2', use('x')),
    ]);
    expect([entry[1], entry.at(-1)]).toEqual(['tool r', 'assistant (x)']);
  });

  test('parents in a circle and missing parents are read in order', () => {
    const lines = [user('1', '2', 'a'), says('2', '1', { type: 'text', text: 'b' }), user('3', 'none', 'c')];
    expect(records(lines)).toEqual([['user a', 'assistant b', 'user c']]);
  });

  test('going back, and then on from the abandoned branch, makes two records', () => {
    const answer = (uuid: string, parent: string): string => says(uuid, parent, { type: 'text', text: uuid });
    const lines = [user('1', null, '1'), answer('2', '1'), user('3', '2', '3'), answer('4', '3')];
    const back = [user('5', '2', '5'), answer('6', '5'), user('7', '4', '7'), answer('8', '7')];
    expect(records([...lines, ...back])).toEqual([
      ['user 1', 'assistant 2', 'user 5', 'assistant 6'],
      ['user 1', 'assistant 2', 'user 3', 'assistant 4', 'user 7', 'assistant 8'],
    ]);
  });

  test('a later null parent goes back to the beginning', () => {
    const lines = [user('1', null, 'a'), says('2', '1', { type: 'text', text: 'b' }), user('3', null, 'c')];
    const more = [says('4', '3', { type: 'text', text: 'd' })];
    expect(records([...lines, ...more])).toEqual([
      ['user a', 'assistant b'],
      ['user c', 'assistant d'],
    ]);
  });

  test('two sessions in a file are one, or two with --session-by id', () => {
    const other = user('2', null, 'b', { sessionId: 't', isMeta: true });
    expect(records([user('1', null, 'a'), other])).toEqual([['user a', 'user b']]);
    expect(records([user('1', null, 'a'), other], { sessionBy: 'run' })).toEqual([['user a'], ['user b']]);
  });

  const EVENTS = LONG ? 100_000 : 20_000;
  test(`${EVENTS} unanswered calls and results without a call are read`, () => {
    const calls = Array.from({ length: EVENTS / 2 }, (_, i) => says(`${i}`, null, use('x')));
    const orphans = Array.from({ length: EVENTS / 2 }, (_, i) => user(`r${i}`, null, result('y', 'r')));
    expect(records([...calls, ...orphans])[0]).toHaveLength(EVENTS);
  });
});
