/**
 * F218: the shortcut through a session gives the same results as the stages: records, findings, fates, repairs and counts, on generated
 * sessions (half of them with rewritten or damaged lines), plain and gzipped. 100 sources; 20,000 with TURNMILL_LONG=1. The same number
 * again with many sessions in each source, from files and from streams in chunks of any size.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it, vi } from 'vitest';
import { Shortcut } from '../../src/engine/shortcut.ts';
import { ShortcutResults } from '../../src/engine/shortcut-results.ts';
import type { Input } from '../../src/input/sources/stream-source.ts';
import type { TaskSettings } from '../../src/settings/settings.ts';
import { entryLine, REPLY, USER } from '../support/build-logs.ts';
import { temporaryFolder } from '../support/folder.ts';
import { LONG } from '../support/long.ts';
import { mutatedLog } from '../support/mutated-logs.ts';
import { createDice } from '../support/odd-logs/dice.ts';
import { fileBytes } from '../support/odd-logs/lines.ts';
import { oddSession } from '../support/odd-logs/session.ts';
import { packedLog, plainPackedLog } from '../support/packed-logs.ts';
import { lostEntries, partingLog, partingSession, variedLog } from '../support/parting-logs.ts';
import { expectSame, resultsOf } from '../support/shortcut-results.ts';

/** Names under which programs log calls, and that nothing reads. */
const CALLS_ELSEWHERE = [
  ...['toolInvocations', 'tool_invocations', 'toolCalls', 'toolUses', 'tool_uses', 'functionCalls'],
  ...['function_calls', 'toolResults', 'tool_results'],
];
const SOURCES = LONG ? 20_000 : 100;
const PARTING_SOURCES = LONG ? 20_000 : 300;
const SEED = Number(process.env.TURNMILL_SEED ?? 1);
const SOURCES_PER_TEST = 100;
/**
 * More sources for each test of many sessions in a file. The shortcut reads 280 to 420 sessions of 100 odd sources, fewest where they are
 * gzipped: a seventh of those are cut. It reads 90 to 170 of these 15, so it has to read many of the odd sources too.
 */
const PLAIN_SOURCES = 15;

const handOut = vi.spyOn(Shortcut.prototype, 'handOut');
const handOutEach = vi.spyOn(ShortcutResults.prototype, 'handOut');
afterAll(() => void vi.restoreAllMocks());

function bytesOf(seed: number): Buffer {
  if (seed % 2 === 0) return mutatedLog(seed, new Map());
  const dice = createDice(seed, new Map()).heated((seed % 10) / 20);
  return fileBytes(dice, oddSession(dice, `s${seed}`));
}

type Pack = (bytes: Buffer, seed: number) => Buffer;

/** One gzip member, or one for each thousand bytes; some are truncated. */
const gzipped: Pack = (bytes, seed) => {
  const step = seed % 3 === 0 ? 1000 : Math.max(1, bytes.length);
  const members: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += step) members.push(gzipSync(bytes.subarray(at, at + step)));
  const packed = Buffer.concat(members);
  return seed % 7 === 0 ? packed.subarray(0, packed.length - 5) : packed;
};

const SETTINGS: readonly (readonly [name: string, settings: Partial<TaskSettings>, pack?: Pack])[] = [
  ['chat', {}],
  ['gzipped files', {}, gzipped],
  ['two formats, grouped by scenario', { format: ['openai', 'sharegpt'], groupBy: 'scenario' }],
  ['files that are not read whole', { checksum: true }],
  ['without checks', { integrity: false }],
  ['a limit on messages', { maxMessages: 20 }],
  ['a limit on sessions', { limit: 80 }],
  ['all conversations', { select: 'leaves' }],
  ['their paths', { copies: 'drop' }],
];

