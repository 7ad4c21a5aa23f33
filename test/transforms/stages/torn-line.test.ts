import { describe, expect, it } from 'vitest';
import type { StreamElement } from '../../../transforms/model/element.ts';
import { apply, defaultsOf } from '../../../transforms/stage.ts';
import { parse } from '../../../transforms/stages/parse.ts';
import { text } from '../bytes.ts';
import { originOf } from '../checks/samples.ts';
import { entryJson, lineOf } from '../log-lines.ts';

const claude = (uuid: string, parentUuid: string | null, role: string, said: string): string =>
  JSON.stringify({ type: role, uuid, parentUuid, sessionId: 's', message: { role, content: said } });
const codex = (role: string, said: string): string =>
  JSON.stringify({
    ...{ timestamp: '2026-02-03T10:00:01.000Z', type: 'response_item' },
    payload: { type: 'message', role, content: [{ type: 'output_text', text: said }] },
  });
const pi = (id: string, parentId: string | null, role: string, said: string): string =>
  JSON.stringify({
    type: 'message',
    id,
    parentId,
    message: { role, content: [{ type: 'text', text: said }] },
  });
const qwen = (uuid: string, parentUuid: string | null, role: string, said: string): string =>
  JSON.stringify({
    ...{ uuid, parentUuid, sessionId: 's', timestamp: '2026-02-03T10:00:01.000Z', type: role },
    message: { role: role === 'user' ? role : 'model', parts: [{ text: said }] },
  });

/** By dialect: the lines before a torn one, the torn one, and the whole one after it. */
const LOGS: Readonly<Record<string, readonly [string, string, string]>> = {
  'claude-code': [
    claude('a', null, 'user', 'Hi {"x"}'),
    claude('b', 'a', 'assistant', 'Torn {"y": [1]} é'),
    claude('c', 'a', 'assistant', 'Whole'),
  ],
  codex: [codex('user', 'Hi'), codex('assistant', 'Torn {} "é'), codex('assistant', 'Whole')],
  pi: [pi('a', null, 'user', 'Hi'), pi('b', 'a', 'assistant', 'Torn'), pi('c', 'a', 'assistant', 'Whole')],
  'gemini-cli': [
    qwen('a', null, 'user', 'Hi'),
    qwen('b', 'a', 'assistant', 'Torn'),
    qwen('c', 'a', 'assistant', 'Whole'),
  ],
  exchange: [entryJson(), entryJson({ tags: { a: [{ b: 'Torn' }] } }), entryJson({ session_id: 'Whole' })],
};

function read(lines: readonly (string | Uint8Array)[]): readonly StreamElement[] {
  const elements = lines.map((line, i) => lineOf(line, undefined, i + 1));
  return [
    ...apply(parse.create(defaultsOf(parse.options)), [
      ...elements,
      { kind: 'session-end', origin: originOf(99), last: true },
    ]),
  ];
}

/** Texts of the conversations, number of rejections, and names of the repairs. */
function shown(elements: readonly StreamElement[]) {
  const entries = elements.filter((element) => element.kind === 'entry');
  return {
    texts: entries.map(({ messages, reply, sessionId }) =>
      [...messages, ...(reply === undefined ? [] : [reply])]
        .map(({ bytes }) => text(bytes))
        .concat(sessionId ?? ''),
    ),
    rejected: elements.filter(({ kind }) => kind === 'rejection').length,
    repairs: elements.flatMap((element) => (element.kind === 'repair' ? [element.repair] : [])),
  };
}

