import { describe, expect, it } from 'vitest';
import type { Rejection, SessionEnd, StreamElement } from '../../../transforms/model/element.ts';
import { apply } from '../../../transforms/stage.ts';
import { checkConversations, checkEntries, checkRecords } from '../../../transforms/stages/check.ts';
import {
  assistant,
  conversationOf,
  entryOf,
  messageOf,
  originOf,
  recordOf,
  user,
} from '../checks/samples.ts';

const end = (fate: 'written' | 'empty'): SessionEnd => ({
  kind: 'session-end',
  origin: originOf(9),
  last: true,
  sessionId: 's',
  fate,
});
const rejection = (scope: Rejection['scope']): Rejection => ({
  kind: 'rejection',
  scope,
  stage: 'parse',
  reason: 'invalid-json',
  detail: '',
  origin: originOf(2),
});
const shown = (elements: Iterable<StreamElement>) =>
  [...elements].map((element) =>
    element.kind === 'finding' ? `${element.severity} ${element.rule}` : element.kind,
  );

describe('check-entries', () => {
  it('does not compare entries of a session of which all conversations are written', () => {
    const entries = [entryOf([user('x'), user('y')], 1), { ...entryOf([user('z')], 2), reply: undefined }];
    const elements = [...entries, end('written')];
    const all = [
      'entry',
      'WARNING no-reply',
      'ERROR role-sequence',
      'entry',
      'WARNING not-a-prefix',
      'session-end',
    ];
    expect(shown(apply(checkEntries.create({}), elements))).toEqual(all);
    const few = all.filter((one) => !/role-sequence|not-a-prefix/.test(one));
    expect(shown(apply(checkEntries.create({ select: 'leaves' }), elements))).toEqual(few);
  });

  it('reports right before the entry, which passes unchanged', () => {
    const entry = { ...entryOf([user('x')], 4), reply: undefined };
    const [finding, same, ...rest] = apply(checkEntries.create({}), [entry]);
    expect(finding).toEqual({
      kind: 'finding',
      severity: 'WARNING',
      rule: 'no-reply',
      sessionId: 's',
      origin: originOf(4),
      message: 'the entry has no reply message',
    });
    expect(same).toBe(entry);
    expect(rest).toEqual([]);
  });

  it('compares only entries of one session', () => {
    const long = entryOf([user('x'), assistant('y')]);
    const short = entryOf([user('x')]);
    const handlers = checkEntries.create({});
    expect(shown(apply(handlers, [long, short, end('written'), long, end('written'), short]))).toEqual([
      'entry',
      'ERROR role-sequence',
      'entry',
      'WARNING not-a-prefix',
      'session-end',
      'entry',
      'session-end',
      'entry',
    ]);
  });

  it('reports about an earlier entry at the end of the session, at the place of that entry', () => {
    const handlers = checkEntries.create({});
    const lost = entryOf([user('x')], 1);
    const [found, ...rest] = [...apply(handlers, [lost, entryOf([user('y')], 2), end('written')])].slice(2);
    expect(found).toMatchObject({ kind: 'finding', rule: 'not-a-prefix', origin: lost.origin });
    expect(shown(rest)).toEqual(['session-end']);
  });

  it('reports nothing at the end of a rejected session', () => {
    const handlers = checkEntries.create({});
    const before = [entryOf([user('x')], 1), entryOf([user('y')], 2)];
    expect(shown(apply(handlers, [...before, rejection('session'), end('empty')])).slice(2)).toEqual([
      'rejection',
      'session-end',
    ]);
    expect(shown(apply(handlers, [...before, end('written')])).slice(2)).toEqual([
      'WARNING not-a-prefix',
      'session-end',
    ]);
  });
});

describe('check-conversations', () => {
  it('reports in the order of the checks, before the conversation', () => {
    const conversation = conversationOf([], { tools: [], truncated: 1 });
    const elements = [...apply(checkConversations.create({}), [conversation])];
    expect(shown(elements)).toEqual([
      'ERROR empty-messages',
      'WARNING no-tools',
      'WARNING truncated',
      'conversation',
    ]);
    expect(elements.at(-1)).toBe(conversation);
  });

  it('counts the rejected lines of each session for no-record', () => {
    const handlers = checkConversations.create({});
    const input = [
      rejection('session'),
      end('empty'),
      rejection('line'),
      end('empty'),
      end('empty'),
      end('written'),
    ];
    expect(shown(apply(handlers, input))).toEqual([
      'rejection',
      'WARNING no-record',
      'session-end',
      'rejection',
      'ERROR no-record',
      'session-end',
      'WARNING no-record',
      'session-end',
      'session-end',
    ]);
  });
});

describe('check-records', () => {
  const left = messageOf({ role: 'assistant', tool_calls: {} });

  it('runs the structure rules of calls, or the inline rules for inline calls', () => {
    const handlers = checkRecords.create({});
    expect(shown(apply(handlers, [recordOf('chat', [left])]))).toEqual([
      'ERROR tool-calls-not-a-list',
      'record',
    ]);
    expect(shown(apply(handlers, [recordOf('chat-inline', [left])]))).toEqual([
      'ERROR tool-calls-left',
      'record',
    ]);
  });

  it('reports a finding once if the records of several formats share it, and others for each', () => {
    const record = recordOf('chat', [left, left]);
    const others = [
      { ...record, format: 'trl' },
      { ...record, format: 'chat-inline' },
    ];
    const emitted = shown(apply(checkRecords.create({}), [record, ...others]));
    const [two, inlined] = ['tool-calls-not-a-list', 'tool-calls-left'].map((rule) =>
      Array(2).fill(`ERROR ${rule}`),
    );
    expect(emitted).toEqual([...(two ?? []), 'record', 'record', ...(inlined ?? []), 'record']);
  });

  it('checks several records of one conversation once, and the next conversation again', () => {
    const record = recordOf('chat', [left]);
    const next = recordOf('chat', [left]);
    const emitted = shown(apply(checkRecords.create({}), [record, record, next]));
    expect(emitted).toEqual([
      'ERROR tool-calls-not-a-list',
      'record',
      'record',
      'ERROR tool-calls-not-a-list',
      'record',
    ]);
  });

  it('passes a good record on', () => {
    const record = recordOf('chat', [user('x')]);
    expect([...apply(checkRecords.create({}), [record])]).toEqual([record]);
  });
});
