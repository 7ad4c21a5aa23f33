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
const NAMES_TAG =
  '<collaboration_mode># Default\nOnly another `<collaboration_mode>...</collaboration_mode>` changes it.\n</collaboration_mode>';
const NEWER = [
  '<app-context>\n# Desktop\n</app-context>',
  '<apps_instructions>\n## Apps\n</apps_instructions>',
  '<skills_instructions>\n## Skills\n- tidy: cleans up\n</skills_instructions>',
  '<plugins_instructions>None.</plugins_instructions>',
  '<multi_agent_mode>Work alone.</multi_agent_mode>',
  '<model_switch>\nAnother model worked on this before.\n</model_switch>',
  '<personality_spec>Calm.</personality_spec>',
];

describe('codex-context', () => {
  test.each([
    ['AGENTS.md', of('user', AGENTS)],
    ['AGENTS.md under its old tag', of('user', '<user_instructions>\nBe brief.\n</user_instructions>')],
    ['the environment', of('user', ENVIRONMENT)],
    ['both in one message', of('user', `${AGENTS}\n${ENVIRONMENT}`)],
    ['permissions and mode of the developer', of('developer', `${PERMISSIONS}\n${MODE}`)],
    ['parts of text', of('user', [part(AGENTS), part(ENVIRONMENT)])],
    [
      'permissions, skills and apps of newer versions',
      of('developer', [PERMISSIONS, MODE, ...NEWER].map(part)),
    ],
    ['a mode that names its tag', of('developer', `${NAMES_TAG}\n${MODE}`)],
    [
      'a mode with an opening tag inside',
      of('developer', '<collaboration_mode>a <collaboration_mode> b</collaboration_mode>'),
    ],
    ['the mode for agents alone', of('developer', NEWER[4] as string)],
  ])('drops %s', (_what, message) => {
    expect(codexContext.apply(message)).toBeUndefined();
  });

  test.each([
    ['a text of the user', of('user', 'Fix the tests.')],
    ['a text after a mode that names its tag', of('developer', `${NAMES_TAG}\nYou lead a team.`)],
    ['a text of the user after a block', of('user', `${ENVIRONMENT}\nFix the tests.`)],
    ['the heading without a block', of('user', '# AGENTS.md instructions\nWrite them.')],
    [
      'the heading and an end',
      of('user', '# AGENTS.md instructions\nWrite <INSTRUCTIONS> and </INSTRUCTIONS>'),
    ],
    ['a block that is not closed', of('user', '<environment_context>')],
    ['another tag', of('user', '<context>a</context>')],
    [
      'a text of the developer beside a block',
      of('developer', [part(PERMISSIONS), part('You lead a team.')]),
    ],
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

  test('cuts the last lines of a result, with the white space before them', () => {
    const result = (content: string): string =>
      textIn(JSON.stringify({ role: 'tool', content, x: 1.0 }), 'tool');
    for (const tail of [`\n${REMINDER}`, `\n\n${REMINDER}\n`, ` \r\n${REMINDER}\n\n${REMINDER}`])
      expect(result(`1 kite${tail}`)).toBe('{"role":"tool","content":"1 kite","x":1}');
    const quoted = `a\n${REMINDER}\nb <system-reminder>`;
    expect(result(`${quoted}\n${REMINDER}`)).toBe(
      `{"role":"tool","content":${JSON.stringify(quoted)},"x":1}`,
    );
  });

  test('keeps a reminder that a result begins with, if it has nothing else: it is the answer of the tool', () => {
    const empty = '<system-reminder>Warning: the file exists but is empty.</system-reminder>';
    const result = (content: unknown): unknown =>
      JSON.parse(textIn(JSON.stringify({ role: 'tool', content }), 'tool')).content;
    expect(result(empty)).toBe(empty);
    expect(result(`${empty}\n\n${REMINDER}`)).toBe(empty);
    expect(result([part(empty)])).toEqual([part(empty)]);
    expect(result([part(empty), part(REMINDER)])).toEqual([part(empty)]);
    expect(result([part('a'), part(REMINDER)])).toEqual([part('a')]);
    const whole = of('tool', [part(empty)]);
    expect(systemReminder.apply(whole)).toBe(whole);
  });

  test('keeps all other members byte for byte', () => {
    expect(
      textIn(
        `{"n":1.0, "content":${JSON.stringify(`a\n${REMINDER}`)} ,"role":"tool","tool_call_id":"\\u0063"}`,
        'tool',
      ),
    ).toBe('{"n":1.0, "content":"a" ,"role":"tool","tool_call_id":"\\u0063"}');
  });

  test('keeps the notes on the message', () => {
    const notes = [{ rule: 'no-system', severity: 'WARNING', message: 'none' }] as const;
    const message = of('user', [part(REMINDER), part('a')]);
    expect(systemReminder.apply({ ...message, notes })).toMatchObject({ notes });
  });

  test('finds a reminder that is written with escapes', () => {
    expect(
      textIn(
        '{"content":"a\\n\\u003csystem-reminder\\u003eb\\u003c\\/system-reminder\\u003e","role":"tool"}',
        'tool',
      ),
    ).toBe('{"content":"a","role":"tool"}');
  });

  test('removes parts that are only reminders', () => {
    expect(
      textIn(
        '{"role":"user","content":[{"type":"text","text":"<system-reminder>a</system-reminder>"}, {"type":"text", "text":"b"}]}',
      ),
    ).toBe('{"role":"user","content":[{"type":"text", "text":"b"}]}');
    const parts = [part(`a\n${REMINDER}`), part('b')];
    expect(textIn(JSON.stringify({ role: 'tool', content: parts }), 'tool')).toBe(
      JSON.stringify({ role: 'tool', content: [part('a'), part('b')] }),
    );
  });

  test('removes texts that are only reminders from those that a content joins, byte for byte', () => {
    const texts = [REMINDER, 'a\u00e9', `b\n${REMINDER}`].map((text) => Buffer.from(JSON.stringify(text)));
    texts[1] = Buffer.from('"a\\u00e9"');
    const message = { ...of('user', `joined ${REMINDER}`), joined: texts };
    const edited = systemReminder.apply(message);
    expect(`${Buffer.from(edited?.bytes ?? '')}`).toBe(
      `{"role":"user","content":"a\\u00e9\\nb\\n${JSON.stringify(REMINDER).slice(1, -1)}"}`,
    );
    expect(systemReminder.apply(edited as typeof message)).toBe(edited);
    expect(systemReminder.apply({ ...message, joined: texts.slice(0, 1) })).toBeUndefined();
  });

  test('looks at 5 MB of openers and of ends of a result in linear time', () => {
    for (const text of [`\n<system-reminder>`.repeat(300_000), '</system-reminder>'.repeat(300_000)])
      expect(systemReminder.apply(of('tool', text))).toMatchObject({ role: 'tool' });
    const reminders = `a${`\n${REMINDER}`.repeat(100_000)}`;
    expect(textIn(JSON.stringify({ role: 'tool', content: reminders }), 'tool')).toBe(
      '{"role":"tool","content":"a"}',
    );
  });

  test('drops a user message that is left empty', () => {
    expect(systemReminder.apply(of('user', REMINDER))).toBeUndefined();
    expect(systemReminder.apply(of('user', [part(REMINDER), part(` ${REMINDER}`)]))).toBeUndefined();
  });

  test('keeps a result that is left empty, because its call needs it', () => {
    const appended = `\n\n${REMINDER}`;
    const result = { role: 'tool', tool_call_id: 'c', content: appended };
    expect(textIn(JSON.stringify(result), 'tool')).toBe('{"role":"tool","tool_call_id":"c","content":""}');
    const parts = { ...result, content: [part(appended)] };
    expect(textIn(JSON.stringify(parts), 'tool')).toBe('{"role":"tool","tool_call_id":"c","content":""}');
  });

  test.each([
    ['a text without a reminder', of('user', 'a system-reminder')],
    ['a reminder that is not closed', of('user', 'a <system-reminder>')],
    ['a reminder in a sentence', of('user', 'Is "<system-reminder>x</system-reminder>" valid?')],
    ['tags in a sentence', of('user', 'Compare <system-reminder> and </system-reminder> tags')],
    ['a reminder before a question', of('user', `${REMINDER}\nWho wrote this?`)],
    ['a reminder after a question', of('user', `Who wrote this?\n${REMINDER}`)],
    ['a part with a quoted reminder', of('user', [part(`a\n${REMINDER}`), part(REMINDER.slice(1))])],
    ['a result that quotes one', of('tool', `${REMINDER}\nend`)],
    ['a result that ends with one in a line', of('tool', `1: ${REMINDER}`)],
    ['a result with two ends', of('tool', `a\n${REMINDER} </system-reminder>`)],
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
