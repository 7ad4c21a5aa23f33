/** `turnmill check`: everything that `build` does but the writing. */
import { build } from './build.ts';
import type { Command } from './command.ts';

const ABOUT_WRITING: ReadonlySet<string> = new Set([
  'out',
  'replace',
  'dryRun',
  'shardSize',
  'compress',
  'quarantineContent',
  'quarantineSize',
]);

export const check: Command = {
  name: 'check',
  summary: 'Do everything that build does but the writing',
  usage: 'INPUT... [options]\n\nINPUT is a log, a folder of logs, or - for standard input.',
  options: build.options.filter(({ name }) => !ABOUT_WRITING.has(name)),
  examples: [['check logs/', 'How many sessions there are, and what would be rejected']],
  words: build.words,
  stoppable: true,
  async run({ words, values, signal }) {
    const { runWhole } = await import('../run-whole.ts');
    return runWhole(words, { ...values, dryRun: true }, signal);
  },
};
