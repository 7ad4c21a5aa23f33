/** The oracle's cleanup rules: texts that each rule removes, and near misses that it must leave. */
import { describe, expect, test } from 'vitest';
import { isOnlyInfo, namesGoose } from '../support/oracle/cleanup.ts';
import { entryText, fatesOf, messagesOf } from '../support/oracle/run-case.ts';
import { strip, words } from '../support/oracle/text.ts';

test('white space is that of Python', () => {
  expect(strip('\u001c\u0085\u3000 a b \u2003\u001f\n')).toBe('a b');
  expect(strip('\ufeff\u200b')).toBe('\ufeff\u200b');
  expect(words(' a\u3000b\n\nc\ufeffd ')).toEqual(['a', 'b', 'c\ufeffd']);
  const all = Array.from({ length: 0x10000 }, (_, i) => String.fromCharCode(i));
  const js = all.filter((ch) => ch.trim() === '' && ch !== '\ufeff');
  const python = [...js, '\u001c', '\u001d', '\u001e', '\u001f', '\u0085'].sort();
  expect(all.filter((ch) => strip(ch) === '').sort()).toEqual(python);
});

describe('goose-info', () => {
  test.each([
    '<info-msg></info-msg>',
    ' <info-msg>a</info-msg>\u0085',
    '<info-msg>a</info-msg>\n<info-msg>b</info-msg>',
    '<info-msg><info-msg></info-msg>',
  ])('%j is only info', (text) => {
    expect(isOnlyInfo(text)).toBe(true);
  });

  test.each([
    '',
    ' ',
    '<info-msg>',
    '</info-msg>',
    '<info-msg>a</info-msg>x',
    'x<info-msg>a</info-msg>',
    '<info-msg>a</info-msg></info-msg>',
    '<info-msg><info-msg>a</info-msg>b</info-msg>',
    '<INFO-MSG></INFO-MSG>',
    '<info-msg>a</info-msg><info-msg>',
    '\ufeff<info-msg></info-msg>',
    '<info-msg ></info-msg>',
  ])('%j is not', (text) => {
    expect(isOnlyInfo(text)).toBe(false);
  });

  test('only user messages without other parts are dropped', () => {
    const info = '"<info-msg>x</info-msg>"';
    const text = `{"type":"text","text":${info},"n":1.0}`;
    const kept = [
      `{"role":"system","content":${info}}`,
      `{"role":"user","content":[${text},{"type":"image"}]}`,
      `{"role":"user","content":[${text},{"type":"text"}]}`,
      '{"role":"user","content":[]}',
    ];
    const dropped = [`{"role":"user","content":${info}}`, `{"role":"user","content":[${text}]}`];
    expect(messagesOf(`[${[...kept, ...dropped].join(',')}]`)).toBe(`[${kept.join(',')}]`);
    expect(messagesOf(`[${dropped.join(',')}]`, { cleanup: false })).toBe(`[${dropped.join(',')}]`);
  });

  test('a megabyte of openers or blanks is scanned to the end', () => {
    expect(isOnlyInfo('<info-msg>'.repeat(100_000))).toBe(false);
    expect(namesGoose(`general-purpose${' '.repeat(1_000_000)}`)).toBe(false);
  });
});

describe('goose-bootstrap', () => {
  test.each([
    ['a general-purpose AI agent called goose.', true],
    ['GENERAL-PURPOSE\u00a0ai\n\tAgent \u001c Called\u3000gooseberry', true],
    ['general-purpose general-purpose AI agent called goose', true],
    ['general purpose AI agent called goose', false],
    ['general-purpose AI agentcalled goose', false],
    ['general-purpose\ufeffAI agent called goose', false],
    ['general-purpo\u017fe AI agent called goose', false],
    ['You are a general-purpose AI agent', false],
  ])('%j: %s', (text, hit) => {
    expect(namesGoose(text)).toBe(hit);
  });

  test('replaces the whole content, only of system messages', () => {
    const goose = '"general-purpose AI agent called goose"';
    const parts =
      '[{"type":"text","text":"general-purpose AI agent called g"},{"type":"x"},{"type":"text","text":"oose"}]';
    const done = '"content":"You are a general-purpose AI agent"';
    const messages = `[{"role":"system","content":${goose},"n":1.0},{"content":${parts},"role":"system"},{"role":"user","content":${goose}},{"role":"developer","content":${goose}}]`;
    expect(messagesOf(messages)).toBe(
      `[{"role":"system",${done},"n":1.0},{${done},"role":"system"},{"role":"user","content":${goose}},{"role":"system","content":${goose}}]`,
    );
  });
});

