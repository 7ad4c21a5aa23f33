import { describe, expect, it } from 'vitest';
import type { Message } from '../../../transforms/model/element.ts';
import { MessageReader } from '../../../transforms/model/message-reader.ts';
import { type Path, pathBytes, pathHashes, pathOf } from '../../../transforms/model/path-hashes.ts';
import { randomFrom } from '../../support/plain-logs.ts';
import { call, calling, messageOf, result, user } from '../checks/samples.ts';

const copyOf = ({ bytes, ...rest }: Message): Message => ({ ...rest, bytes: Uint8Array.from(bytes) });

const first = [user('1'), calling(call('x', 'read', '{}')), result('x', 'text')];
const other = messageOf({ role: 'user', content: 'other' });

describe('the path of messages', () => {
  it('is the same with a known path as without one', () => {
    const known = pathOf(first);
    const paths = [first, [...first, other], [first[0] as Message, other], [other, ...first], []];
    for (const messages of paths) expect(pathOf(messages, known).hashes).toEqual(pathHashes(messages));
  });

  it('takes the hashes of leading messages with the same bytes from the known path', () => {
    const known: Path = { ...pathOf(first), hashes: ['a', 'b', 'c'] };
    expect(pathOf([...first.map(copyOf), other], known).hashes.slice(0, 3)).toEqual(['a', 'b', 'c']);
    expect(pathOf([other, ...first], known).hashes).toEqual(pathHashes([other, ...first]));
  });

  it('is right where the same messages follow a message that differs', () => {
    const known = pathOf([user('10:00'), ...first]);
    // the same result answers another call if one came before it
    for (const start of [user('10:01'), calling(call('y', 'read', '{}'))]) {
      const messages = [start, ...first, other];
      expect(pathOf(messages, known).hashes).toEqual(pathHashes(messages));
      expect(pathOf(messages, pathOf(messages.slice(0, 2), known)).hashes).toEqual(pathHashes(messages));
    }
  });
});

describe('the path as bytes', () => {
  const reader = new MessageReader();
  const hashed = (messages: readonly Message[]): Buffer =>
    Buffer.from(pathHashes(messages).join(''), 'latin1');
  const fraction = calling(call('x', 'read', '{"at":1.5}'));
  const long = user('a "text" '.repeat(10_000));
  const hundredCalls = Array.from({ length: 100 }, (_, i) => call(`c${i}`, 'read', '{}'));

  it('has the same hashes, by the module and without it', () => {
    const random = randomFrom(7);
    const id = (): string => `c${Math.floor(random() * 5)}`;
    const makers = [
      () => user(`${random()}`),
      () =>
        calling(call(id(), 'read', '{"path":"a"}'), call(id(), 'write', `{"n":${Math.floor(random() * 9)}}`)),
      () => result(id(), 'text'),
      () => result('unknown', 'text'),
    ];
    for (let round = 0; round < 200; round++) {
      const messages = Array.from({ length: Math.floor(random() * 40) }, () =>
        (makers[Math.floor(random() * makers.length)] as () => Message)(),
      );
      expect(reader.pathOf(messages)).toEqual(hashed(messages));
      expect(pathBytes(messages)).toEqual(hashed(messages));
    }
  });

  it('is that of many messages, and of messages whose keys do not fit in the module at once', () => {
    const messages = Array.from({ length: 4096 }, (_, i) =>
      i % 2 === 0 ? user(`${i}`) : result('x', `${i}`),
    );
    expect(reader.pathOf(messages)).toEqual(hashed(messages));
    const wide = Array.from({ length: 60 }, (_, i) =>
      calling(call(`c${i}`, 'write', JSON.stringify({ text: 'wide '.repeat(3000) }))),
    );
    expect(reader.pathOf(wide)).toEqual(hashed(wide));
  });

  it('counts calls beyond nine and ninety-nine', () => {
    const calls = Array.from({ length: 120 }, (_, i) => calling(call(`c${i}`, 'read', '{}')));
    const messages = [...calls, ...[0, 9, 10, 99, 100, 119].map((i) => result(`c${i}`, 'text'))];
    expect(reader.pathOf(messages)).toEqual(hashed(messages));
  });

  it.each([
    ['an odd message', [...first, fraction]],
    ['too many messages', Array.from({ length: 4097 }, () => other)],
    ['too many calls', Array.from({ length: 41 }, () => calling(...hundredCalls))],
    ['too many bytes', Array.from({ length: 12 }, () => long)],
  ])('is left to the slow road with %s', (_, messages) => {
    expect(reader.pathOf(messages)).toBeUndefined();
    expect(pathBytes(messages)).toEqual(hashed(messages));
  });
});

