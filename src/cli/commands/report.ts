/** `turnmill report`: shows a build as one HTML page. */

import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { io } from '../../errors.ts';
import { optionsIn } from '../../settings/option.ts';
import { resolveS3Options, s3In } from '../../settings/s3-settings.ts';
import { SUCCESS } from '../faults.ts';
import type { Host } from '../host.ts';
import { LOG_OPTION } from '../options/shared-options.ts';
import { REPORT_OPTIONS } from '../options/show-options.ts';
import { s3ReadOptions } from '../options/values.ts';
import type { Command } from './command.ts';

export const report: Command = {
  name: 'report',
  summary: 'Show what a build did, as one HTML page',
  usage:
    'DATASET [options]\n\nThe page is reports/index.html of the dataset plus the facts of the run; with --against it also shows what has changed.',
  options: [...optionsIn({ ...REPORT_OPTIONS, ...LOG_OPTION }), ...s3ReadOptions],
  examples: [
    ['report dataset/ -o report.html', 'Write the report of a dataset'],
    ['report dataset/ --against last-week/ -o report.html', 'Also show what has changed since last week'],
  ],
  words: { least: 1, most: 1, missing: 'name a dataset' },
  stoppable: false,
  async run({ words: [dataset = ''], values, host }) {
    const { against, out } = values;
    const [{ report: make }, { modesLike }, { checkOutside }] = await Promise.all([
      import('../../job/report.ts'),
      import('../../dataset/modes.ts'),
      import('../../dataset/overlap.ts'),
    ]);
    if (out !== undefined) checkOutside(out, [dataset, against ?? dataset]);
    const page = await make({ dataset, against, s3: resolveS3Options(s3In(values)) });
    await writePage(page, out, modesLike(dataset).file('report.html'), host);
    return SUCCESS;
  },
};

/**
 * Writes the page to a file, or to standard output.
 * @param path standard output if undefined
 * @param mode permissions of the file
 */
async function writePage(text: string, path: string | undefined, mode: number, host: Host): Promise<void> {
  if (path === undefined) {
    await host.print(text.replace(/\n$/, ''));
    await host.endPrinting();
    return;
  }
  io('write', path, () => {
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) chmodSync(path, mode);
    writeFileSync(path, text, { mode });
  });
}
