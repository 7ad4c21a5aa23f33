import { describe, expect, it, test } from 'vitest';
import type { Entry, Rejection, SessionEnd, StreamElement } from '../../../transforms/model/element.ts';
import { apply, defaultsOf } from '../../../transforms/stage.ts';
import { detectDialect } from '../../../transforms/stages/choose-dialect.ts';
import { type ParseOptions, parse } from '../../../transforms/stages/parse.ts';
import { asArray, asBuffer, fromLatin1, KINDS, text } from '../bytes.ts';
import { originOf } from '../checks/samples.ts';
import { entryJson, lineOf } from '../log-lines.ts';

const DEFAULTS = defaultsOf(parse.options);
const run = (elements: Iterable<StreamElement>, options: Partial<ParseOptions> = {}) => [
  ...apply(parse.create({ ...DEFAULTS, ...options }), elements),
];
const END: SessionEnd = { kind: 'session-end', origin: originOf(99), last: true };
const GOOD = entryJson();
const NO_TIME = 'timestamp is not a readable time: ';
const CONVERSATION = '{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]}';
const entryOfId = (id: string) => entryJson({ session_id: id });

describe.each(KINDS)('a line in a %s', (_kind, make) => {
  const [first, second] = [entryJson(), entryJson({ session_id: 't' })];
  const one = (json: string | Uint8Array, offset = 1000) => run([lineOf(json, make, 7, offset)]);

  it('is an entry', () => {
    const [entry, ...rest] = one(` ${GOOD}\r`) as Entry[];
    expect(rest).toEqual([]);
    expect(entry).toMatchObject({
      kind: 'entry',
      origin: { source: 'a.jsonl', line: 7, offset: 1000, length: GOOD.length + 2 },
      sessionId: 's',
      timestamp: 1_768_342_443_000_000_000n,
      tools: [],
    });
    expect(entry?.messages.map(({ bytes }) => text(bytes))).toEqual(['{"role":"user","content":"hi"}']);
    expect(text((entry as Entry).reply?.bytes as Uint8Array)).toBe('{"role":"assistant","content":"ho"}');
  });

  it.each(['', ' ', '\t \r', '\n'])('of %j is blank', (json) => {
    const { origin } = lineOf(json, make, 7, 1000);
    expect(one(json)).toEqual([{ kind: 'fate', fate: 'blank', origin }]);
  });

  it('whose reply has no role has a repair before its entry', () => {
    const json = GOOD.replace('"role":"assistant",', '');
    const { origin } = lineOf(json, make, 7, 1000);
    const [repair, entry, ...rest] = one(json) as [StreamElement, Entry];
    expect(rest).toEqual([]);
    expect(repair).toEqual({ kind: 'repair', repair: 'reply-role', origin, count: 1 });
    expect(text((entry as Entry).reply?.bytes as Uint8Array)).toBe('{"role":"assistant","content":"ho"}');
  });

  it.each(['2026-01-14T08:00:01.000Z ', '2026-01-14 08:00:01,5+01:00\t', '2026-01-14T08:00:01Z stdout F '])(
    'may have a time before its object: %j',
    (prefix) => {
      const { origin } = lineOf(`${prefix}${GOOD}`, make, 7, 1000);
      const [repair, entry, ...rest] = one(`${prefix}${GOOD}`) as [StreamElement, Entry];
      expect(rest).toEqual([]);
      expect(repair).toEqual({ kind: 'repair', repair: 'time-prefix', origin, count: 1 });
      expect(entry).toMatchObject({ kind: 'entry', origin, sessionId: 's' });
      const [, rejection] = one(`${prefix}{"a":`) as [StreamElement, Rejection];
      expect([rejection.reason, text(rejection.bytes as Uint8Array)]).toEqual([
        'invalid-json',
        `${prefix}{"a":`,
      ]);
    },
  );

  it.each(['2026-01-14 ', '12:00:01 ', '2026-01-14T08:00:01Z INFO '])(
    'is not JSON after anything else: %j',
    (prefix) => {
      expect(one(`${prefix}${GOOD}`)).toMatchObject([{ kind: 'rejection', reason: 'invalid-json' }]);
    },
  );

  it('of several objects is several entries at their own offsets', () => {
    const [repair, ...entries] = one(`${first} ${second}${first}`);
    expect(repair).toEqual({
      ...{ kind: 'repair', repair: 'split-objects', count: 2 },
      origin: { source: 'a.jsonl', line: 7, offset: 1000, length: first.length * 2 + second.length + 1 },
    });
    const at = [1000, 1001 + first.length, 1001 + first.length + second.length];
    expect(entries.map(({ origin }) => [origin.line, origin.offset, origin.length])).toEqual([
      [7, at[0], first.length],
      [7, at[1], second.length],
      [7, at[2], first.length],
    ]);
    expect((entries as Entry[]).map(({ sessionId }) => sessionId)).toEqual(['s', 't', 's']);
  });

  it('of several objects rejects each one separately with its bytes', () => {
    const bad = '{"timestamp":true}';
    const [repair, entry, rejection] = one(`${first}${bad}`) as [StreamElement, Entry, Rejection];
    expect([repair.kind, entry.kind]).toEqual(['repair', 'entry']);
    expect(rejection).toMatchObject({
      reason: 'bad-timestamp',
      detail: `${NO_TIME}a boolean of 4 bytes at byte ${first.length + 13} of the line (${1000 + first.length + 13} of the source)`,
      origin: { offset: 1000 + first.length, length: bad.length },
    });
    expect(text(rejection.bytes as Uint8Array)).toBe(bad);
  });

  it('that is cut off is rejected as a whole', () => {
    const torn = first.slice(0, -1);
    const [rejection, ...rest] = one(torn) as Rejection[];
    expect(rest).toEqual([]);
    expect(rejection).toMatchObject({
      reason: 'invalid-json',
      detail: `not JSON at byte ${torn.length} of the line (${1000 + torn.length} of the source)`,
      origin: { offset: 1000, length: torn.length },
    });
    expect(text(rejection?.bytes as Uint8Array)).toBe(torn);
  });

  it('that is cut off after a whole object keeps it, and the rest is rejected', () => {
    for (const torn of ['{"timestamp":', second.slice(0, 40)]) {
      const [repair, entry, rejection, ...rest] = one(`${first}${torn}`);
      expect(rest).toEqual([]);
      expect([repair?.kind, entry?.kind]).toEqual(['repair', 'entry']);
      const at = 1000 + first.length;
      expect(rejection).toMatchObject({
        reason: 'invalid-json',
        detail: `not JSON at byte ${torn.length} of the line (${at + torn.length} of the source)`,
        origin: { offset: at, length: torn.length },
      });
      expect(text((rejection as Rejection).bytes as Uint8Array)).toBe(torn);
    }
  });

  it('is rejected from the first value that is not an object', () => {
    expect((one(`${first} 7`)[0] as Rejection).detail).toBe(
      `more than one value at byte ${first.length + 1} of the line (${1001 + first.length} of the source)`,
    );
    expect((one(`7 ${first}`)[0] as Rejection).detail).toBe(
      'more than one value at byte 2 of the line (1002 of the source)',
    );
    expect((one(`${first},`)[0] as Rejection).detail).toContain(`not JSON at byte ${first.length} `);
  });
});