describe('the key of a message', () => {
  const bytesOf = (json: string): Message => ({ ...(first[0] as Message), bytes: Buffer.from(json) });
  const hashOf = (content: string): string | undefined =>
    pathHashes([bytesOf(`{"role":"user","content":${content}}`)])[0];
  const escaped = (text: string): string =>
    `"${[...text]
      .map((c) =>
        c
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`)
          .join(''),
      )
      .join('')}"`;
  const giant = 'a/b "c" \\u \t\u{1f600}é\u001b\ud800'.repeat(8000);

  it.each([
    ['plain', 'words'],
    ['with escapes', 'a/b "c" \\ \\u \n\r\t\b\f\u0000\u001b\u007f\u2028'],
    ['beyond ASCII', 'é\u{1f600}\u{10ffff}'],
    ['with lone surrogates', '\ud800 \udc00\ud800'],
    ['empty', ''],
    ['giant', giant],
  ])('is the same for a text however it is written: %s', (_, text) => {
    const same = hashOf(JSON.stringify(text));
    expect(hashOf(escaped(text))).toBe(same);
    expect(hashOf(JSON.stringify(text).replaceAll('/', '\\/'))).toBe(same);
    expect(hashOf(JSON.stringify([{ type: 'text', text }]))).toBe(same);
    expect(hashOf(JSON.stringify(`${text}.`))).not.toBe(same);
    expect(hashOf(JSON.stringify(text === '' ? ' ' : text.slice(0, -1)))).not.toBe(same);
  });

  it('is the same for no content at all', () => {
    const none = hashOf('""');
    for (const content of ['null', '[]', '[{"type":"text","text":""}]']) expect(hashOf(content)).toBe(none);
    expect(pathHashes([bytesOf('{"role":"user"}')])[0]).toBe(none);
    for (const content of ['0', '{}', '" "', '[{}]']) expect(hashOf(content)).not.toBe(none);
  });

  it('differs by role, calls, arguments and the call that is answered', () => {
    const all = [
      '{"role":"user","content":"x"}',
      '{"role":"assistant","content":"x"}',
      '{"role":"x","content":"user"}',
      '{"role":"assistant","content":"x","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}',
      '{"role":"assistant","content":"x","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{\\"a\\":1}"}}]}',
      '{"role":"assistant","content":"x","tool_calls":[{"id":"1","function":{"name":"g","arguments":"{}"}}]}',
    ].map((json) => pathHashes([bytesOf(json)])[0]);
    expect(new Set(all).size).toBe(all.length);
    const call = (id: string) =>
      bytesOf(`{"role":"assistant","tool_calls":[{"id":"${id}"},{"id":"${id}2"}]}`);
    const answer = (id: string) => bytesOf(`{"role":"tool","content":"x","tool_call_id":"${id}"}`);
    const end = (...messages: readonly Message[]) => pathHashes(messages).at(-1);
    expect(end(call('a'), answer('a'))).toBe(end(call('b'), answer('b')));
    expect(end(call('a'), answer('a'))).not.toBe(end(call('a'), answer('a2')));
  });
});