describe('empty-assistant', () => {
  const next = '{"role":"assistant","content":"x"}';
  test.each([
    '"content":""',
    '"content":" \\u0085\\n"',
    '"content":[]',
    '"content":[{"type":"text","text":" "}]',
    '"content":"","tool_calls":[]',
    '"content":"","tool_calls":null',
    '"content":"","tool_call_id":""',
    '"content":"","function_call":{"name":"f"}',
  ])('drops %s', (members) => {
    expect(messagesOf(`[{"role":"assistant",${members}},${next}]`)).toBe(`[${next}]`);
  });

  test.each([
    '"content":"\\ufeff"',
    '"n":1',
    '"content":0',
    '"content":[{"type":"image"}]',
    '"content":[{"type":"text"}]',
    '"content":"","tool_calls":[1]',
    '"content":"","tool_calls":{}',
    '"content":"","tool_call_id":"c"',
  ])('keeps %s', (members) => {
    const list = `[{"role":"assistant",${members}},${next}]`;
    expect(messagesOf(list)).toBe(list);
  });

  test('null content is not text', () => {
    expect(messagesOf(`[{"role":"assistant","content":null},${next}]`)).toBe(
      `[{"role":"assistant"},${next}]`,
    );
  });

  test('considers the next message before the rule was applied', () => {
    const empty = '{"role":"assistant","content":""}';
    const info = '{"role":"user","content":"<info-msg></info-msg>"}';
    const user = '{"role":"user","content":"u"}';
    expect(messagesOf(`[${empty},${empty},${next},${empty},${user},${empty}]`)).toBe(
      `[${next},${empty},${user},${empty}]`,
    );
    expect(messagesOf(`[${empty},${info},${next}]`)).toBe(`[${next}]`);
  });

  test('the reply does not count and is not cleaned', () => {
    const empty = '{"role":"assistant","content":""}';
    expect(fatesOf(entryText(1, `[${empty}]`, { reply: empty }))).toEqual(['snapshot']);
  });
});

describe('goose-title', () => {
  const ask = '{"role":"system","content":" Reply with only a description in four words or less, please"}';
  const show = '{"role":"user","content":"Here are the first few user messages:\\nx"}';
  const reply = (text: string, role = 'assistant'): string => `{"role":"${role}","content":${text}}`;
  const fate = (messages: string, answer: string): string[] =>
    fatesOf(entryText(1, messages, { reply: answer }));

  test.each(['"Fix build"', '"a b c d e f"', '[{"type":"text","text":"Fix"}]'])('drops on %s', (text) => {
    expect(fate(`[${ask},${show}]`, reply(text))).toEqual(['dropped:goose-title']);
  });

  test.each(['"a b c d e f g"', '" "', 'null', '[]'])('keeps on %s', (text) => {
    expect(fate(`[${ask},${show}]`, reply(text))).toEqual(['snapshot']);
  });

  test('considers cleaned messages and the roles', () => {
    const info = '{"role":"user","content":"<info-msg></info-msg>"}';
    expect(fate(`[${info},${ask},${info},${show}]`, reply('"x"'))).toEqual(['dropped:goose-title']);
    expect(fate(`[${ask},${show}]`, reply('"x"', 'user'))).toEqual(['snapshot']);
    expect(fate(`[${ask.replace('system', 'developer')},${show}]`, reply('"x"'))).toEqual(['snapshot']);
    expect(fate(`[${show},${ask}]`, reply('"x"'))).toEqual(['snapshot']);
    expect(fatesOf(entryText(1, `[${ask},${show}]`))).toEqual(['snapshot']);
  });
});
