/** `turnmill quarantine`: lists what a dataset rejected, or writes it back as logs for another build. */

import { failUsage } from '../../errors.ts';
import { optionsIn } from '../../settings/option.ts';
import { resolveS3Options, s3In } from '../../settings/s3-settings.ts';
import { FOLLOW_SHORTCUT, JSON_OPTION, LOG_OPTION } from '../options/shared-options.ts';
import { QUARANTINE_OPTIONS } from '../options/show-options.ts';
import { s3ReadOptions } from '../options/values.ts';
import type { Command } from './command.ts';

const ACTIONS = ['list', 'replay'];

export const quarantine: Command = {
  name: 'quarantine',
  summary: 'List what was rejected, or write it back to logs',
  usage:
    'list|replay OUT [options]\n\nreplay writes the rejected lines of each source to a log below --into. After a fix, build from these logs.',
  options: [
    ...optionsIn({ ...QUARANTINE_OPTIONS, ...FOLLOW_SHORTCUT, ...JSON_OPTION, ...LOG_OPTION }),
    ...s3ReadOptions,
  ],
  examples: [
    [
      'quarantine list dataset/',
      'Show where, why and how large each rejection is, and whether its bytes are kept',
    ],
    [
      'quarantine replay dataset/ --logs logs/ --into again/',
      'Write logs of exactly what was rejected; then run build again/ --out more/',
    ],
  ],
  words: { least: 2, most: 2, missing: 'name list or replay, and the folder of a dataset' },
  stoppable: true,
  async run({ words: [action = '', out = ''], values, signal, host }) {
    if (!ACTIONS.includes(action)) failUsage(`quarantine: '${action}' is not one of ${ACTIONS.join(', ')}`);
    const { into, logs, followOutside } = values;
    const { withDataset } = await import('../../dataset/store/with-dataset.ts');
    const s3 = resolveS3Options(s3In(values));
    const isWanted = (path: string): boolean => path.startsWith('quarantine/');
    if (action === 'list') {
      if (into !== undefined || logs !== undefined || followOutside !== undefined)
        failUsage('quarantine list does not take --into, --logs or --follow-outside');
      const { listQuarantine } = await import('../quarantine-report.ts');
      return withDataset(out, s3, isWanted, (folder) =>
        listQuarantine(folder, out, values.json === true, signal, host),
      );
    }
    if (into === undefined) failUsage('quarantine replay: --into is missing');
    const { replay } = await import('../quarantine-report.ts');
    return withDataset(out, s3, isWanted, (folder) =>
      replay({ out: folder, into, logs: logs ?? [], followOutside, s3, signal }, values.json === true, host),
    );
  },
};
