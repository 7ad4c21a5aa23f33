/** `turnmill report`: shows a build as one HTML page. */
import { resolveS3Options } from '../../object-store/options.ts';
import { SUCCESS } from '../faults.ts';
import { pageOutOption, reportOptions } from '../options/report.ts';
import { logLevelOption } from '../options/run.ts';
import { s3Of, s3ReadOptions } from '../options/s3.ts';
import type { Command } from './command.ts';

export const report: Command = {
  name: 'report',
  summary: 'Show what a build did, as one HTML page',
  usage:
    'DATASET [options]\n\nThe page is reports/index.html of the dataset plus the facts of the run; with --against it also shows what has changed.',
  options: [...reportOptions, pageOutOption, ...s3ReadOptions, logLevelOption],
  examples: [
    ['report dataset/ -o report.html', 'Write the report of a dataset'],
    ['report dataset/ --against last-week/ -o report.html', 'Also show what has changed since last week'],
  ],
  words: { least: 1, most: 1, missing: 'name a dataset' },
  stoppable: false,
  async run({ words: [dataset = ''], values, host }) {
    const { against, out } = values;
    const [{ report: make }, { writePage }, { modesLike }] = await Promise.all([
      import('../../job/report.ts'),
      import('../page-file.ts'),
      import('../../dataset/modes.ts'),
    ]);
    const page = await make({ dataset, against, s3: resolveS3Options(s3Of(values)) });
    await writePage(page, out, modesLike(dataset).file('report.html'), host);
    return SUCCESS;
  },
};
