import { describe, expect, it } from 'vitest';
import {
  createMessageList,
  createObjectReader,
  isMessage,
} from '../../../../transforms/dialects/shared/logged-messages.ts';
import { membersOf } from '../../../../transforms/json/members.ts';
import { createPlainScanner } from '../../../../transforms/json/plain-scanner.ts';
import { KINDS, text } from '../../bytes.ts';

describe.each(KINDS)('in a %s', (_kind, make) => {
  it('messages have their role, and other values have none', () => {
    const list = createMessageList(createPlainScanner(), 3);
    const json = '[{"role":"user"} ,{"role":1},{},[{"role":"x"}],"role",{"role":"a","role":"\\u0062"}]';
    expect(list.read(make(json), 0)).toBe(json.length);
    expect(list.items.map(({ role }) => role)).toEqual([
      'user',
      undefined,
      undefined,
      undefined,
      undefined,
      'b',
    ]);
    expect(list.items.map(isMessage)).toEqual([true, false, false, false, false, true]);
  });

  it('an object is copied to one line with its members', () => {
    const reader = createObjectReader(createPlainScanner());
    const line = make('x{\r"a":1 ,"\\u0062":[{"c":2}]}x');
    const end = reader.scan(line, 1, 0);
    const copy = reader.copy(line, 1, end);
    line.fill(0);
    expect(text(copy)).toBe('{ "a":1 ,"\\u0062":[{"c":2}]}');
    const walked = membersOf(make(text(copy)));
    expect(membersOf(copy)).toEqual(walked);
    expect(walked.map(({ key }) => key)).toEqual(['a', 'b']);
  });

  it('values that are not objects are copied too', () => {
    const reader = createObjectReader(createPlainScanner());
    const line = make('{"a":1}[1\r]');
    reader.scan(line, 0, 0);
    const end = reader.scan(line, 7, 0);
    expect(text(reader.copy(line, 7, end))).toBe('[1 ]');
  });

  it('the scanner reports a failure', () => {
    const scanner = createPlainScanner();
    const reader = createObjectReader(scanner);
    expect(reader.scan(make('{"a":tru}'), 0, 0)).toBe(-1);
    expect(scanner.failedAt).toBe(8);
    expect(reader.scan(make('{"a":[[]]}'), 0, 510)).toBe(-1);
    expect(scanner.tooDeep).toBe(true);
  });
});
