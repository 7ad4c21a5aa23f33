/** Transcripts of Claude Code in which a stretch is logged twice, and turns that begin with a command. */
import { describe, expect, it } from 'vitest';
import claudeCode from '../../../../transforms/dialects/claude-code.ts';
import type { Entry, Fate } from '../../../../transforms/model/element.ts';
import { asBuffer, text } from '../../bytes.ts';
import { lineOf } from '../../log-lines.ts';

interface Line {
  readonly type: string;
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly timestamp: string;
  readonly message?: { readonly content: unknown };
}

const line = (type: string, uuid: string, parentUuid: string | null, more: object): Line => ({
  ...{ type, uuid, parentUuid, sessionId: 's', timestamp: `2026-01-02T03:04:${uuid.slice(1)}.000Z` },
  ...more,
});
const user = (uuid: string, parent: string | null, content: unknown, more: object = {}) =>
  line('user', uuid, parent, { message: { role: 'user', content }, ...more });
const answer = (uuid: string, parent: string, ...content: readonly object[]) =>
  line('assistant', uuid, parent, { message: { id: `m-${uuid}`, role: 'assistant', content } });
const says = (uuid: string, parent: string) => answer(uuid, parent, { type: 'text', text: uuid });
const gives = (uuid: string, parent: string, id: string) =>
  user(uuid, parent, [{ type: 'tool_result', tool_use_id: id, content: uuid }]);

/** The texts of each conversation, and the rules by which lines were dropped. */
function read(...lines: readonly Line[]): readonly [readonly unknown[], readonly string[]] {
  const reader = claudeCode.create();
  const elements = lines.flatMap((one, i) => [
    ...reader.read(lineOf(JSON.stringify(one), asBuffer, i + 1, i * 1000)),
  ]);
  const all = [...elements, ...(reader.end?.() ?? [])];
  const fates = all.filter(({ kind }) => kind === 'fate') as readonly Fate[];
  const entries = all.filter(({ kind }) => kind === 'entry') as readonly Entry[];
  const texts = entries.map(({ messages, reply }) =>
    [...messages, ...(reply === undefined ? [] : [reply])]
      .map(({ bytes }) => JSON.parse(text(bytes)).content ?? 'CALL')
      .join(' '),
  );
  return [texts, fates.map(({ fate }) => fate)];
}

describe('a stretch that is logged again under new ids', () => {
  const first = [
    user('u01', null, 'one'),
    says('a02', 'u01'),
    user('u03', 'a02', 'two'),
    answer('a04', 'u03', { type: 'text', text: 'x' }, { type: 'tool_use', id: 'c', name: 'f', input: {} }),
    gives('r05', 'a04', 'c'),
    says('a06', 'r05'),
    user('u07', 'a06', 'three'),
    says('a08', 'u07'),
  ];
  /** Copies of the lines, each with a new id and the copy of its parent as its parent. */
  const again = (from: number, to: number): readonly Line[] => {
    const copied = first.slice(from, to);
    const ids = new Map(copied.map(({ uuid }) => [uuid, `${uuid}b`]));
    return copied.map((one) => {
      const parentUuid = ids.get(one.parentUuid ?? '') ?? one.parentUuid;
      return { ...one, uuid: `${one.uuid}b`, parentUuid };
    });
  };
  const whole = 'one a02 two x r05 a06 three a08';
  const copied = (count: number) => Array.from({ length: count }, () => 'dropped:copied-line');

  it('is left out, and the conversation goes on after it', () => {
    const next = [user('u09', 'a08b', 'four'), says('a10', 'u09')];
    expect(read(...first, ...again(2, 8), ...next)).toEqual([[`${whole} four a10`], copied(6)]);
    expect(read(...first, ...again(0, 8), ...next)).toEqual([[`${whole} four a10`], copied(8)]);
  });

  it('is left out twice', () => {
    const third = again(6, 8).map((one) => ({ ...one, uuid: `${one.uuid}c` }));
    expect(read(...first, ...again(2, 8), ...third)).toEqual([[whole], copied(8)]);
  });

  it('ends where a line is new: a branch begins after the last copy', () => {
    const branch = [user('u09', 'a06b', 'four'), says('a10', 'u09')];
    expect(read(...first, ...again(2, 6), ...branch)).toEqual([
      ['one a02 two x r05 a06 four a10', whole],
      copied(4),
    ]);
    const goesOn = [user('u11', 'a10', 'five'), says('a12', 'u11')];
    expect(read(...first, ...again(2, 5), says('a10', 'r05b'), ...goesOn)).toEqual([
      ['one a02 two x r05 a10 five a12', whole],
      copied(3),
    ]);
  });

  it('is a turn taken back if the text was typed at another time, or is another text', () => {
    const retyped = [user('u09', 'a02', 'two'), says('a10', 'u09')];
    expect(read(...first, ...retyped)[0]).toEqual(['one a02 two a10', whole]);
    const other = { ...user('u03', 'a02', 'other'), uuid: 'u09' };
    expect(read(...first, other, says('a10', 'u09'))[0]).toEqual(['one a02 other a10', whole]);
  });

  it('does not take a result with another content for a copy', () => {
    const [, , question, call] = again(0, 4);
    const lines = [{ ...(question as Line), parentUuid: 'a02' }, call as Line, gives('r09', 'a04b', 'c')];
    const [texts, fates] = read(...first, ...lines, says('a10', 'r09'));
    expect(fates).toEqual(copied(2));
    expect(texts.join(' ').match(/r09/g)).toHaveLength(1);
  });
});

it('counts what a fork copied from its session, and reports it', () => {
  const forkedFrom = { sessionId: 'before', messageUuid: 'x' };
  const copies = [user('u01', null, 'one'), says('a02', 'u01')].map((one) => ({ ...one, forkedFrom }));
  const reader = claudeCode.create();
  const elements = [...copies, user('u03', 'a02', 'two'), says('a04', 'u03')].flatMap((one, i) => [
    ...reader.read(lineOf(JSON.stringify(one), asBuffer, i + 1, i * 1000)),
  ]);
  const [entry] = [...elements, ...(reader.end?.() ?? [])] as readonly Entry[];
  expect(entry?.messages).toHaveLength(3);
  expect(entry?.messages[0]?.notes?.map(({ rule }) => rule)).toContain('copied-history');
  expect(text(entry?.meta?.get('copied') ?? new Uint8Array())).toBe('2');
});

describe('a command that says something to the model', () => {
  const before = [
    user('u01', null, 'one'),
    says('a02', 'u01'),
    user('u03', 'a02', 'two'),
    says('a04', 'u03'),
  ];
  const command = (parent: string) => user('k05', parent, '<command-name>/go</command-name>');
  const body = user('b06', 'k05', 'body', { isMeta: true });

  it('goes back to the parent of the command', () => {
    expect(read(...before, command('a02'), body, says('a07', 'b06'))[0]).toEqual([
      'one a02 body a07',
      'one a02 two a04',
    ]);
    expect(read(...before, command('a04'), body, says('a07', 'b06'))[0]).toEqual([
      'one a02 two a04 body a07',
    ]);
  });

  it('is a turn, which can be taken back', () => {
    const lines = [...before, command('a04'), body, says('a07', 'b06')];
    expect(read(...lines, user('u08', 'a04', 'three'), says('a09', 'u08'))[0]).toEqual([
      'one a02 two a04 three a09',
      'one a02 two a04 body a07',
    ]);
  });
});
