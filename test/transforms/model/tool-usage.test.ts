import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../transforms/model/element.ts';
import {
  addUsage,
  type ToolUsage,
  type UsageByGroup,
  usageCsv,
  usageOf,
} from '../../../transforms/model/tool-usage.ts';
import {
  assistant,
  call,
  calling,
  conversationOf,
  messageOf,
  result,
  toolOf,
  user,
} from '../checks/samples.ts';

const usage = (...messages: readonly Message[]) => usageOf(conversationOf(messages));
const system = messageOf({ role: 'system', content: 'x' });
const HEADER =
  'date,scenario,session_count,tool_call_count,tool_definition_count,client_turns,assistant_turns,assistant_turns_with_tools';

describe('usageOf', () => {
  it('counts tool_calls, otherwise a function_call, otherwise tags in the text', () => {
    const legacy = { name: 'a', arguments: '<tool_call>' };
    expect(usage(calling(call('1', 'a'), 'odd', call('2', 'b'))).toolCalls).toBe(3);
    expect(usage(messageOf({ role: 'assistant', tool_calls: [1], function_call: legacy })).toolCalls).toBe(1);
    expect(usage(messageOf({ role: 'assistant', tool_calls: [], function_call: legacy })).toolCalls).toBe(1);
    expect(usage(assistant('<tool_call>a</tool_call>\n<tool_call>b')).toolCalls).toBe(2);
    expect(
      usage(messageOf({ role: 'assistant', function_call: null, content: '<tool_call>' })).toolCalls,
    ).toBe(1);
    expect(
      usage(assistant('none'), assistant(null), user('<tool_call>'), result('1', '<tool_call>')).toolCalls,
    ).toBe(0);
  });

  it('counts runs of messages as turns, which results do not end and other roles do', () => {
    const c = calling(call('1', 'a'));
    const r = result('1', 'x');
    const f = messageOf({ role: 'function', content: 'x' });
    const other = messageOf({ role: 'critic', content: 'x' });
    const turns = (...messages: readonly Message[]) => {
      const { clientTurns, assistantTurns, assistantTurnsWithTools } = usage(...messages);
      return [clientTurns, assistantTurns, assistantTurnsWithTools];
    };
    expect(turns()).toEqual([0, 0, 0]);
    expect(turns(r)).toEqual([0, 0, 0]);
    expect(turns(system, user('x'), r, user('y'))).toEqual([1, 0, 0]);
    expect(turns(system, user('x'), c, r, c, f, assistant('y'))).toEqual([1, 1, 1]);
    expect(turns(user('x'), assistant('y'), user('x'), assistant('y'), c)).toEqual([2, 2, 1]);
    expect(turns(c, user('x'), c, r, c)).toEqual([1, 2, 2]);
    expect(turns(user('x'), other, user('x'), assistant('y'), other, c)).toEqual([2, 2, 1]);
  });

  it('lists each name once and skips definitions without one', () => {
    const tools = [toolOf({}, 'a'), toolOf({}), toolOf({}, 'b'), toolOf({}, 'a')];
    expect(usageOf(conversationOf([], { tools })).definitions).toEqual(['a', 'b']);
  });
});

const session = fc.record({
  group: fc.constantFrom('a', 'b', 'c'),
  toolCalls: fc.nat(9),
  definitions: fc.array(fc.constantFrom('p', 'q', 'r')),
  clientTurns: fc.nat(9),
  assistantTurns: fc.nat(9),
  assistantTurnsWithTools: fc.nat(9),
});
type Session = ToolUsage & { readonly group: string };

function sumsOf(sessions: readonly Session[]): UsageByGroup {
  const groups: UsageByGroup = new Map();
  for (const one of sessions) addUsage(groups, one.group, one);
  return groups;
}

describe('addUsage', () => {
  it('gives the same report in any order of the sessions', () => {
    fc.assert(
      fc.property(fc.array(session), (sessions) => {
        expect(usageCsv(sumsOf(sessions.toReversed()), 'scenario')).toBe(
          usageCsv(sumsOf(sessions), 'scenario'),
        );
      }),
    );
  });
});

describe('usageCsv', () => {
  const one: ToolUsage = {
    toolCalls: 2,
    definitions: ['p', 'q'],
    clientTurns: 3,
    assistantTurns: 4,
    assistantTurnsWithTools: 1,
  };
  const csv = (groupBy: 'date' | 'scenario' | 'none', ...names: readonly string[]) =>
    usageCsv(sumsOf(names.map((group) => ({ group, ...one }))), groupBy);

  it('fills the column of the grouping', () => {
    expect(csv('date', '2026-01-13')).toBe(`${HEADER}\n2026-01-13,,1,2,2,3,4,1\n`);
    expect(csv('scenario', 'maps', 'maps')).toBe(`${HEADER}\n,maps,2,4,2,6,8,2\n`);
    expect(csv('none', 'conversations')).toBe(`${HEADER}\n,,1,2,2,3,4,1\n`);
    expect(csv('none')).toBe(`${HEADER}\n`);
  });

  it('sorts by bytes, not by UTF-16 units', () => {
    const names = csv('scenario', '\u{1f600}', '\uffee', 'b', 'B', 'ba').split('\n').slice(1, -1);
    expect(names.map((row) => row.split(',')[1])).toEqual(['B', 'b', 'ba', '\uffee', '\u{1f600}']);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@a', "'@a"],
    ['\tx', "'\tx"],
    ['\rx', `"'\rx"`],
    ['a=1', 'a=1'],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\nb', '"a\nb"'],
    ['=a,b', `"'=a,b"`],
    ['a\ud800b\u{1f600}', 'a\\ud800b\u{1f600}'],
  ])('writes the cell %j as %s', (name, cell) => {
    expect(csv('scenario', name)).toBe(`${HEADER}\n,${cell},1,2,2,3,4,1\n`);
  });

  it('can be read by a simple CSV reader', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', '=', '-', "'", 'é') });
    fc.assert(
      fc.property(fc.uniqueArray(text), (names) => {
        const rows = readCsv(csv('scenario', ...names)).slice(1);
        const cells = rows.map((row) => row[1]?.replace(/^'(?=[=+\-@\t\r])/, ''));
        expect(rows.every((row) => row.length === 8)).toBe(true);
        expect(cells.sort()).toEqual(names.map((name) => name.replace(/^'(?=[=+\-@\t\r])/, '')).sort());
      }),
    );
  });
});

/** Reads RFC 4180 character by character. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  const row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') cell += text[i++];
      else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === ',' || c === '\n') {
      row.push(cell);
      cell = '';
      if (c === '\n') rows.push(row.splice(0));
    } else cell += c;
  }
  expect([row, cell, quoted]).toEqual([[], '', false]);
  return rows;
}
