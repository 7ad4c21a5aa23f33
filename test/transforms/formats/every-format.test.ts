/**
 * 300 generated conversations in every format (10,000 with TURNMILL_LONG=1). A record has the shape that its consumer expects
 * or is rejected by a rule of the format; no key, value or number of an argument changes; formats that can be read back yield the same.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import messagesDialect from '../../../transforms/dialects/messages.ts';
import type { Format } from '../../../transforms/formats/format.ts';
import { formats } from '../../../transforms/formats/index.ts';
import { decode, encode } from '../../../transforms/json/utf8.ts';
import type { Conversation, Entry } from '../../../transforms/model/element.ts';
import { parseCalls, type Value } from '../../support/gemma-call.ts';
import { LONG } from '../../support/long.ts';
import { type OddConversation, oddConversation } from '../../support/odd-conversations.ts';
import { parseJson, tryParseJson } from '../../support/oracle/parse-json.ts';
import { get, type Tree } from '../../support/oracle/tree.ts';
import { shapeProblem } from '../../support/record-shape.ts';
import { asBuffer } from '../bytes.ts';
import { conversationOf, rawMessage } from '../checks/samples.ts';
import { lineOf } from '../log-lines.ts';

const numRuns = LONG ? 10_000 : 150;

function conversation({ messages, tools }: OddConversation): Conversation {
  return conversationOf(
    messages.map(({ role, json }) => rawMessage(role, json)),
    { tools: tools.map((json) => ({ bytes: encode(json), name: JSON.parse(json).name })) },
  );
}

/** Text of the record, if no finding rejects it. */
function recordOf(format: Format, of: OddConversation): string | undefined {
  const { bytes, findings } = format.encode(conversation(of));
  return findings.some(({ rejects }) => rejects) ? undefined : decode(bytes);
}

/** Canonical text of a value: keeps keys, order and the text of numbers, ignores spaces and escapes. */
function canon(tree: Tree | undefined): string {
  if (tree === undefined) return 'nothing';
  if (tree.kind === 'object') {
    return `{${tree.members.map(({ key, value }) => `${JSON.stringify(key)}:${canon(value)}`).join()}}`;
  }
  if (tree.kind === 'array') return `[${tree.items.map(canon).join()}]`;
  return tree.kind === 'string' ? JSON.stringify(tree.value) : tree.text;
}

/** Arguments in either encoding. */
function argumentsTree(tree: Tree | undefined): Tree | undefined {
  return tree?.kind === 'string' ? (tryParseJson(tree.value) ?? tree) : tree;
}

const items = (tree: Tree | undefined): readonly Tree[] => (tree?.kind === 'array' ? tree.items : []);
const named = (name: Tree | undefined, args: Tree | undefined): string =>
  `${name?.kind === 'string' ? name.value : ''} ${canon(argumentsTree(args))}`;

/** Calls in a record of messages. */
function callsOfMessages(record: string): string[] {
  return items(get(parseJson(record), 'messages')).flatMap((message) =>
    items(get(message, 'tool_calls')).map((call) => {
      const fn = get(call, 'function');
      return named(get(fn, 'name'), get(fn, 'arguments'));
    }),
  );
}

/** Calls written as tags in a text. */
function callsInText(text: string): string[] {
  return [...text.matchAll(/<tool_call>(.*?)<\/tool_call>/gs)].flatMap(([, json = '']) => {
    const tree = parseJson(json);
    const list = tree.kind === 'array' ? tree.items : [tree];
    return list.map((call) => named(get(call, 'name'), get(call, 'arguments')));
  });
}

function callsOfTurns(record: string): string[] {
  return items(get(parseJson(record), 'conversations')).flatMap((turn) => {
    const from = get(turn, 'from');
    const value = get(turn, 'value');
    if (from?.kind !== 'string' || from.value !== 'function_call' || value?.kind !== 'string') return [];
    const thought = value.value.replace(/^<think>\n[\s\S]*?\n<\/think>\n\n/, '');
    if (thought.endsWith('</tool_call>')) return callsInText(thought);
    const tree = parseJson(thought);
    return (tree.kind === 'array' ? tree.items : [tree]).map((call) =>
      named(get(call, 'name'), get(call, 'arguments')),
    );
  });
}

/** The generated calls; those without arguments have an empty object. */
function generatedCalls({ messages }: OddConversation): string[] {
  return messages.flatMap(({ calls }) =>
    calls.map(({ name, args }) => `${name} ${args === undefined ? '{}' : canon(parseJson(args))}`),
  );
}

const allObjects = ({ messages }: OddConversation): boolean =>
  messages.every(({ calls }) => calls.every(({ encoding }) => encoding !== 'other'));
