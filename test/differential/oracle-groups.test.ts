/** The oracle's sources, groups, order and tool usage report. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { groupOf, scenarioOf } from '../support/oracle/group.ts';
import { entryText, recordsOf, runCase } from '../support/oracle/run-case.ts';

const U = '{"role":"user","content":"u"}';
const UUID = '3f2b8c1e-0d4a-4b6f-9a7e-5c1d2e3f4a5b';

describe('scenario', () => {
  test.each([
    ['google-maps-es-01', 'google-maps-es'],
    ['a-2026-01-13', 'a-2026-01-13'],
    ['market-brief-1768342443120394000', 'market-brief'],
    ['1768342443120394000', '1768342443120394000'],
    [`x-${UUID}`, 'x'],
    [UUID, UUID],
    [`x-${UUID}-1768342443120394000`, 'x'],
    [`x-1768342443120394000-${UUID.toUpperCase()}`, 'x'],
    ['google-maps-es-01-1768342443120394000', 'google-maps-es'],
    ['brief-1', 'brief-1'],
    ['a-b-1', 'a-b'],
    ['a-b-1234567', 'a-b-1234567'],
    ['a-b-1-2', 'a-b-1-2'],
    ['a-b-176834244312039400', 'a-b-176834244312039400'],
  ])('%s is %s', (stem, scenario) => {
    for (const end of ['.jsonl', '.ndjson', '.jsonl.gz'])
      expect(scenarioOf(`d/${stem}${end}`)).toBe(scenario);
  });
});

test('the date is the first folder, or else the UTC date of the first valid entry', () => {
  const ns = 1_768_342_443_000_000_000n;
  expect(groupOf('2020-02-03/a.jsonl', ns, 'date')).toBe('2020-02-03');
  for (const path of [
    'a.jsonl',
    'x/2020-02-03/a.jsonl',
    '2020-02-03.jsonl',
    '2020-02-31/a.jsonl',
    '2020-02-03-x/a.jsonl',
  ]) {
    expect(groupOf(path, ns, 'date')).toBe('2026-01-13');
  }
  const title = entryText(
    0,
    '[{"role":"system","content":"Reply with only a description in four words or less"},{"role":"user","content":"Here are the first few user messages:"}]',
    { reply: '{"role":"assistant","content":"T"}' },
  );
  const log = `oops\n${title}\n${entryText(86_400, `[${U}]`)}`;
  expect([...runCase({ 'a.jsonl': log }, { groupBy: 'date' }).groups.keys()]).toEqual(['1970-01-01']);
});

test('sources are found and read in bytewise order of their paths', () => {
  const entry = (name: string): string => entryText(1, `[{"role":"${name}"}]`, { id: name });
  const two = Buffer.concat([
    gzipSync(entry('a2').slice(0, 9)),
    gzipSync(''),
    gzipSync(entry('a2').slice(9)),
  ]);
  const result = runCase({
    'a/z.jsonl': entry('a/z'),
    'a-b.jsonl': entry('a-b'),
    'a2.ndjson.gz': two,
    'B.ndjson': entry('B'),
    '\u{1f9ea}.jsonl': entry('astral'),
    '\uff5e.jsonl': entry('bmp'),
    'cut.jsonl.gz': gzipSync(entry('x')).subarray(0, 20),
    'x.json': 'oops',
    'x.jsonl.bak': 'oops',
  });
  expect(result.sources.map((s) => s.path)).toEqual([
    'B.ndjson',
    'a-b.jsonl',
    'a/z.jsonl',
    'a2.ndjson.gz',
    'cut.jsonl.gz',
    '\uff5e.jsonl',
    '\u{1f9ea}.jsonl',
  ]);
  expect(recordsOf(result).map((text) => /"role":"(.*?)"/.exec(text)?.[1])).toEqual([
    'B',
    'a-b',
    'a/z',
    'a2',
    'bmp',
    'astral',
  ]);
  expect(result.sources.map((s) => s.rejected)).toContain('corrupt-gzip');
  expect(result.exitCode).toBe(3);
});

describe('tool usage', () => {
  function usage(messages: string[], tools = '[]', reply?: string): string | undefined {
    const options = reply === undefined ? { tools } : { tools, reply };
    return runCase({ 'a.jsonl': entryText(1, `[${messages.join(',')}]`, options) }).usage[0]?.join();
  }
  const m = (role: string, more = ''): string => `{"role":"${role}"${more}}`;

  test('a turn is a run of messages; tool and function messages neither count nor interrupt it', () => {
    expect(usage([m('system'), m('user'), m('assistant'), m('tool'), m('assistant')])).toBe(',,1,0,0,1,1,0');
    expect(usage([m('developer'), m('tool'), m('user'), m('assistant'), m('user')])).toBe(',,1,0,0,2,1,0');
    expect(usage([m('user'), m('critic'), m('user'), m('assistant'), m('Critic'), m('assistant')])).toBe(
      ',,1,0,0,2,2,0',
    );
    expect(usage([m('user')], '[]', m('assistant', ',"content":"a"'))).toBe(',,1,0,0,1,1,0');
  });

  test('calls are tool_calls, or else function_call, or else tags in the text', () => {
    const tags = ',"content":"<tool_call></tool_call><tool_call>"';
    expect(usage([m('assistant', `,"tool_calls":[1,{}]${tags}`), m('tool'), m('assistant', tags)])).toBe(
      ',,1,4,0,0,1,1',
    );
    expect(usage([m('assistant', `,"function_call":{},"tool_calls":[]${tags}`), m('user', tags)])).toBe(
      ',,1,1,0,1,1,1',
    );
  });

  test('definitions are distinct names over the sessions of a row', () => {
    const tools = '[{"name":"f"},{"function":{"name":"g"}},{},{"name":"f"}]';
    const files = {
      'a-b-1.jsonl': entryText(1, `[${U}]`, { tools }),
      'a-b-2.jsonl': entryText(1, `[${U}]`, { tools }),
      'x.jsonl': entryText(1, `[${U}]`),
    };
    expect(runCase(files, { groupBy: 'scenario' }).usage.map((row) => row.join())).toEqual([
      ',a-b,2,0,2,2,0,0',
      ',x,1,0,0,1,0,0',
    ]);
    expect(runCase(files, { groupBy: 'date' }).usage[0]?.join()).toBe('1970-01-01,,3,0,2,3,0,0');
  });

  test('a cell that a spreadsheet would run is made inert', () => {
    expect(runCase({ '=cmd.jsonl': entryText(1, `[${U}]`) }, { groupBy: 'scenario' }).usage[0]?.[1]).toBe(
      "'=cmd",
    );
  });
});
