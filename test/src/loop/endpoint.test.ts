/** Endpoints that answer with something else than a chat completion, or repeat the key. */
import { describe, expect, test } from 'vitest';
import { endpoint } from '../../../src/loop/endpoint.ts';
import { DEFAULT_LOOP, eachTurn, ModelFault, runLoop } from '../../../src/loop/run-loop.ts';
import type { LoopRecord } from '../../../src/loop/tape.ts';
import { type Answering, fakeModel } from './fake-model.ts';

const KEY = 'sk-plum/+tree=07';
const RECORD: LoopRecord = {
  messages: [
    { role: 'user', content: 'How tall?' },
    { role: 'assistant', content: 'Four metres.' },
  ],
  tools: [],
};

const body =
  (text: string, status = 200): Answering =>
  (response) => {
    response.statusCode = status;
    response.end(text);
  };

async function modelWith(answer: Answering, options: { maxAnswerBytes?: number } = {}) {
  const { base } = await fakeModel([answer, answer, answer]);
  return endpoint({ base, model: 'm', key: KEY, waits: [0, 0], ...options });
}

test.each(['nonsense', 'ftp://127.0.0.1/v1', '127.0.0.1:8000/v1'])('%s is not an endpoint', (base) => {
  expect(() => endpoint({ base, model: 'm', key: KEY })).toThrow(/the endpoint is not a URL such as/);
});

describe('an answer that is not a chat completion', () => {
  const deep = 100_000;
  test.each([
    ['null', 'null', 'the answer is not a JSON object'],
    ['a list', '[]', 'the answer is not a JSON object'],
    ['a page', '<html>', 'the answer is not JSON'],
    ['half an object', '{"choices":[{"message":{"content":"Fo', 'the answer is not JSON'],
    ['an error with status 200', '{"error":"busy"}', 'the answer has no list of choices'],
    ['a choice that is null', '{"choices":[null]}', 'choices[0] is not an object'],
    ['a message that is a text', '{"choices":[{"message":"Four"}]}', 'choices[0].message is not an object'],
    [
      'a content of parts',
      '{"choices":[{"message":{"content":[]}}]}',
      'the content of the message is not a string',
    ],
    ['calls that are no list', '{"choices":[{"message":{"tool_calls":{}}}]}', 'tool_calls is not a list'],
    [
      'a call that is null',
      '{"choices":[{"message":{"tool_calls":[null]}}]}',
      'tool_calls[0] is not a call of a named function',
    ],
    [
      'a call without a name',
      '{"choices":[{"message":{"tool_calls":[{"function":{}}]}}]}',
      'tool_calls[0] is not a call of a named function',
    ],
    [
      'deep arguments',
      `{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":"${'['.repeat(deep)}${']'.repeat(deep)}"}}]}}]}`,
      'the arguments of tool_calls[0] nest deeper than 512 levels',
    ],
    [
      'a deep body',
      `{"choices":${'['.repeat(deep)}${']'.repeat(deep)}}`,
      'the answer nests deeper than 512 levels',
    ],
  ])('%s ends the loop of that record', async (_name, text, problem) => {
    const model = await modelWith(body(text));
    await expect(model([], [])).rejects.toThrow(ModelFault);
    expect(await runLoop(RECORD, model, DEFAULT_LOOP)).toMatchObject({
      end: 'bad-answer',
      problem,
      steps: 1,
    });
  });

  test('is not equal to a recorded answer without calls, and neither is no answer', async () => {
    for (const text of ['null', '{"choices":[]}', '{"choices":[{"message":{"content":""}}]}']) {
      const turns = [];
      for await (const turn of eachTurn(RECORD, await modelWith(body(text)))) turns.push(turn);
      expect(turns).toMatchObject([{ sampled: undefined, sameTools: false, sameArguments: false }]);
    }
  });

  test('is not read beyond the limit, even without an end', async () => {
    let sent = 0;
    const endless: Answering = (response) => {
      const chunk = Buffer.alloc(64 * 1024, 0x20);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    const model = await modelWith(endless, { maxAnswerBytes: 1024 * 1024 });
    await expect(model([], [])).rejects.toThrow('the answer is longer than 1048576 bytes (--max-answer)');
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test('is unavailable if the connection ends in its middle', async () => {
    const cut: Answering = (response) => {
      response.setHeader('content-length', '1000');
      response.write('{"choices":');
      setImmediate(() => response.destroy());
    };
    const model = await modelWith(cut);
    await expect(model([], [])).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('the key', () => {
  const spellings: readonly [string, (key: string) => string][] = [
    ['as it is', (key) => key],
    ['in a URL', encodeURIComponent],
    ['in base64', (key) => Buffer.from(key).toString('base64')],
    ['after 190 other characters', (key) => 'x'.repeat(190) + key],
  ];
  test.each(
    [400, 401, 500].flatMap((status) => spellings.map(([name, spell]) => [status, name, spell] as const)),
  )('is not in the error of status %i, %s', async (status, _name, spell) => {
    const model = await modelWith((response, sent) => {
      expect(sent).toBe(`Bearer ${KEY}`);
      response.statusCode = status;
      response.end(`bad key: ${spell(KEY)}`);
    });
    const error = (await model([], []).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toContain(`status ${status}: bad key: `);
    for (const [, other] of spellings) expect(error.message).not.toContain(other(KEY).slice(-12));
    expect(error.message).not.toContain('sk-pl');
  });

  test('is not in a reply either', async () => {
    const model = await modelWith(
      body(JSON.stringify({ choices: [{ message: { content: `Use ${KEY}.` } }] })),
    );
    expect(await model([], [])).toEqual({ content: 'Use [key].' });
  });

  test('must not be part of the URL', () => {
    expect(() => endpoint({ base: 'http://me:secret@127.0.0.1:1/v1', model: 'm' })).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.not.stringContaining('secret') }),
    );
  });
});
