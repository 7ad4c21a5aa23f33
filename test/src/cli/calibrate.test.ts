/** `turnmill calibrate` against a server that plays the model. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ended, start } from '../../support/command.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { type Answering, fakeModel } from '../loop/fake-model.ts';
import { graded, writeDeck } from '../loop/small-deck.ts';

const argsOf = (deck: string, base: string, ...more: string[]): string[] => [
  ...['calibrate', deck, '--endpoint', base, '--model', 'm', '--concurrency', '1'],
  ...more,
];

test('prints the scores that differ, and the table', async () => {
  const deck = writeDeck([-3, 3, 3, 10]);
  const { base } = await fakeModel([graded(-3), graded(3), graded(-3, 'not\nenough'), graded(10)]);
  const { status, stdout } = await turnmill(argsOf(deck, base));
  expect(stdout.toString()).toBe(
    [
      'samples.toml:9: score -3, expected 3: not\\u000aenough',
      '4 samples: 4 graded, 0 skipped',
      'agreement 75.0 % (3 of 4), mean absolute difference 1.50',
      'expected  scored -3  scored 3  scored 10',
      '      -3          1         .          .',
      '       3          1         1          .',
      '      10          .         .          1',
      '',
    ].join('\n'),
  );
  expect(status).toBe(0);
});

test('repeats a request after 429 and 5xx', async () => {
  const model = await fakeModel([429, graded(1), 503, graded(2)]);
  const { status, stdout } = await turnmill(argsOf(writeDeck([1, 2]), model.base));
  expect([status, model.requests.length]).toEqual([0, 4]);
  expect(stdout.toString()).toContain('agreement 100.0 % (2 of 2), mean absolute difference 0.00\n');
});

test('exits with 3 if a sample was skipped, and names its place and the reason', async () => {
  const deck = writeDeck([1, 1], '[[samples]]\nuserMessage = "a"\n[samples2]\n');
  const { base } = await fakeModel([{ role: 'assistant', content: 'secret words' }]);
  const { status, stdout } = await turnmill(argsOf(deck, base, '--json'));
  expect(status).toBe(3);
  const lines = stdout
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { number: 1, skipped: 'bad-answer', expected: 1 },
    { number: 2, skipped: 'bad-answer' },
    { number: 3, line: 9, embedded: 'grader.md:5', skipped: 'bad-sample' },
    { samples: 3, graded: 0, skipped: 3, agreement: null, confusion: [] },
  ]);
  expect(stdout.toString()).not.toContain('secret');
  const text = (await turnmill(argsOf(deck, base))).stdout.toString();
  expect(text).toContain('samples.toml:9: skipped, bad-sample: Sample must have messages array');
  expect(text.endsWith('3 samples: 0 graded, 3 skipped\n')).toBe(true);
});

test('a run that is killed continues with --resume, and asks for each sample once', async () => {
  const deck = writeDeck([1, 2, 3, 4, 5]);
  const out = join(temporaryFolder(), 'out');
  const silent: Answering = () => undefined;
  const first = await fakeModel([graded(1), graded(2), silent]);
  const child = start(argsOf(deck, first.base, '-o', out));
  const end = ended(child);
  while (first.requests.length < 3) await wait(20);
  child.kill('SIGKILL');
  expect((await end).signal).toBe('SIGKILL');
  expect(readdirSync(out)).toEqual(['results.jsonl.part']);

  const second = await fakeModel([graded(3), graded(4), graded(5)]);
  const refused = await turnmill(argsOf(deck, second.base, '-o', out));
  expect([refused.status, second.requests.length]).toEqual([73, 0]);
  const { status } = await turnmill(argsOf(deck, second.base, '-o', out, '--resume'));
  expect([status, second.requests.length]).toEqual([0, 3]);
  expect(existsSync(join(out, 'results.jsonl.part'))).toBe(false);
  const results = readFileSync(join(out, 'results.jsonl'), 'utf8').trimEnd().split('\n');
  expect(results.map((line) => JSON.parse(line).score)).toEqual([1, 2, 3, 4, 5]);
});

test('a signal stops it, and keeps the answers', async () => {
  const deck = writeDeck([1, 2]);
  const out = join(temporaryFolder(), 'out');
  const model = await fakeModel([graded(1), () => undefined]);
  const child = start(argsOf(deck, model.base, '-o', out));
  const end = ended(child);
  while (model.requests.length < 2) await wait(20);
  child.kill('SIGTERM');
  expect((await end).status).toBe(143);
  expect(readFileSync(join(out, 'results.jsonl.part'), 'utf8')).toContain('"score":1');
});

test('the key is in no output, also where the endpoint repeats it', async () => {
  const key = 'sk-secret-of-mine';
  const env = { ...process.env, GRADER_KEY: key };
  const out = join(temporaryFolder(), 'out');
  const deck = writeDeck([1, 1]);
  const echo: Answering = (response, sent) => {
    response.statusCode = 401;
    response.end(`bad key ${sent}`);
  };
  const model = await fakeModel([graded(1, `your key is ${key}`), echo]);
  const run = await turnmill(argsOf(deck, model.base, '-o', out, '--key-env', 'GRADER_KEY'), undefined, env);
  expect([run.status, model.keys]).toEqual([69, [`Bearer ${key}`, `Bearer ${key}`]]);
  expect(run.stderr).toContain('status 401: bad key Bearer [key]');
  const kept = readFileSync(join(out, 'results.jsonl.part'), 'utf8');
  expect(kept).toContain('your key is [key]');
  expect(run.stdout.toString() + run.stderr + kept).not.toContain('sk-secret');
});

test('usage errors, a missing deck, a faulty deck and no endpoint have their statuses', async () => {
  const deck = writeDeck([1]);
  const nowhere = 'http://127.0.0.1:1/v1';
  const statusOf = async (args: readonly string[]) => (await turnmill(args)).status;
  expect(await statusOf(['calibrate'])).toBe(64);
  expect(await statusOf(['calibrate', deck])).toBe(64);
  expect(await statusOf(['calibrate', deck, '--endpoint', nowhere])).toBe(64);
  expect(await statusOf(argsOf(deck, nowhere, '--resume'))).toBe(64);
  expect(await statusOf(argsOf(deck, nowhere, '--key-env', 'NO_SUCH_KEY'))).toBe(64);
  expect(await statusOf(argsOf(`${deck}.md`, nowhere))).toBe(66);
  expect(await statusOf(argsOf(deck, nowhere))).toBe(69);
  expect(await statusOf(argsOf(deck, nowhere, '-o', join(deck, 'out')))).toBe(74);
  writeFileSync(join(dirname(deck), 'samples.toml'), 'samples = ');
  const { status, stderr } = await turnmill(argsOf(deck, nowhere));
  expect([status, JSON.parse(stderr).code]).toEqual([65, 'rejected']);
  expect(JSON.parse(stderr).msg).toContain(
    `${deck}:5: ${join(dirname(deck), 'samples.toml')}: line 1, column`,
  );
});
