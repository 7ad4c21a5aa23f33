/** The rules for texts that Codex, Gemini CLI and Claude Code add to messages. */
import { describe, expect, test } from 'vitest';
import codexContext from '../../../transforms/rules/codex-context.ts';
import sessionContext from '../../../transforms/rules/session-context.ts';
import systemReminder from '../../../transforms/rules/system-reminder.ts';
import { IMAGE, messageOf, of, part, raw } from './rule-samples.ts';

const AGENTS = '# AGENTS.md instructions for /repo\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>';
const ENVIRONMENT = '<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>';
const PERMISSIONS = '<permissions instructions>Ask.</permissions instructions>';
const MODE = '<collaboration_mode>plan</collaboration_mode>';

describe('codex-context', () => {
  test.each([
    ['AGENTS.md', of('user', AGENTS)],
    ['AGENTS.md under its old tag', of('user', '<user_instructions>\nBe brief.\n</user_instructions>')],
    ['the environment', of('user', ENVIRONMENT)],
    ['both in one message', of('user', `${AGENTS}\n${ENVIRONMENT}`)],
    ['permissions and mode of the developer', of('developer', `${PERMISSIONS}\n${MODE}`)],
    ['parts of text', of('user', [part(AGENTS), part(ENVIRONMENT)])],
  ])('drops %s', (_what, message) => {
    expect(codexContext.apply(message)).toBeUndefined();
  });

  test.each([
    ['a text of the user', of('user', 'Fix the tests.')],
    ['a text of the user after a block', of('user', `${ENVIRONMENT}\nFix the tests.`)],
    ['the heading without a block', of('user', '# AGENTS.md instructions\nWrite them.')],
    ['a block that is not closed', of('user', '<environment_context>')],
    ['another tag', of('user', '<context>a</context>')],
    ['an answer', of('assistant', ENVIRONMENT)],
    ['the system text', of('system', PERMISSIONS)],
    ['a part that is not text', of('user', [part(ENVIRONMENT), IMAGE])],
    ['null content', of('user', null)],
  ])('keeps %s', (_what, message) => {
    expect(codexContext.apply(message)).toBe(message);
  });
});

describe('session-context', () => {
  const CONTEXT = '<session_context>\nThis is the Gemini CLI.\n</session_context>';

  test('drops a user message that is only the block', () => {
    expect(sessionContext.apply(of('user', CONTEXT))).toBeUndefined();
    expect(sessionContext.apply(of('user', [part(`\n${CONTEXT}\n`)]))).toBeUndefined();
  });

  test.each([
    ['text after the block', of('user', `${CONTEXT}\nHello`)],
    ['another role', of('assistant', CONTEXT)],
    ['a block that is not closed', of('user', '<session_context>')],
    ['an image beside the block', of('user', [part(CONTEXT), IMAGE])],
  ])('keeps %s', (_what, message) => {
    expect(sessionContext.apply(message)).toBe(message);
  });
});

describe('system-reminder', () => {
  const REMINDER = '<system-reminder>\nThe todo list is empty.\n</system-reminder>';
  const textIn = (json: string, role = 'user'): string =>
    `${Buffer.from(systemReminder.apply(raw(role, json))?.bytes ?? '')}`;

  test('cuts reminders out of a text, with the white space before them', () => {
    expect(textIn(JSON.stringify({ role: 'user', content: `Go on.\n\n${REMINDER}\n`, x: 1.0 }))).toBe(
      '{"role":"user","content":"Go on.\\n","x":1}',
    );
    expect(textIn(JSON.stringify({ role: 'user', content: `${REMINDER}\nGo ${REMINDER} on.` }))).toBe(
      '{"role":"user","content":"Go on."}',
    );
  });

  test('keeps all other members byte for byte', () => {
    expect(
      textIn(
        `{"n":1.0, "content":${JSON.stringify(`a${REMINDER}`)} ,"role":"tool","tool_call_id":"\\u0063"}`,
        'tool',
      ),
    ).toBe('{"n":1.0, "content":"a" ,"role":"tool","tool_call_id":"\\u0063"}');
  });

  test('keeps the notes on the message', () => {
    const notes = [{ rule: 'no-system', severity: 'WARNING', message: 'none' }] as const;
    expect(systemReminder.apply({ ...of('user', `a ${REMINDER}`), notes })).toMatchObject({ notes });
  });

  test('finds a reminder that is written with escapes', () => {
    expect(
      textIn('{"role":"user","content":"a \\u003csystem-reminder\\u003eb\\u003c\\/system-reminder\\u003e"}'),
    ).toBe('{"role":"user","content":"a"}');
  });

  test('removes parts that are only reminders, and cuts reminders out of others', () => {
    expect(
      textIn(
        '{"role":"user","content":[{"type":"text","text":"<system-reminder>a</system-reminder>"}, {"type":"text", "text":"b"},{"type":"text","text":"c <system-reminder>d</system-reminder>"}]}',
      ),
    ).toBe('{"role":"user","content":[{"type":"text", "text":"b"},{"type":"text","text":"c"}]}');
  });

  test('drops a user message that is left empty', () => {
    expect(systemReminder.apply(of('user', REMINDER))).toBeUndefined();
    expect(systemReminder.apply(of('user', [part(REMINDER), part(` ${REMINDER}`)]))).toBeUndefined();
  });

  test('keeps a result that is left empty, because its call needs it', () => {
    const result = { role: 'tool', tool_call_id: 'c', content: REMINDER };
    expect(textIn(JSON.stringify(result), 'tool')).toBe('{"role":"tool","tool_call_id":"c","content":""}');
    const parts = { ...result, content: [part(REMINDER)] };
    expect(textIn(JSON.stringify(parts), 'tool')).toBe('{"role":"tool","tool_call_id":"c","content":""}');
  });

  test.each([
    ['a text without a reminder', of('user', 'a system-reminder')],
    ['a reminder that is not closed', of('user', 'a <system-reminder>')],
    ['an answer', of('assistant', `a ${REMINDER}`)],
    ['a system text', of('system', `a ${REMINDER}`)],
    ['null content', messageOf({ role: 'user', content: null, name: 'system-reminder' })],
    ['content that is an object', of('user', { text: REMINDER })],
    [
      'parts that are no text',
      of('user', [
        '<system-reminder></system-reminder>',
        { type: 'x', text: REMINDER },
        { type: 'text', text: null },
      ]),
    ],
  ])('keeps %s', (_what, message) => {
    expect(systemReminder.apply(message)).toBe(message);
  });
});
