/** A small deck in Markdown with samples, and answers of a grader. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';

/** Writes a deck with samples that expect these scores. @returns its path */
export function writeDeck(scores: readonly number[], others = ''): string {
  const folder = temporaryFolder();
  const samples = scores.map(
    (score, i) =>
      `[[samples]]\nmessages = [{ role = "user", content = "question ${i}" }]\nexpected = { score = ${score} }\n`,
  );
  writeFileSync(join(folder, 'samples.toml'), `${samples.join('\n')}\n${others}`);
  writeFileSync(join(folder, 'grader.md'), '# Grade\n\nBe strict.\n\n![samples](samples.toml)\n');
  return join(folder, 'grader.md');
}

/** A reply with a grade. */
export const graded = (score: number, reason = 'fair'): object => ({
  role: 'assistant',
  content: JSON.stringify({ score, reason }),
});