describe('a line is rejected', () => {
  const at = (byte: number | undefined) =>
    byte === undefined ? '' : ` at byte ${byte} of the line (${byte + 10} of the source)`;
  const json = (members: string) => `{"timestamp":1,"session_id":"s",${members}}`;
  const MESSAGES = '"request":{"messages":[]}';

  test.each<[string, string, string, number | undefined]>([
    ['invalid-json', '{"a":tru}', 'not JSON', 8],
    ['invalid-json', 'x', 'not JSON', 0],
    ['invalid-json', '{"timestamp":1', 'not JSON', 14],
    ['invalid-json', '{"request":{"messages":[{"role":"user"},]}}', 'not JSON', 40],
    ['invalid-json', '{"request":{"messages":[{"role" "user"}]}}', 'not JSON', 32],
    ['invalid-json', '{"request":{"tools":[1 2]}}', 'not JSON', 23],
    ['invalid-json', '{"request":{"messages" []}}', 'not JSON', 23],
    ['invalid-json', '{"response":{"choices":[{"message":{"role":}}]}}', 'not JSON', 43],
    ['invalid-json', '{"response":{"choices":[1 2]}}', 'not JSON', 26],
    ['invalid-json', '{\u00ef\u00bb\u00bf}', 'not JSON', 1],
    ['invalid-json', '[1] [2]', 'more than one value', 4],
    ['invalid-utf8', '{"a":"\xe9"}', 'not UTF-8', 6],
    ['invalid-utf8', '{"a":tru,"\xff"', 'not UTF-8', 10],
    ['invalid-utf8', '\xff\xfe{}', 'not UTF-8', 0],
    ['invalid-utf8', '{"request":{"messages":[{"role":"user","content":"\xed\xa0\x80"}]}}', 'not UTF-8', 50],
    ['not-an-object', ' [1]', 'JSON, but not an object', 1],
    ['not-an-object', '"a"', 'JSON, but not an object', 0],
    ['not-an-object', 'null', 'JSON, but not an object', 0],
    ['not-an-object', '17', 'JSON, but not an object', 0],
    ['too-deep', `{"a":${'['.repeat(512)}${']'.repeat(512)}}`, 'nested too deep', 516],
    [
      'too-deep',
      `{"request":{"messages":[{"a":${'['.repeat(509)}${']'.repeat(509)}}]}}`,
      'nested too deep',
      537,
    ],
    ['too-deep', '['.repeat(100_000), 'nested too deep', 512],
    ['duplicate-key', '{"timestamp":1,"timestamp":1}', 'duplicate key', 15],
    ['duplicate-key', '{"session_id":1,"session_id":1}', 'duplicate key', 16],
    ['duplicate-key', '{"session_id":1,"session\\u005fid":1}', 'duplicate key', 16],
    ['duplicate-key', '{"request":1,"request":{}}', 'duplicate key', 13],
    ['duplicate-key', '{"response":1,"response":{}}', 'duplicate key', 14],
    ['duplicate-key', '{"request":{"messages":[],"messages":1}}', 'duplicate key', 26],
    ['duplicate-key', '{"request":{"tools":[],"tools":null}}', 'duplicate key', 23],
    ['bad-timestamp', '{}', 'timestamp is missing', undefined],
    ['bad-timestamp', '{"timestamp":null}', `${NO_TIME}null`, 13],
    ['bad-timestamp', '{"timestamp":{"a":1}}', `${NO_TIME}an object of 7 bytes`, 13],
    ['bad-timestamp', '{"timestamp":[]}', `${NO_TIME}an array of 2 bytes`, 13],
    ['bad-timestamp', '{"timestamp":false}', `${NO_TIME}a boolean of 5 bytes`, 13],
    ['bad-timestamp', '{"timestamp": "2024-02-30T00:00:00Z"}', `${NO_TIME}"2024-02-30T00:00:00Z"`, 14],
    ['bad-timestamp', '{"timestamp":"1 +2.T:Z,-"}', `${NO_TIME}"1 +2.T:Z,-"`, 13],
    ['bad-timestamp', `{"timestamp":"${'1'.repeat(40)}"}`, `${NO_TIME}"${'1'.repeat(40)}"`, 13],
    ['bad-timestamp', `{"timestamp":"${'1'.repeat(41)}"}`, `${NO_TIME}a string of 41 characters`, 13],
    ['bad-timestamp', '{"timestamp":"my secret"}', `${NO_TIME}a string of 9 characters`, 13],
    ['bad-timestamp', '{"timestamp":"2026-01-32t00:00:00z"}', `${NO_TIME}a string of 20 characters`, 13],
    ['bad-timestamp', '{"timestamp":"\\u0041"}', `${NO_TIME}a string of 1 character`, 13],
    ['bad-timestamp', '{"timestamp":"1\\n"}', `${NO_TIME}a string of 2 characters`, 13],
    ['bad-timestamp', '{"timestamp":-1}', `${NO_TIME}-1`, 13],
    ['bad-timestamp', '{"timestamp":1e400}', `${NO_TIME}a number of 5 characters`, 13],
    ['bad-session-id', '{"timestamp":1}', 'session_id is missing', undefined],
    ['bad-session-id', '{"timestamp":1,"session_id":""}', 'session_id is not valid', 28],
    ['bad-session-id', '{"timestamp":1,"session_id":7}', 'session_id is not valid', 28],
    ['bad-session-id', '{"timestamp":1,"session_id":null}', 'session_id is not valid', 28],
    ['bad-messages', '{"timestamp":1,"session_id":"s"}', 'request.messages is missing', undefined],
    ['bad-messages', json('"request":null'), 'request.messages is missing', undefined],
    ['bad-messages', json('"request":[]'), 'request.messages is missing', undefined],
    ['bad-messages', json('"request":{"tools":[]}'), 'request.messages is missing', undefined],
    ['bad-messages', json('"request":{"messages":{}}'), 'request.messages is not valid', 54],
    ['bad-messages', json('"request":{"messages":null}'), 'request.messages is not valid', 54],
    ['bad-messages', json('"request":{"messages":[1]}'), 'a message is not an object with a string role', 54],
    [
      'bad-messages',
      json('"request":{"messages":[{}]}'),
      'a message is not an object with a string role',
      54,
    ],
    [
      'bad-messages',
      json('"request":{"messages":[{"role":1}]}'),
      'a message is not an object with a string role',
      54,
    ],
    [
      'bad-messages',
      json('"request":{"messages":[{"role":"a","role":null}]}'),
      'a message is not an object with a string role',
      54,
    ],
    ['bad-tools', json('"request":{"messages":[],"tools":{}}'), 'request.tools is not valid', 65],
    ['bad-tools', json('"request":{"messages":[],"tools":"x"}'), 'request.tools is not valid', 65],
    ['bad-tools', json('"request":{"messages":[],"tools":[{},1]}'), 'request.tools is not valid', 65],
    ['bad-response', json(`${MESSAGES},"response":[]`), 'response is not valid', 69],
    ['bad-response', json(`${MESSAGES},"response":false`), 'response is not valid', 69],
  ])('%s: %s', (reason, characters, detail, byte) => {
    for (const make of [asBuffer, asArray]) {
      const line = lineOf(fromLatin1(characters), make, 3, 10);
      const emitted = run([line], { dialect: 'exchange' });
      expect(emitted).toMatchObject([
        {
          kind: 'rejection',
          scope: 'line',
          stage: 'parse',
          reason,
          detail: `${detail}${at(byte)}`,
          origin: line.origin,
        },
      ]);
      expect(text((emitted[0] as Rejection).bytes as Uint8Array)).toBe(text(line.bytes));
    }
  });

  it('and the next line is read', () => {
    const kinds = run([lineOf('{"a'), lineOf(GOOD), lineOf('x'), lineOf(GOOD)]).map(({ kind }) => kind);
    expect(kinds).toEqual(['rejection', 'entry', 'rejection', 'entry']);
  });
});

