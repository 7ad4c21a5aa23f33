/** `turnmill build`: writes a dataset. */

import { failUsage } from '../../errors.ts';
import { optionsIn } from '../../settings/option.ts';
import { DRY_RUN, FOLLOW_SHORTCUT, REPORTING } from '../options/shared-options.ts';
import { readingOptions, settingsOptions } from '../options/values.ts';
import type { Command } from './command.ts';

export const build: Command = {
  name: 'build',
  summary: 'Make a dataset from session logs',
  usage:
    'INPUT... --out DIR|- [options]\n\nINPUT is a log, a folder of logs, s3://BUCKET/PREFIX/, s3://BUCKET/KEY, or - for standard input.',
  options: [
    ...settingsOptions('reading', 'run', 'writing'),
    ...readingOptions,
    ...optionsIn({ ...FOLLOW_SHORTCUT, ...DRY_RUN, ...REPORTING }),
  ],
  examples: [
    ['build logs/ --out dataset/', 'Write a line of dataset/data/*.jsonl for every session in logs/'],
    ['build - --out - < session.jsonl', 'Convert standard input to standard output'],
    [
      'build logs/ --out ds/ --json-tool-calls --compress gzip',
      'Put tool calls into the text, compress the shards',
    ],
    ['build logs/ --update dataset/', 'Read only new and changed logs, every night'],
  ],
  words: {
    least: 1,
    most: Number.POSITIVE_INFINITY,
    missing: 'name at least one input: a file, a folder, or -',
  },
  stoppable: true,
  async run(request) {
    const { out, update, dryRun } = request.values;
    if (out === undefined && update === undefined && dryRun !== true)
      failUsage('build: --out is missing; name a folder, or use --dry-run to write nothing');
    const { runWhole } = await import('../run-whole.ts');
    return runWhole(request);
  },
};