const encodedAs = ({ messages }: OddConversation, encoding: string): boolean =>
  messages.every(({ calls }) => calls.every((call) => call.encoding === encoding));
const holds = (of: OddConversation, part: string): boolean =>
  of.messages.some(({ json }) => json.includes(part));

function check(property: (of: OddConversation) => void): void {
  fc.assert(fc.property(oddConversation, property), { numRuns });
}

const formatNamed = (name: string): Format => formats.find((format) => format.name === name) as Format;

describe.each(formats.map((format) => [format.name, format] as const))('%s', (name, format) => {
  it('writes records that its consumer accepts, or rejects by one of its rules', () => {
    let written = 0;
    check((of) => {
      const { bytes, findings } = format.encode(conversation(of));
      for (const { rule, rejects } of findings) if (rejects) expect(format.rules).toContain(rule);
      if (findings.some(({ rejects }) => rejects)) return;
      written += 1;
      const text = decode(bytes);
      expect(text).not.toMatch(name === 'sts' ? /\r/ : /[\r\n]/);
      const lines = text.split('\n').map((json) => JSON.parse(json));
      expect([text, shapeProblem(name, name === 'sts' ? { lines } : lines[0])]).toEqual([text, undefined]);
    });
    expect(written).toBeGreaterThan(0);
  });
});

