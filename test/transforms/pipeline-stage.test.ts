import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import {
  apply,
  cleanup,
  format,
  parse,
  read,
  reasoning,
  snapshotSelect,
  toolDedupe,
  validate,
} from '../../src/index.ts';
import type { StreamElement } from '../../transforms/model/element.ts';

const log = resolve(import.meta.dirname, '../../examples/dialects/exchange.jsonl');

function collector() {
  const elements: StreamElement[] = [];
  const sink = new Writable({
    objectMode: true,
    write(element: StreamElement, _encoding, done) {
      elements.push(element);
      done();
    },
  });
  return { elements, sink };
}

const upToSelect = (): [ReturnType<typeof parse>, ...ReturnType<typeof parse>[]] => [
  parse(),
  cleanup(),
  validate(),
  snapshotSelect(),
];

describe('the stages as functions', () => {
  it('write a record with their defaults', async () => {
    const { elements, sink } = collector();
    await pipeline(read(log), ...upToSelect(), toolDedupe(), reasoning(), format(), sink);
    expect(elements.map(({ kind }) => kind)).toEqual(['record', 'session-end']);
  });

  it('take the name of one format', async () => {
    const { elements, sink } = collector();
    await pipeline(read(log), ...upToSelect(), format({ format: 'openai' }), sink);
    expect(elements[0]).toMatchObject({ kind: 'record', format: 'openai', group: '2026-01-13' });
  });

  it('have their name, options and handlers', async () => {
    const lines: StreamElement[] = [];
    for await (const line of read(log)) lines.push(line);
    expect([...apply(parse.create(), lines)].map(({ kind }) => kind)).toEqual(['entry', 'session-end']);
    expect([snapshotSelect.name, Object.keys(cleanup.options)]).toEqual(['snapshot-select', ['cleanup']]);
  });
});

describe('a pipeline in a wrong order', () => {
  it.each([
    [
      'cleanup before parse',
      () => [cleanup(), parse()],
      /^cleanup\(\) .* entry.* line: put parse\(\) before it$/,
    ],
    [
      'no snapshotSelect',
      () => [parse(), format()],
      /^format\(\) .*entry: put snapshotSelect\(\) before it$/,
    ],
    [
      'validate after snapshotSelect',
      () => [...upToSelect(), validate()],
      /^validate\(\) .*conversation: put it before snapshotSelect\(\)$/,
    ],
  ])('is refused: %s', async (_name, stages, message) => {
    await expect(pipeline([read(log), ...stages(), collector().sink])).rejects.toThrow(message);
  });
});

describe('input that is not of elements', () => {
  const given = (chunk: unknown) => pipeline(Readable.from([chunk]), parse(), collector().sink);

  it.each([
    ['bytes', Buffer.from('{"a":"secret"}'), '14 bytes'],
    ['a string', '{"a":"secret"}', 'a string of 14 characters'],
    ['a number', 5, 'a number'],
    ['an object of another kind', { a: 'secret' }, 'an object without a kind'],
    ['a list with one', [{ a: 'secret' }], 'an object without a kind'],
    ['an object of a kind that does not exist', { kind: 'secret' }, 'an object of an unknown kind'],
    ['an object whose kind is inherited', { kind: 'toString' }, 'an object of an unknown kind'],
    ['null in a list', [null], 'null'],
    ['a list in a list', [['secret']], 'a list'],
    ['a line without bytes', { kind: 'line', origin: {} }, 'one of the kind line without bytes'],
    [
      'a line without a place',
      { kind: 'line', bytes: Buffer.from('x') },
      'one of the kind line without origin',
    ],
  ])('is refused without its content: %s', async (_name, chunk, what) => {
    await expect(given(chunk)).rejects.toThrow(
      new TypeError(`parse() takes elements, as read() yields them, but got ${what}`),
    );
  });

  it('is refused for a file that does not exist', async () => {
    await expect(pipeline(read('none.jsonl'), collector().sink)).rejects.toThrow('none.jsonl not found');
  });

  it('is refused for a file that was not read', async () => {
    await expect(pipeline(createReadStream(log), parse(), collector().sink)).rejects.toThrow(/ bytes$/);
  });
});