it('F218: the same results with conversations that do not close', async () => {
  const folder = temporaryFolder();
  const call = { id: '1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const asks = { role: 'assistant', content: null, tool_calls: [call] };
  const result = { role: 'tool', tool_call_id: '1', content: 'done' };
  const sessions = [
    { messages: [USER], reply: asks },
    { messages: [USER], reply: null },
    { messages: [USER, asks, result], reply: null },
    { messages: [USER, asks, result], reply: REPLY },
  ];
  for (const [i, parts] of sessions.entries())
    writeFileSync(join(folder, `s${i}.jsonl`), entryLine({ id: `s${i}`, ...parts }));
  handOut.mockClear();
  const byShortcut = await resultsOf(folder, true, {});
  expect(handOut.mock.calls.length).toBe(sessions.length);
  expect(byShortcut).toEqual(await resultsOf(folder, false, {}));
  const open = byShortcut.filter((one) => one.kind === 'finding' && one.rule === 'protocol-open');
  expect(open).toHaveLength(3);
});

it('F218: the same findings about answers that were cut, errors, and several choices', async () => {
  const folder = temporaryFolder();
  const choice = { message: REPLY };
  const cut = { ...choice, finish_reason: 'length' };
  const responses = [
    { choices: [cut] },
    { choices: [{ ...choice, finish_reason: 'content_filter' }] },
    { choices: [{ ...choice, finish_reason: 'error' }] },
    { choices: [choice], error: { code: 500 } },
    { choices: [cut, choice] },
    { choices: [{ message: { ...REPLY, tool_calls: [5] }, finish_reason: 'length' }] },
  ];
  const history = { at: 2, messages: [USER, REPLY, USER] };
  const sessions: (readonly string[])[] = responses.flatMap((response, i) => [
    [entryLine({ id: `s${i}`, response })],
    [entryLine({ id: `later${i}`, response }), entryLine({ id: `later${i}`, ...history })],
    [entryLine({ id: `last${i}` }), entryLine({ id: `last${i}`, ...history, response })],
  ]);
  const others = [
    { error: { message: 'overloaded' } },
    { choices: [], error: 'overloaded' },
    { choices: [{ message: null, finish_reason: 'length' }] },
    { choices: [{ message: { role: 'assistant', content: '' }, finish_reason: 'length' }] },
  ].map((response, i) => [entryLine({ id: `none${i}`, response })]);
  for (const [i, lines] of [...sessions, ...others].entries())
    writeFileSync(join(folder, `${i}.jsonl`), `${lines.join('\n')}\n`);
  for (const settings of [
    {},
    { format: ['openai'] },
    { integrity: false },
  ] satisfies Partial<TaskSettings>[]) {
    handOut.mockClear();
    const byShortcut = await resultsOf(folder, true, settings);
    // it leaves one session to the stages: it cannot compare a call that is not an object with the history
    expect(handOut.mock.calls.length).toBe(sessions.length - 1);
    expectSame(byShortcut, await resultsOf(folder, false, settings));
    const expected = { 'reply-cut': 11, 'reply-filtered': 3, 'response-error': 8, 'other-choices': 3 };
    const rules = byShortcut.flatMap((one) =>
      one.kind === 'finding' && one.rule in expected ? [one.rule] : [],
    );
    const counts = Object.keys(expected).map((rule) => rules.filter((found) => found === rule).length);
    expect(counts).toEqual(Object.values(expected).map((n) => (settings.integrity === false ? 0 : n)));
  }
});

it('F218: the same findings about answers with calls beside an unknown part, and about refusals', async () => {
  const folder = temporaryFolder();
  const call = { id: '1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const parts = { ...REPLY, content: [{ type: 'unknown', value: 'x' }], tool_calls: [call] };
  const refused = { ...REPLY, refusal: 'No.' };
  const hidden = entryLine({ id: 's4', response: { choices: [], said: [REPLY] } });
  const next = (id: string, answer: object): string =>
    entryLine({ id, at: 2, messages: [USER, answer, USER] });
  const sessions = [
    [entryLine({ id: 's0', reply: parts })],
    [entryLine({ id: 's1', reply: refused }), next('s1', REPLY)],
    [entryLine({ id: 's2' }), next('s2', refused)],
    [entryLine({ id: 's3', reply: refused }), next('s3', refused)],
    [hidden],
  ];
  for (const [i, lines] of sessions.entries())
    writeFileSync(join(folder, `s${i}.jsonl`), `${lines.join('\n')}\n`);
  const byShortcut = await resultsOf(folder, true, {});
  expectSame(byShortcut, await resultsOf(folder, false, {}));
  const found = byShortcut.flatMap((one) =>
    one.kind === 'finding' ? [`${one.sessionId}: ${one.rule}`] : [],
  );
  expect(found).toEqual([
    's0: unread-text',
    's0: protocol-open',
    's1: not-a-prefix',
    's2: not-a-prefix',
    'undefined: no-record',
  ]);
});

it.each(CALLS_ELSEWHERE)('F218: the same finding about calls in %s', async (name) => {
  const folder = temporaryFolder();
  const reply = { ...REPLY, [name]: [{ toolCallId: 'c', result: 'r' }] };
  writeFileSync(join(folder, 's.jsonl'), `${entryLine({ reply })}\n`);
  const byShortcut = await resultsOf(folder, true, {});
  expectSame(byShortcut, await resultsOf(folder, false, {}));
  expect(byShortcut).toContainEqual(expect.objectContaining({ kind: 'finding', rule: 'unread-text' }));
});

it('F218: the same records of answers with signatures of thoughts', async () => {
  const folder = temporaryFolder();
  const call = { id: '1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const signed = { thought_signature: 'S' };
  const calls = [
    { extra_content: { google: signed } },
    { provider_specific_fields: { ...signed, citations: [1] } },
    signed,
  ].map((members) => ({ role: 'assistant', content: 'a', tool_calls: [{ ...call, ...members }] }));
  const members = [
    { encrypted_content: 'S' },
    { provider_specific_fields: { thought_signatures: ['S'] } },
    { extra_content: { google: signed } },
  ];
  const replies = [...calls, ...members.map((more) => ({ ...REPLY, ...more }))];
  for (const [i, reply] of replies.entries())
    writeFileSync(join(folder, `s${i}.jsonl`), `${entryLine({ id: `s${i}`, reply })}\n`);
  const byShortcut = await resultsOf(folder, true, {});
  expectSame(byShortcut, await resultsOf(folder, false, {}));
  const rules = byShortcut.flatMap((one) => (one.kind === 'finding' ? [one.rule] : []));
  expect(rules.filter((rule) => rule === 'reasoning-sealed')).toHaveLength(replies.length);
});

it('F218: the same records of answers whose reasoning LiteLLM repeats', async () => {
  const folder = temporaryFolder();
  const blocks = [{ type: 'thinking', thinking: 'r', signature: 'S' }];
  const replies = [{ thinking_blocks: blocks }, { reasoning: 'r' }, { thinking_blocks: null }].map(
    (fields) => ({
      ...REPLY,
      provider_specific_fields: { citations: null, ...fields },
    }),
  );
  for (const [i, reply] of replies.entries())
    writeFileSync(join(folder, `s${i}.jsonl`), `${entryLine({ id: `s${i}`, reply })}\n`);
  const byShortcut = await resultsOf(folder, true, {});
  expectSame(byShortcut, await resultsOf(folder, false, {}));
  expect(JSON.stringify(byShortcut).match(/reasoning_content/g)).toHaveLength(2);
});

it('F218: the same model, that of the answer that is written', async () => {
  const folder = temporaryFolder();
  const named = (id: string, at: number, answer: unknown, line: unknown, request: unknown): string => {
    const messages = at === 1 ? [USER] : [USER, REPLY, USER];
    const { request: sent, ...rest } = JSON.parse(entryLine({ id, at, messages }));
    const response = { model: answer, choices: [{ message: REPLY }] };
    return JSON.stringify({ model: line, ...rest, request: { model: request, ...sent }, response });
  };
  const long = 'm'.repeat(300);
  const models: readonly (readonly [string, string | undefined])[] = [
    [named('s0', 1, 'a-1', 'b-2', 'c-3'), 'a-1'],
    [named('s1', 1, undefined, 'b-2', 'c-3'), 'b-2'],
    [named('s2', 1, null, null, 'c-3'), 'c-3'],
    [named('s3', 1, undefined, undefined, undefined), undefined],
    [named('s4', 1, '', 'b-2', 'c-3'), undefined],
    [named('s5', 1, '/srv/weights/a', 'b-2', 'c-3'), undefined],
    [named('s6', 1, long, 'b-2', 'c-3'), undefined],
    [named('s7', 1, 'caf\u00e9 "x"', undefined, undefined), 'caf\u00e9 "x"'],
    [named('s8', 1, 7, undefined, undefined), '7'],
    [`${named('s9', 1, 'a-1', 'b', 'c')}\n${named('s9', 2, 'a-2', 'b', 'c')}`, 'a-2'],
    [`${named('s10', 1, 'a-1', 'b', 'c')}\n${named('s10', 2, undefined, undefined, undefined)}`, undefined],
    [
      `${named('s11', 2, 'a-2', 'b', 'c')}\n${named('s11', 3, 'a-3', 'b', 'c').replace(/,{"role":"assistant".*?}]/, ']')}`,
      'a-2',
    ],
  ];
  for (const [i, [lines]] of models.entries()) writeFileSync(join(folder, `s${i}.jsonl`), `${lines}\n`);
  handOut.mockClear();
  const byShortcut = await resultsOf(folder, true, {});
  expect(handOut.mock.calls.length).toBe(models.length);
  expectSame(byShortcut, await resultsOf(folder, false, {}));
  const found = byShortcut.flatMap((one) =>
    one.kind === 'session' ? [[one.sessionId, one.model] as const] : [],
  );
  expect(new Map(found)).toEqual(new Map(models.map(([, model], i) => [`s${i}`, model])));
});

it('F218: the same entries that are not the beginning of the written conversation', async () => {
  const folder = temporaryFolder();
  const expected: string[] = [];
  const sessions = Array.from({ length: PARTING_SOURCES }, (_, i) => {
    const dice = createDice(SEED * 1_000_000 + i, new Map());
    const requests = partingSession(dice);
    expected.push(...lostEntries(requests).map((line) => `s${i}: ${line}`));
    writeFileSync(join(folder, `${String(i).padStart(6, '0')}.jsonl`), partingLog(dice, `s${i}`, requests));
    return requests;
  });
  handOut.mockClear();
  const byShortcut = await resultsOf(folder, true, {});
  // the others have escapes, or other ids of calls, so that only the stages can compare them
  expect(handOut.mock.calls.length).toBeGreaterThan(sessions.length / 3);
  expectSame(byShortcut, await resultsOf(folder, false, {}));
  const found = byShortcut.flatMap((one) =>
    one.kind === 'finding' && one.rule === 'not-a-prefix' ? [`${one.sessionId}: ${one.line}`] : [],
  );
  expect(found).toEqual(expected);
  expect(found.length).toBeGreaterThan(sessions.length);
});

it.each([
  ['of which only the messages differ', partingLog, 5],
  ['of which more differs', variedLog, 10],
] as const)('F218: the same conversations of sessions with several, %s', async (_name, logOf, rest) => {
  const folder = temporaryFolder();
  for (let i = 0; i < PARTING_SOURCES; i++) {
    const dice = createDice(SEED * 1_000_000 + i, new Map());
    const log = logOf(dice, `s${i}`, partingSession(dice));
    writeFileSync(join(folder, `${String(i).padStart(6, '0')}.jsonl`), log);
  }
  handOutEach.mockClear();
  const byShortcut = await resultsOf(folder, true, { select: 'leaves' });
  const several = new Set(
    handOutEach.mock.calls.flatMap(([{ facts, isLeaf }]) => (isLeaf ? [facts.origin.source] : [])),
  );
  expect(several.size).toBeGreaterThan(PARTING_SOURCES / rest);
  expectSame(byShortcut, await resultsOf(folder, false, { select: 'leaves' }));
  expect(byShortcut.filter(({ kind }) => kind === 'record').length).toBeGreaterThan(2 * PARTING_SOURCES);
});

it('F218: the same conversations of sessions that hold more than may be handed out at once', async () => {
  const folder = temporaryFolder();
  const requests = Array.from({ length: 70 }, (_, i) =>
    entryLine({ id: 's', at: i, messages: [{ role: 'user', content: `${i}` }] }),
  );
  const long = requests
    .slice(0, 3)
    .map((line) => line.replace(/"content":"\d"/, (text) => `${text.slice(0, -1)}${'x'.repeat(7e6)}"`));
  for (const [name, lines] of [
    ['many', requests],
    ['some', requests.slice(0, 64)],
    ['long', long],
  ] as const)
    writeFileSync(join(folder, `${name}.jsonl`), lines.join('\n'));
  handOutEach.mockClear();
  const byShortcut = await resultsOf(folder, true, { select: 'leaves' });
  expect(handOutEach.mock.calls.length).toBe(64);
  expectSame(byShortcut, await resultsOf(folder, false, { select: 'leaves' }));
});

it('F218: the same rejections of sessions whose conversations held more than --max-conversation', async () => {
  const folder = temporaryFolder();
  const ask = (content: string, more: object = {}): object => ({ role: 'user', content, ...more });
  const tools = [{ type: 'function', function: { name: 'f', description: 'd'.repeat(50_000) } }];
  const withTools = Array.from({ length: 5 }, (_, i) =>
    entryLine({ id: 's', at: i, messages: [ask(`${i}`)], tools }),
  );
  const shrinking = [[ask('b')], [ask('a', { note: 'x'.repeat(250_000) })], [ask('a'), REPLY, USER]].map(
    (messages, at) => entryLine({ id: 's', at, messages }),
  );
  writeFileSync(join(folder, 'tools.jsonl'), withTools.join('\n'));
  writeFileSync(join(folder, 'shrinking.jsonl'), shrinking.join('\n'));
  const settings = { select: 'leaves', maxConversation: 200_000 } as const;
  const byShortcut = await resultsOf(folder, true, settings);
  expectSame(byShortcut, await resultsOf(folder, false, settings));
  expect(byShortcut.filter(({ kind }) => kind === 'record')).toEqual([]);
});

for (let from = 0; from < SOURCES; from += SOURCES_PER_TEST) {
  for (const [name, settings, pack] of SETTINGS) {
    it(`F218: the same results with ${name}, sources ${from} to ${from + SOURCES_PER_TEST - 1}`, async () => {
      const folder = temporaryFolder();
      for (let i = 0; i < SOURCES_PER_TEST; i++) {
        const seed = SEED * 1_000_000 + from + i;
        const file = `s${String(i).padStart(3, '0')}.jsonl${pack === undefined ? '' : '.gz'}`;
        writeFileSync(join(folder, file), pack?.(bytesOf(seed), seed) ?? bytesOf(seed));
      }
      handOut.mockClear();
      const byShortcut = await resultsOf(folder, true, settings);
      expect(handOut.mock.calls.length).toBeGreaterThan(SOURCES_PER_TEST / 10);
      const expected = await resultsOf(folder, false, settings);
      expectSame(byShortcut, expected);
    });
  }
}

/** A stream in chunks of odd sizes, the same for the same seed. */
function inChunks(bytes: Buffer, seed: number): Input {
  const dice = createDice(seed, new Map());
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + dice.int(dice.chance(0.5) ? 20 : 5000);
      yield bytes.subarray(at, at + size);
      at += size;
    }
  }
  return { name: 'streamed', stream: chunks() };
}

const BY_RUN: Partial<TaskSettings> = { sessionBy: 'run' };
const PACKED_SETTINGS: readonly (readonly [name: string, settings: Partial<TaskSettings>, pack?: Pack])[] = [
  ['chat', BY_RUN],
  ['gzipped files', BY_RUN, gzipped],
  ['gathered lines', { sessionBy: 'id' }],
  ['gathered lines of gzipped files', { sessionBy: 'id' }, gzipped],
  ['two formats, the dialect named', { ...BY_RUN, format: ['openai', 'sharegpt'], dialect: 'exchange' }],
  ['a limit on line length', { ...BY_RUN, maxLine: 3000 }],
  ['a limit on messages', { ...BY_RUN, maxMessages: 20 }],
  ['a limit on sessions', { ...BY_RUN, limit: 900 }],
  ['all conversations', { ...BY_RUN, select: 'leaves' }],
  ['their paths', { ...BY_RUN, copies: 'drop' }],
  ['all conversations of gathered lines', { sessionBy: 'id', select: 'leaves' }],
];

/** Sessions with lines of these sizes in bytes; no content repeats. */
function largeSessions(sessions: readonly (readonly number[])[]): string {
  const lines = sessions.flatMap((sizes, i) =>
    sizes.map((size, k) => {
      const content = `${i} ${k} `.repeat(size / 4).slice(0, size);
      return entryLine({ id: `s${i}`, at: k + 1, messages: [{ role: 'user', content }] });
    }),
  );
  return `${lines.join('\n')}\n`;
}

it.each<[name: string, sessions: readonly (readonly number[])[], byShortcut: number]>([
  ['of 700 KB in lines of 350 KB', Array.from({ length: 12 }, () => [350_000, 350_000]), 12],
  ['of 69 MB, more than is kept in memory', [[10], Array.from({ length: 23 }, () => 3e6), [20]], 2],
  ['with a line of 9 MB, and one of 17 MB', [[10], [20], [9e6], [20], [17e6], [30]], 1],
])('F218: the same results of sessions %s in a file', async (_name, sessions, count) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 's.jsonl'), largeSessions(sessions));
  handOutEach.mockClear();
  const byShortcut = await resultsOf(folder, true, BY_RUN);
  expect(handOutEach.mock.calls.length).toBe(count);
  expectSame(byShortcut, await resultsOf(folder, false, BY_RUN));
});