describe('keys, values and numbers of arguments', () => {
  it.each(['chat', 'openai', 'trl', 'axolotl'])('stay in %s', (name) => {
    check((of) => {
      const record = recordOf(formatNamed(name), of);
      if (record === undefined || !allObjects(of)) return;
      const empty = / (?:nothing|null|"\s*")$/; // absent ones, which `chat` and `openai` leave as logged
      expect(callsOfMessages(record).map((call) => call.replace(empty, ' {}'))).toEqual(generatedCalls(of));
    });
  });

  it('stay in chat-inline', () => {
    check((of) => {
      if (!allObjects(of) || holds(of, 'tool_call>')) return;
      const record = recordOf(formatNamed('chat-inline'), of) as string;
      const texts = (JSON.parse(record).messages as { content?: unknown }[]).map(({ content }) => content);
      const calls = texts.flatMap((text) => (typeof text === 'string' ? callsInText(text) : []));
      expect(calls.map((call) => call.replace(/ (?:null|"\s*")$/, ' {}'))).toEqual(generatedCalls(of));
    });
  });

  it('stay in sharegpt', () => {
    let seen = 0;
    check((of) => {
      const record = recordOf(formatNamed('sharegpt'), of);
      if (record === undefined) return;
      const calls = callsOfTurns(record);
      const all = generatedCalls(of);
      seen += calls.length;
      expect(calls).toEqual(all.slice(0, calls.length));
    });
    expect(seen).toBeGreaterThan(0);
  });

  it('are the same when a call of functiongemma is parsed', () => {
    let seen = 0;
    check((of) => {
      const record = recordOf(formatNamed('functiongemma'), of);
      if (record === undefined) return;
      const calls = parseCalls(JSON.parse(record).text);
      const expected = of.messages.flatMap((message) => message.calls);
      expect(calls.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
      calls.forEach(({ args }, i) => {
        const logged = expected[i]?.args ?? '{}';
        expect([logged, isSame(args, parseJson(logged), true)]).toEqual([logged, true]);
        seen += 1;
      });
    });
    expect(seen).toBeGreaterThan(0);
  });
});

/** Whether a parsed value equals the JSON: members are sorted at the top and keep their order further in. */
function isSame(value: Value, tree: Tree, top: boolean): boolean {
  if (value.kind === 'object') {
    if (tree.kind !== 'object' || tree.members.length !== value.members.length) return false;
    return value.members.every(([key, one], i) => {
      const member = top ? tree.members.find((other) => other.key === key) : tree.members[i];
      return member?.key === key && isSame(one, member.value, false);
    });
  }
  if (value.kind === 'array') {
    if (tree.kind !== 'array' || tree.items.length !== value.items.length) return false;
    return value.items.every((one, i) => isSame(one, tree.items[i] as Tree, false));
  }
  if (value.kind === 'string') return tree.kind === 'string' && tree.value === value.text;
  if (tree.kind !== 'number') return tree.kind === 'literal' && tree.text === value.text;
  return value.text === (/\..*[eE]/.test(tree.text) ? EXPANDED.get(tree.text) : tree.text);
}

/** Writes generated numbers with a fraction and an exponent without the exponent. */
const EXPANDED = new Map([
  ['1.5e3', '1500'],
  ['2.5E-4', '0.00025'],
]);

const ONE_TEXT_PART = /"content":\[\{"type":"text","text":("(?:[^"\\]|\\.)*")\}\]/;

/** The JSON text that a format for templates makes of a message with a single text part, or without a content. */
function templated(name: string, { role, json }: OddConversation['messages'][number]): string {
  const joined = json.replace(ONE_TEXT_PART, '"content":$1');
  if (!['trl', 'axolotl'].includes(name)) return joined;
  if ((JSON.parse(joined).content ?? undefined) !== undefined) return joined;
  return joined.includes('"content":null')
    ? joined.replace('"content":null', '"content":""')
    : joined.replace(`"role":"${role}"`, `"role":"${role}","content":""`);
}

describe('the bytes of messages', () => {
  it.each([
    ['openai', 'string'],
    ['trl', 'object'],
  ])('stay in %s, except for the encoding of arguments and contents', (name, encoding) => {
    check((of) => {
      const { written: inRecord, findings } = formatNamed(name).encode(conversation(of));
      if (findings.some(({ rejects }) => rejects)) return;
      inRecord.forEach(({ bytes }, i) => {
        const message = of.messages[i] as OddConversation['messages'][number];
        const { calls } = message;
        const json = templated(name, message);
        const same = calls.every((call) => call.encoding === encoding);
        if (same) expect(decode(bytes)).toBe(json);
        const [now, logged] = [decode(bytes), json].map((text) => text.replace(/"tool_calls":.*$/s, ''));
        expect(now).toBe(logged);
      });
    });
  });
});

/** The conversation without empty answers at its end, since reading yields none. */
function answered({ messages, tools }: OddConversation): OddConversation {
  const isEmpty = ({ role, json }: OddConversation['messages'][number]): boolean => {
    const { content, tool_calls: calls } = JSON.parse(json);
    const texts = Array.isArray(content) ? content.map(({ text }) => text ?? 'image') : [content ?? ''];
    return role === 'assistant' && texts.join('').trim() === '' && !calls;
  };
  const last = messages.at(-1);
  return { tools, messages: last !== undefined && isEmpty(last) ? messages.slice(0, -1) : messages };
}

describe('reading back', () => {
  const reader = messagesDialect.create();
  function again(record: string): Conversation {
    const [entry] = reader.read(lineOf(record, asBuffer)) as [Entry];
    expect(entry.kind, JSON.stringify(entry)).toBe('entry');
    const { messages, reply, tools } = entry;
    return conversationOf(reply === undefined ? messages : [...messages, reply], { tools });
  }
  const chat = formatNamed('chat');
  const chatText = (of: Conversation): string => decode(chat.encode(of).bytes);

  it.each([
    ['chat', 'any'],
    ['openai', 'string'],
    ['trl', 'object'],
    ['axolotl', 'string'],
  ])('chat -> %s -> chat is the identity, except for contents', (name, encoding) => {
    let seen = 0;
    check((of) => {
      if (encoding !== 'any' && !encodedAs(of, encoding)) return;
      const record = recordOf(formatNamed(name), of);
      if (record === undefined) return;
      seen += 1;
      const { messages, tools } = answered(of);
      const read = messages.map((message) =>
        name === 'chat' ? message : { ...message, json: templated(name, message) },
      );
      expect(chatText(again(record))).toBe(chatText(conversation({ messages: read, tools })));
    });
    expect(seen).toBeGreaterThan(0);
  });

  it.each(['chat-inline', 'samples'])(
    'chat -> %s -> chat is the identity if nothing had to become text',
    (name) => {
      let seen = 0;
      check((of) => {
        const record = recordOf(formatNamed(name), of);
        const isText = of.messages.every(({ calls, role }) => calls.length === 0 && role !== 'tool');
        const { findings } = formatNamed(name).encode(conversation(of));
        const reported = findings.some(({ rule }) => rule !== 'control-token-in-content');
        if (record === undefined || reported || (name === 'chat-inline' && !isText)) return;
        seen += 1;
        expect(chatText(again(record))).toBe(chatText(conversation(answered(of))));
      });
      expect(seen).toBeGreaterThan(0);
    },
  );

  it('chat -> sharegpt -> sharegpt is the identity, for everything that a turn can hold', () => {
    const sharegpt = formatNamed('sharegpt');
    let seen = 0;
    check((of) => {
      const record = recordOf(sharegpt, of);
      if (record === undefined || sharegpt.encode(conversation(of)).findings.length > 0) return;
      seen += 1;
      expect(decode(sharegpt.encode(again(record)).bytes)).toBe(record);
    });
    expect(seen).toBeGreaterThan(0);
  });
});
