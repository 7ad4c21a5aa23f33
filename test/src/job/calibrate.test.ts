/** A grader is asked about the samples of a deck, on a server that plays the model. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CalibrateRequest, type CalibrationLine, calibrate } from '../../../src/job/calibrate.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { type Answering, fakeModel } from '../loop/fake-model.ts';
import { graded, writeDeck } from '../loop/small-deck.ts';

type Answers = Parameters<typeof fakeModel>[0];

async function calibrated(deck: string, answers: Answers, options: Partial<CalibrateRequest> = {}) {
  const model = await fakeModel(answers);
  const result = calibrate({ deck, base: model.base, model: 'm', waits: [0, 0], concurrency: 1, ...options });
  return { requests: model.requests, result: await result };
}

const linesIn = (folder: string, name = 'results.jsonl'): CalibrationLine[] =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text));

describe('calibrate', () => {
  test('requests a score for each sample, at temperature 0, and compares it with the expected one', async () => {
    const out = join(temporaryFolder(), 'a', 'b');
    const deck = writeDeck([1, -1], '[[samples]]\nmessages = []\n');
    const { requests, result } = await calibrated(deck, [graded(1), graded(2, 'too kind')], { out });
    expect(requests).toEqual(
      [0, 1].map((i) => ({
        model: 'm',
        temperature: 0,
        seed: 0,
        messages: [
          { role: 'system', content: '# Grade\n\nBe strict.' },
          { role: 'user', content: `{"fullConversation":[{"role":"user","content":"question ${i}"}]}` },
        ],
      })),
    );
    const place = { source: 'samples.toml', embedded: 'grader.md:5', id: null };
    const request = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(result.lines).toEqual([
      { ...place, number: 1, line: 1, expected: 1, score: 1, reason: 'fair', request },
      { ...place, number: 2, line: 5, expected: -1, score: 2, reason: 'too kind', request },
      { ...place, number: 3, line: 9, skipped: 'bad-sample', problem: 'Messages array cannot be empty' },
    ]);
    expect(result.summary).toMatchObject({
      deck: 'grader.md',
      model: 'm',
      samples: 3,
      skipped: 1,
      agreement: 0.5,
      mean_absolute_difference: 1.5,
    });
    expect(readdirSync(out).sort()).toEqual(['results.jsonl', 'summary.json']);
    expect(linesIn(out)).toEqual(result.lines);
    expect(JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'))).toEqual(result.summary);
  });

  test('sends no more requests at the same time than it may, and keeps the order of the samples', async () => {
    let open = 0;
    let most = 0;
    const slow = Array.from(
      { length: 9 },
      (_, i): Answering =>
        (response) => {
          most = Math.max(most, ++open);
          setTimeout(
            () => {
              open--;
              response.end(JSON.stringify({ choices: [{ message: graded(0) }] }));
            },
            40 - 4 * i,
          );
        },
    );
    const { result } = await calibrated(writeDeck([0, 1, 2, 3, 4, 5, 6, 7, 8]), slow, { concurrency: 3 });
    expect(most).toBe(3);
    expect(result.lines.map(({ expected }) => expected)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('repeats requests after 429 and 5xx, and skips answers that cannot be used', async () => {
    const answers = [
      ...[429, 500, graded(1)],
      ...[
        { role: 'assistant', content: 'Good.' },
        { role: 'assistant', content: null },
      ],
      { role: 'assistant', content: [] },
    ];
    const { requests, result } = await calibrated(writeDeck([1, 1, 1, 1]), answers);
    expect(requests).toHaveLength(6);
    expect(result.lines.map(({ score, skipped, problem }) => score ?? `${skipped}: ${problem}`)).toEqual([
      1,
      'bad-answer: the answer of the grader is not JSON',
      'no-answer: the grader returned no text',
      'bad-answer: the content of the message is not a string',
    ]);
    expect(result.summary).toMatchObject({ graded: 1, skipped: 3, agreement: 1 });
  });

  test('reads no more of an answer than it may', async () => {
    const { result } = await calibrated(writeDeck([1]), [graded(1, 'x'.repeat(5000))], {
      maxAnswerBytes: 4096,
    });
    expect(result.lines[0]).toMatchObject({
      skipped: 'bad-answer',
      problem: 'the answer is longer than 4096 bytes (--max-answer)',
    });
  });
});

describe('the answers of an earlier run', () => {
  async function stopped(deck: string, out: string): Promise<void> {
    await expect(calibrated(deck, [graded(1), graded(2), 404], { out })).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(readdirSync(out)).toEqual(['results.jsonl.part']);
  }

  test('are kept if the endpoint fails, and used with resume', async () => {
    const out = temporaryFolder();
    const deck = writeDeck([1, 1, 1, 1]);
    await stopped(deck, out);
    writeFileSync(join(out, 'results.jsonl.part'), '{"request":"cut', { flag: 'a' });
    const second = await calibrated(deck, [graded(3), 404], { out, resume: true }).catch((error) => error);
    expect(second.code).toBe('unavailable');
    const { requests, result } = await calibrated(deck, [graded(4)], { out, resume: true });
    expect(requests).toHaveLength(1);
    expect(result.lines.map(({ score }) => score)).toEqual([1, 2, 3, 4]);
    expect(readdirSync(out).sort()).toEqual(['results.jsonl', 'summary.json']);
    const third = await calibrated(deck, [], { out, resume: true });
    expect(third.requests).toHaveLength(0);
    expect(third.result).toEqual(result);
  });

  test('are used only for the same messages and model; skipped samples are requested again', async () => {
    const out = temporaryFolder();
    const deck = writeDeck([1, 1]);
    await calibrated(deck, [graded(1), { role: 'assistant', content: 'Good.' }], { out });
    const again = await calibrated(deck, [graded(0)], { out, resume: true });
    expect(again.requests).toHaveLength(1);
    expect(again.result.lines.map(({ score }) => score)).toEqual([1, 0]);
    expect((await calibrated(deck, [], { out, resume: true, model: 'n' })).requests).toHaveLength(2);
    writeFileSync(deck, readFileSync(deck, 'utf8').replace('strict', 'kind'));
    expect((await calibrated(deck, [], { out, resume: true })).requests).toHaveLength(2);
  });

  test('are not overwritten without resume', async () => {
    const out = temporaryFolder();
    const deck = writeDeck([1, 1, 1]);
    await stopped(deck, out);
    await expect(calibrated(deck, [], { out })).rejects.toMatchObject({ code: 'cannot-create' });
    await calibrated(deck, [], { out, resume: true });
    const { base, requests } = await fakeModel([]);
    await expect(calibrate({ deck, base, model: 'm', out })).rejects.toThrow('--resume');
    expect(requests).toEqual([]);
    expect(linesIn(out)).toHaveLength(3);
  });
});

test('results are as private as the files of the deck', async () => {
  const out = join(temporaryFolder(), 'out');
  mkdirSync(out);
  writeFileSync(join(out, 'results.jsonl.part'), '', { mode: 0o644 });
  const deck = writeDeck([1]);
  chmodSync(deck, 0o600);
  let during = 0;
  const answer: Answering = (response) => {
    during = statSync(join(out, 'results.jsonl.part')).mode & 0o777;
    response.end(JSON.stringify({ choices: [{ message: graded(1) }] }));
  };
  await calibrated(deck, [answer], { out });
  expect(during).toBe(0o600);
  for (const name of readdirSync(out)) expect(statSync(join(out, name)).mode & 0o777).toBe(0o600);
  expect(existsSync(join(out, 'results.jsonl.part'))).toBe(false);
});

test('a signal ends the requests', async () => {
  const stop = new AbortController();
  const answer: Answering = () => stop.abort(new Error('enough'));
  await expect(calibrated(writeDeck([1, 1]), [answer], { signal: stop.signal })).rejects.toThrow('enough');
});

test('a faulty deck sends no request', async () => {
  const deck = writeDeck([1]);
  writeFileSync(deck, '![samples](samples.toml) ![more](more.toml)');
  const model = await fakeModel([]);
  await expect(calibrate({ deck, base: model.base, model: 'm' })).rejects.toMatchObject({ code: 'rejected' });
  expect(model.requests).toEqual([]);
});