it.each<[name: string, settings: Partial<TaskSettings>]>([
  ['a file each', {}],
  ['one file', BY_RUN],
])('F218: the same results of sessions with long texts and large images, in %s', async (_name, settings) => {
  const folder = temporaryFolder();
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(300)}` } };
  const contents = [
    'short',
    'x'.repeat(400),
    [image],
    [{ type: 'text', text: 'x'.repeat(400) }],
    [image, image],
  ];
  const lines = contents.map((content, i) =>
    entryLine({ id: `s${i}`, messages: [{ role: 'user', content }] }),
  );
  if (settings.sessionBy === 'run') writeFileSync(join(folder, 's.jsonl'), `${lines.join('\n')}\n`);
  else for (const [i, line] of lines.entries()) writeFileSync(join(folder, `s${i}.jsonl`), `${line}\n`);
  for (const [maxPart, count] of [
    [200, 2],
    [2000, 0],
    [0, 0],
  ] as const) {
    handOutEach.mockClear();
    const folded = await resultsOf(folder, true, { ...settings, maxPart });
    expect(handOutEach.mock.calls.length).toBe(lines.length);
    expectSame(folded, await resultsOf(folder, false, { ...settings, maxPart }));
    const sessions = folded.filter(
      (one) => one.kind === 'record' && String(one.bytes).includes('[part-too-big'),
    );
    expect(sessions).toHaveLength(count);
  }
});

it('F218: a line of another session ends no session if its time cannot be read', async () => {
  const folder = temporaryFolder();
  const line = (id: string, at: number): string => entryLine({ id, at });
  const bad = line('b', 1).replace(/"timestamp":"[^"]*"/, '"timestamp":"2026-03-21T13:47:1668097+00:00"');
  expect(bad).not.toBe(line('b', 1));
  const lines = [line('a', 1), bad, line('a', 2), line('b', 1)];
  writeFileSync(join(folder, 's.jsonl'), `${lines.join('\n')}\n`);
  const expected = await resultsOf(folder, false, BY_RUN);
  expect(expected.map(({ kind }) => kind)).toContain('rejected-line');
  expectSame(await resultsOf(folder, true, BY_RUN), expected);
});

for (let from = 0; from < SOURCES; from += SOURCES_PER_TEST) {
  for (const [name, settings, pack] of PACKED_SETTINGS) {
    it(`F218: the same results of many sessions in a file with ${name}, sources ${from} to ${from + SOURCES_PER_TEST - 1}`, async () => {
      const folder = temporaryFolder();
      for (let i = 0; i < SOURCES_PER_TEST + PLAIN_SOURCES; i++) {
        const seed = SEED * 1_000_000 + from + i;
        const file = `s${String(i).padStart(3, '0')}.jsonl${pack === undefined ? '' : '.gz'}`;
        const bytes = i < SOURCES_PER_TEST ? packedLog(seed) : plainPackedLog(seed);
        writeFileSync(join(folder, file), pack?.(bytes, seed) ?? bytes);
      }
      handOutEach.mockClear();
      const byShortcut = await resultsOf(folder, true, settings);
      expect(handOutEach.mock.calls.length).toBeGreaterThan(SOURCES_PER_TEST * 2.5);
      expectSame(byShortcut, await resultsOf(folder, false, settings));
    });
  }

  it(`F218: the same results of many sessions in a stream, sources ${from} to ${from + SOURCES_PER_TEST - 1}`, async () => {
    for (let i = 0; i < SOURCES_PER_TEST; i++) {
      const seed = SEED * 1_000_000 + from + i;
      const bytes = packedLog(seed);
      const byShortcut = await resultsOf(inChunks(bytes, seed), true, BY_RUN);
      expectSame(byShortcut, await resultsOf(inChunks(bytes, seed), false, BY_RUN));
    }
  });
}
