import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FollowedEntry } from '../../../src/view/app/types.ts';
import { FollowedLog } from '../../../src/view/follow.ts';
import { temporaryFolder } from '../../support/folder.ts';

const examples = resolve(import.meta.dirname, '../../../examples/dialects');
const linesOf = (name: string): readonly string[] =>
  readFileSync(join(examples, name), 'utf8').trimEnd().split('\n');

function log(lines: readonly string[]) {
  const path = join(temporaryFolder(), 'log.jsonl');
  const text = (some: readonly string[]): string => some.map((line) => `${line}\n`).join('');
  writeFileSync(path, text(lines));
  const followed = new FollowedLog(path);
  onTestFinished(() => followed.close());
  return {
    followed,
    add(...more: readonly string[]): void {
      appendFileSync(path, text(more));
      followed.refresh();
    },
  };
}

/** Summarises the entries sent. */
const summaryOf = (entries: Iterable<FollowedEntry>): readonly string[] =>
  [...entries].map(({ conversation, line, shared, messages, fresh, error }) => {
    if (error !== undefined) return `line ${line}: ${error.split(':', 1)[0]}`;
    const roles = fresh.map((text) => {
      const { role, tool_calls: calls = [] } = JSON.parse(text);
      return calls.length === 0 ? role : `${role}+${calls.length}`;
    });
    return `${conversation ?? line} ${shared}/${messages}: ${roles.join(' ')}`;
  });

describe('a followed event log', () => {
  const [id, claude] = ['5f1c6a52-8d0e-4f7a-9a53-0c5b7f2a4e11', linesOf('claude-code.jsonl')];

  test('is folded: a growing message is sent again as a whole, a result with its number', () => {
    const { followed, add } = log(claude.slice(0, 2));
    const tail = followed.tail();
    expect(tail.begin(200)).toBe(0);
    expect(summaryOf(tail.take())).toEqual([`${id} 0/1: user`]);
    expect(summaryOf(tail.take())).toEqual([]);
    add(...claude.slice(2, 4));
    expect(summaryOf(tail.take())).toEqual([`${id} 1/2: assistant`]);
    add(...claude.slice(4, 6));
    expect(summaryOf(tail.take())).toEqual([`${id} 1/2: assistant+1`]);
    add(...claude.slice(6, 8));
    expect(summaryOf(tail.take())).toEqual([`${id} 2/4: tool assistant`]);
    add('{"no json');
    expect(summaryOf(tail.take())).toEqual(['line 9: invalid-json']);
  });

  test('shows the messages that a build would write', () => {
    const codex = log(linesOf('codex.jsonl')).followed.tail();
    codex.begin(200);
    expect(summaryOf(codex.take())).toEqual([
      '0199b7a2-4a41-7c32-9b1e-5d9f3c0a7e21 0/6: system user user assistant+1 tool assistant',
    ]);
  });

  test('begins near its end and sends earlier messages on request', () => {
    const { followed } = log(claude);
    const tail = followed.tail();
    expect(tail.begin(3)).toBe(1);
    expect(summaryOf(tail.take())).toEqual([`${id} 1/4: assistant+1 tool assistant`]);
    expect(summaryOf(followed.earlier(0, 1))).toEqual([`${id} 0/4: user`]);
  });

  test('is recognised as soon as its first lines suffice', () => {
    const { followed, add } = log([]);
    expect(followed.holdsEvents).toBeUndefined();
    add(claude[0] as string);
    expect(followed.holdsEvents).toBe(true);
    expect(log(linesOf('exchange.jsonl')).followed.holdsEvents).toBe(false);
    expect(log(linesOf('anthropic.jsonl')).followed.holdsEvents).toBe(true); // its sessions are gathered
    expect(log(linesOf('messages.jsonl')).followed.holdsEvents).toBe(false);
    expect(log(Array(70).fill('{"no":"dialect"}')).followed.holdsEvents).toBe(false);
  });
});

describe('a followed log of entries', () => {
  const line = (messages: readonly object[]): string =>
    JSON.stringify({ timestamp: 1, session_id: 's', request: { messages }, response: null });
  const history = (n: number): readonly object[] =>
    Array.from({ length: n }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: `${i}` }));

  test('sends only the new messages of each entry', () => {
    const { followed, add } = log([line(history(1)), line(history(3))]);
    const tail = followed.tail();
    expect(tail.begin(200)).toBe(0);
    expect(summaryOf(tail.take())).toEqual(['1 0/1: user', '2 1/3: assistant user']);
    add(line(history(2)), line(history(5)));
    expect(summaryOf(tail.take())).toEqual(['3 0/2: user assistant', '4 2/5: user assistant user']);
  });

  test('begins near its end and sends earlier entries on request, without the messages they share', () => {
    const lines = [1, 2, 3, 4, 5].map((n) => line(history(n)));
    const { followed } = log(lines);
    const tail = followed.tail();
    expect(tail.begin(2)).toBe(3);
    expect(summaryOf(tail.take())).toEqual(['4 3/4: assistant', '5 4/5: user']);
    expect(summaryOf(followed.earlier(1, 2))).toEqual(['2 1/2: assistant', '3 2/3: user']);
  });

  test('continues after a line that is not an entry', () => {
    const { followed, add } = log([line(history(1))]);
    const tail = followed.tail();
    tail.begin(200);
    expect(summaryOf(tail.take())).toHaveLength(1);
    add('', '{"no json');
    expect(summaryOf(tail.take())).toEqual(['line 3: invalid-json']);
    add(line(history(2)));
    expect(summaryOf(tail.take())).toEqual(['4 1/2: assistant']);
  });
});
