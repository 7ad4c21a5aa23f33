/** `turnmill view`: shows a dataset or a log in the browser. */
import { optionsIn } from '../../settings/option.ts';
import { SETTINGS } from '../../settings/table.ts';
import { LOG_OPTION } from '../options/shared-options.ts';
import { VIEW_OPTIONS } from '../options/show-options.ts';
import type { Command } from './command.ts';

export const view: Command = {
  name: 'view',
  summary: 'Show a dataset or a log in the browser',
  usage:
    'DATASET|LOGS|FILE [options]\n\nA folder of logs is built into a private folder first. A log of lines is followed while it grows. The server listens on this machine only; Ctrl-C ends it.',
  options: optionsIn({ ...VIEW_OPTIONS, only: SETTINGS.only, ...LOG_OPTION }),
  examples: [
    ['view dataset/ --logs logs/', 'Show the records, and what was changed in each'],
    ['view logs/ --open', 'Build a folder of logs and show it'],
    ['view dataset/ --export pages/', 'Write the page and its data for a static host'],
    ['view session.jsonl', 'Follow a log while it is written'],
  ],
  words: { least: 1, most: 1, missing: 'name a dataset, a folder of logs or a log' },
  stoppable: true,
  async run(request) {
    const { view: show } = await import('../view.ts');
    return show(request);
  },
};