describe('with sessions by id', () => {
  const shown = (elements: readonly StreamElement[]) =>
    elements.map((element) =>
      element.kind === 'session-end'
        ? `end ${element.last} ${element.origin.offset} ${element.origin.length}`
        : element.kind,
    );
  const at = (id: string, offset: number) => lineOf(entryOfId(id), asBuffer, offset + 1, offset);

  it('a session ends where the id changes', () => {
    const lines = [at('a', 0), at('a', 10), at('b', 20), at('a', 30), END];
    expect(shown(run(lines, { sessionBy: 'run' }))).toEqual([
      'entry',
      'entry',
      'end false 20 0',
      'entry',
      'end false 30 0',
      'entry',
      'end true 9900 99',
    ]);
  });

  it('blank and rejected lines end no session', () => {
    const lines = [at('a', 0), lineOf(''), lineOf('x'), at('a', 10), END];
    expect(shown(run(lines, { sessionBy: 'run' }))).toEqual([
      'entry',
      'fate',
      'rejection',
      'entry',
      'end true 9900 99',
    ]);
  });

  it('the objects of one line may belong to several sessions', () => {
    const line = lineOf(`${entryOfId('a')}${entryOfId('b')}`, asBuffer, 1, 5);
    expect(shown(run([line], { sessionBy: 'run' }))).toEqual([
      'repair',
      'entry',
      `end false ${5 + entryOfId('a').length} 0`,
      'entry',
    ]);
  });

  it('a new source begins without an id', () => {
    expect(shown(run([at('a', 0), END, at('b', 0)], { sessionBy: 'run' }))).toEqual([
      'entry',
      'end true 9900 99',
      'entry',
    ]);
    const sessionEnd = { ...END, last: false }; // ends the session of a
    expect(shown(run([at('a', 0), sessionEnd, at('b', 0)], { sessionBy: 'run' }))).toEqual([
      'entry',
      'end false 9900 99',
      'entry',
    ]);
  });

  it('by default a second id ends nothing', () => {
    expect(shown(run([at('a', 0), at('b', 10)]))).toEqual(['entry', 'entry']);
  });
});

