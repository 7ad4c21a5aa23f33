/**
 * A grader on a real model: `MODEL_ENDPOINT=http://127.0.0.1:8000/v1 MODEL_NAME=... npm run test:e2e`. Off by default. The model must
 * see which sums are right.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { calibrate } from '../../src/job/calibrate.ts';
import { temporaryFolder } from '../support/folder.ts';

const { MODEL_ENDPOINT: base, MODEL_NAME: model = '', MODEL_KEY: key } = process.env;
if (base === undefined) process.stdout.write('skipped: MODEL_ENDPOINT names no endpoint of a model\n');

const DECK = `You grade answers to sums. The score is 1 if the answer of the assistant is right, and 0 if it is wrong.
Reply only with a JSON object: {"score": 0, "reason": "one sentence"}.

![contexts](contexts.toml)
![samples](samples.toml)
`;
const CONTEXTS = '[contexts.fullConversation]\nassistantQuestion = "What is the conversation to grade?"\n';
const sample = (answer: number, score: number): string => `[[samples]]
messages = [{ role = "user", content = "What is 2 + 2?" }, { role = "assistant", content = "${answer}" }]
expected = { score = ${score} }
`;

test.skipIf(base === undefined)('a grader tells right sums from wrong ones', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'grader.md'), DECK);
  writeFileSync(join(folder, 'contexts.toml'), CONTEXTS);
  writeFileSync(join(folder, 'samples.toml'), sample(4, 1) + sample(7, 0));
  const { summary } = await calibrate({ deck: join(folder, 'grader.md'), base: base as string, model, key });
  expect(summary).toMatchObject({ graded: 2, skipped: 0, agreement: 1 });
});