describe('options', () => {
  it('have their defaults where they are undefined', () => {
    expect(() => parse({ dialect: undefined, maxDepth: undefined } as never)).not.toThrow();
    expect(() => format({ format: undefined, formatOptions: undefined } as never)).not.toThrow();
  });

  it('take the name of one rule', () => {
    expect(() => cleanup({ cleanup: 'goose' } as never)).not.toThrow();
  });

  it.each([
    ['a name', () => parse('chat' as never), "parse() takes an object with options, but got 'chat'"],
    ['null', () => parse(null as never), 'parse() takes an object with options, but got null'],
    ['a list', () => format(['chat'] as never), 'format() takes an object with options, but got a list'],
    ['another option', () => toolDedupe({ by: 1 } as never), "toolDedupe() has no option 'by'; it has none"],
    [
      'an option of another stage',
      () => snapshotSelect({ strictTime: true } as never),
      "snapshotSelect() has no option 'strictTime'; it has select, maxConversation, only",
    ],
    [
      'a text that is not a choice',
      () => parse({ sessionBy: 'id' } as never),
      "parse() takes one of file, run for sessionBy, but got 'id'",
    ],
    [
      'a text as a number',
      () => parse({ maxMessages: '5' } as never),
      "parse() takes a whole number for maxMessages, but got '5'",
    ],
    ['NaN', () => parse({ maxDepth: Number.NaN }), 'parse() takes a whole number for maxDepth, but got NaN'],
    [
      'a number as a text',
      () => parse({ userTurn: 5 } as never),
      'parse() takes a text for userTurn, but got 5',
    ],
    [
      'a text as a flag',
      () => validate({ strictTime: 'yes' } as never),
      "validate() takes true or false for strictTime, but got 'yes'",
    ],
    [
      'an object as a list',
      () => cleanup({ cleanup: {} } as never),
      'cleanup() takes a list for cleanup, but got an object',
    ],
    [
      'a list as an object',
      () => format({ onFinding: [] } as never),
      'format() takes an object for onFinding, but got a list',
    ],
  ])('are refused: %s', (_what, call, message) => {
    expect(call).toThrow(new TypeError(message));
  });

  it.each([
    ['a format twice', () => format({ format: ['chat', 'chat'] }), 'format: name each format only once'],
    [
      'a rule of no format',
      () => format({ onFinding: { typo: 'keep' } }),
      "onFinding: chat has no rule 'typo'",
    ],
    [
      'a decision that does not exist',
      () => format({ onFinding: { 'no-answer': 'drop' as never } }),
      'onFinding: no-answer takes reject or keep',
    ],
    ['a field that does not exist', () => format({ meta: ['x' as never] }), "meta: there is no field 'x'"],
    [
      'a format without encode',
      () => format({ formats: [{ name: 'x' } as never] }),
      'formats[0] is not a format',
    ],
    ['a dialect that is none', () => parse({ dialects: [{} as never] }), 'dialects[0] is not a dialect'],
    ['a text as a list of ids', () => snapshotSelect({ only: 'x' as never }), 'takes a list for only'],
  ])('that would have no effect are refused: %s', (_what, call, message) => {
    expect(call).toThrow(message);
  });

  it('of formats are refused if the format has none of that name', () => {
    expect(() => format({ formatOptions: { arowSafe: true } })).toThrow(
      'arowSafe: no format has this option',
    );
  });

  it.each([
    [{ maxline: 5 }, "unknown option 'maxline'; did you mean maxLine?"],
    [{ maxLine: '1 MB' }, 'maxLine: '],
    [{ maxDecompressed: -1 }, 'maxDecompressed: '],
  ])('of read are refused: %j', (options, message) => {
    expect(() => read(log, options as never)).toThrow(message);
  });

  it('are refused by create too', () => {
    expect(() => parse.create({ sessionBy: 'id' } as never)).toThrow(/one of file, run/);
  });
});
