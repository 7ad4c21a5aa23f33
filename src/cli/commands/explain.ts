/** `turnmill explain`: shows what became of a line, a record, a session or a source, and why. */
import { optionsIn } from '../../settings/option.ts';
import { SETTINGS } from '../../settings/table.ts';
import { SUCCESS } from '../faults.ts';
import { JSON_OPTION } from '../options/shared-options.ts';
import { EXPLAIN_OPTIONS } from '../options/show-options.ts';
import { readingOptions, settingsOptions } from '../options/values.ts';
import type { Command } from './command.ts';

export const explain: Command = {
  name: 'explain',
  summary: 'Show what became of a line, a record, a session or a log, and why',
  usage:
    'WHAT [options]\n\nWHAT is FILE:LINE, as the summary, the report and quarantine list print it, or FILE for a log as a whole; with --in also the id of a session, its beginning, or the path of a record, SHARD:LINE. With --in, the options are those of the dataset, besides what you pass; without it, pass the same conversion options as to build. In FILE.json, LINE is the number of the entry.',
  options: [
    ...optionsIn({ ...EXPLAIN_OPTIONS, only: SETTINGS.only, ...JSON_OPTION }),
    ...settingsOptions('reading'),
    ...readingOptions,
  ],
  examples: [
    ['explain logs/2026-01-13/a.jsonl:7', 'Show the fate of line 7'],
    ['explain logs/settings.json', 'Show what became of a file, and why'],
    ['explain dataset/data/2026-01-13-00000.jsonl:1', 'Show which log a record is made from'],
    [
      'explain 2026-01-13/a.jsonl:7 --root logs/ --in dataset/',
      'Also show where its record is in the dataset',
    ],
  ],
  words: { least: 1, most: 1, missing: 'name a line (FILE:LINE) or a file' },
  stoppable: true,
  async run(request) {
    const { explain: print } = await import('../explanation.ts');
    if (request.values.plugin !== undefined) request.plugInCalls.begin(); // nothing has to be cleaned up
    await print(request);
    return SUCCESS;
  },
};