describe.each(Object.entries(LOGS))('in a log of %s', (dialect, [before, torn, whole]) => {
  const intact = shown(read([before, whole]));
  const tornBytes = Buffer.from(torn);

  it('a whole object is read wherever the one before it was torn', () => {
    let lost = 0;
    for (let at = 1; at < tornBytes.length; at++) {
      const found = shown(read([before, Buffer.concat([tornBytes.subarray(0, at), Buffer.from(whole)])]));
      const isRead = JSON.stringify(found.texts) === JSON.stringify(intact.texts);
      expect(found.rejected, `torn at byte ${at}`).toBe(1);
      if (isRead) expect(found.repairs).toEqual(['split-objects', 'torn-prefix']);
      else lost++;
      // where a value of an inner object was torn off, the whole object may be that value
      if (!isRead) expect(torn.slice(0, at).trimEnd()).toMatch(/[:[,]$/);
    }
    expect(lost).toBeLessThan(20);
  });

  it('nothing is read of a torn object alone', () => {
    const alone = shown(read([before])).texts;
    for (let at = 1; at < tornBytes.length; at++) {
      const found = shown(read([before, tornBytes.subarray(0, at)]));
      expect([found.texts, found.repairs, found.rejected], `torn at byte ${at}`).toEqual([alone, [], 1]);
    }
  });

  it('whole objects are read before a torn one, and between two', () => {
    for (let at = 1; at < tornBytes.length; at++) {
      const half = tornBytes.subarray(0, at);
      const last = shown(read([before, Buffer.concat([Buffer.from(whole), half])]));
      expect(last, `torn at byte ${at}`).toEqual({ ...intact, rejected: 1, repairs: ['split-objects'] });
      const third = shown(
        read([Buffer.concat([Buffer.from(`${before}${whole}`), half, Buffer.from('\0\0')])]),
      );
      const repairs = ['split-objects', 'nul-prefix'];
      expect(third, `torn at byte ${at}`).toEqual({ ...intact, rejected: 1, repairs });
    }
    const tail = tornBytes.subarray(0, tornBytes.length / 2);
    const between = Buffer.concat([tail, Buffer.from(whole), tail]);
    expect(shown(read([before, between]))).toEqual({
      ...intact,
      ...{ rejected: 2, repairs: ['split-objects', 'torn-prefix'] },
    });
  });

  it('each piece of a line has its place', () => {
    const half = torn.slice(0, 20);
    const line = `${half}${whole}${half}`;
    const rejected = read([before, line]).filter((element) => element.kind === 'rejection');
    const [length, at] = [half.length, Buffer.byteLength(`${half}${whole}`)];
    const [first, last] = rejected.map(({ origin }) => origin);
    expect(first).toMatchObject({ line: 2, length });
    expect(last).toMatchObject({ line: 2, length, offset: (first?.offset ?? 0) + at });
  });

  it('NULs before or between objects are left out', () => {
    expect(shown(read([before, Buffer.from(`\0\0\0${whole}`)]))).toEqual({
      ...intact,
      repairs: ['nul-prefix'],
    });
    expect(shown(read([Buffer.from(`\0${before}\0\0${whole}\0`)]))).toEqual({
      ...intact,
      repairs: ['split-objects', 'nul-prefix'],
    });
  });

  it('byte order marks before or between objects are left out', () => {
    expect(shown(read([before, `\ufeff${whole}`]))).toEqual({ ...intact, repairs: ['bom-prefix'] });
    expect(shown(read([`${before}\ufeff${whole}`]))).toEqual({
      ...intact,
      repairs: ['split-objects', 'bom-prefix'],
    });
    const half = Buffer.concat([Buffer.from('\ufeff'), tornBytes.subarray(0, tornBytes.length / 2)]);
    expect(shown(read([before, half]))).toMatchObject({ rejected: 1, repairs: [] });
  });

  it('a torn first line does not hide the whole object after it', () => {
    const first = `${before.slice(0, -12)}${before}`;
    expect(shown(read([first, whole]))).toMatchObject({ texts: intact.texts, rejected: 1 });
    expect(dialect).toBeTypeOf('string');
  });
});

const [BEFORE, TORN, WHOLE] = LOGS['claude-code'] as readonly [string, string, string];

describe('a line stays one rejection', () => {
  it.each([
    ['with a fragment alone', TORN.slice(0, 30)],
    ['with an unescaped quote after a whole object', `${WHOLE}${TORN.replace('Torn', 'To"rn')}`],
    ['with a text after a whole object', `${WHOLE}. ${TORN.slice(0, 30)}`],
    ['with an object of another dialect at its end', `${TORN.slice(0, 30)}${codex('assistant', 'x')}`],
    ['with a message at its end', `${TORN.slice(0, 30)}{"role":"assistant","content":"x"}`],
    ['with a text before the object', `DEBUG: ${WHOLE}`],
    ['with an unescaped quote', TORN.replace('Torn', 'To"rn')],
    ['that nests too deep', `{"a":${'['.repeat(600)}${WHOLE}`],
    ['of NULs', '\0\0\0'],
  ])('%s', (_name, line) => {
    const { texts, rejected, repairs } = shown(read([BEFORE, line]));
    expect([texts.length, rejected, repairs]).toEqual([1, 1, []]);
  });

  it('if it ends with an object that was torn off it', () => {
    const line = `{"type":"progress","data":{"message":${WHOLE}`;
    expect(shown(read([BEFORE, line]))).toMatchObject({ rejected: 1, repairs: [] });
  });
});

it('reads torn lines that were held until the dialect was known', () => {
  const lines = ['{"type":"mode"}', `${TORN.slice(0, 40)}${BEFORE}`, WHOLE];
  expect(shown(read(lines)).repairs).toEqual(['split-objects', 'torn-prefix']);
});

it('drops half of an object at the end of a log, after the whole ones of its line', () => {
  const line = {
    ...lineOf(`${TORN.slice(0, 40)}${WHOLE}${TORN.slice(0, 50)}`, undefined, 2),
    isOpen: true,
  } as const;
  const end = { kind: 'session-end', origin: originOf(99), last: true } as const;
  const found = [...apply(parse.create(defaultsOf(parse.options)), [lineOf(BEFORE), line, end])];
  expect(shown(found)).toMatchObject({ rejected: 1, repairs: ['split-objects', 'torn-prefix'] });
  const fates = found.flatMap((element) => (element.kind === 'fate' ? [element.fate] : []));
  expect(fates).toEqual(['dropped:unfinished-line']);
});

it('reads a whole object with NaN before a torn one', () => {
  const line = `${WHOLE.replace('{', '{"score":NaN,')}${TORN.slice(0, 50)}`;
  const { texts, rejected, repairs } = shown(read([BEFORE, line]));
  expect([texts.flat().length, rejected, repairs]).toEqual([3, 1, ['split-objects', 'bare-nan']]);
});

it('rejects a line with more pieces than a line may have objects', () => {
  const elements = [lineOf(`${BEFORE}${WHOLE}${TORN.slice(0, 50)}`)];
  const bounded = { ...defaultsOf(parse.options), maxElements: 10 };
  const read = (more: string) => [...apply(parse.create(bounded), [...elements, lineOf(more)])];
  expect(shown(read('')).repairs).toEqual(['split-objects']);
  expect(shown(read(`${WHOLE.repeat(10)}${TORN.slice(0, 50)}`))).toMatchObject({ rejected: 2 });
});

it('gives up on a line with very many heads, in time that is linear', () => {
  for (const head of ['{"type":', '{"', '{"type":"user","x{', '{"a":{"type":', '{}']) {
    const started = performance.now();
    const line = `${head.repeat(200_000)}${WHOLE}`;
    expect(shown(read([BEFORE, line])).rejected).toBeGreaterThanOrEqual(1);
    expect(performance.now() - started).toBeLessThan(5000);
  }
});