describe('the dialect', () => {
  const names = (...lines: readonly string[]) => lines.map((json) => detectDialect(asArray(json))?.name);

  it('is undefined for an object that no dialect detects', () => {
    expect(names(` ${GOOD}`, '{}', '{"messages":1}')).toEqual(['exchange', undefined, undefined]);
  });

  it('is not detected from values other than objects', () => {
    expect(names('[1]', '"a"', `${GOOD.slice(0, -1)}`, 'x')).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is that of the first entry, also after a line that was cut off', () => {
    const emitted = run([lineOf('{"timest'), lineOf(CONVERSATION), lineOf(CONVERSATION, asBuffer, 2), END]);
    expect(emitted.map(({ kind }) => kind)).toEqual([
      'rejection',
      'entry',
      'session-end',
      'entry',
      'session-end',
    ]);
  });

  it('is kept for the source and detected again in the next one', () => {
    const reasons = (elements: readonly StreamElement[]) =>
      elements.map((element) => (element.kind === 'rejection' ? element.reason : element.kind));
    const lines = [lineOf(GOOD), lineOf(CONVERSATION), END, lineOf(CONVERSATION), lineOf(GOOD), END];
    expect(reasons(run(lines))).toEqual([
      ...['entry', 'bad-timestamp', 'session-end'],
      ...['entry', 'bad-messages', 'session-end'],
    ]);
  });

  it('can be named', () => {
    expect(run([lineOf(GOOD)], { dialect: 'exchange' })[0]?.kind).toBe('entry');
  });

  it('forgets messages at the end of a source', () => {
    const handlers = parse.create(DEFAULTS);
    const entries = [...apply(handlers, [lineOf(GOOD), lineOf(GOOD), END, lineOf(GOOD)])].filter(
      (element): element is Entry => element.kind === 'entry',
    );
    const [a, b, c] = entries.map(({ messages }) => messages[0]);
    expect(b).toBe(a);
    expect(c).not.toBe(a);
  });
});

describe('entries that are separate sessions', () => {
  const two = [lineOf(CONVERSATION, asBuffer, 1, 0), lineOf(CONVERSATION, asBuffer, 2, 100), END];

  it.each(['file', 'run'] as const)('end before the next one, with sessions by %s', (sessionBy) => {
    expect(run(two, { sessionBy }).map(({ kind }) => kind)).toEqual([
      ...['entry', 'session-end', 'entry', 'session-end'],
    ]);
    expect(run(two, { sessionBy })[1]).toMatchObject({
      last: false,
      origin: { line: 2, offset: 100, length: 0 },
    });
  });

  it('end also within one line', () => {
    const kinds = run([lineOf(`${CONVERSATION}${CONVERSATION}`)]).map(({ kind }) => kind);
    expect(kinds).toEqual(['repair', 'entry', 'session-end', 'entry']);
  });
});
