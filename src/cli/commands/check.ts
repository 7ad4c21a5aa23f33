/** `turnmill check`: runs everything that `build` runs, but writes nothing. */

import { failUsage } from '../../errors.ts';
import { optionsIn } from '../../settings/option.ts';
import { FOLLOW_SHORTCUT, JSON_OPTION, REPORTING } from '../options/shared-options.ts';
import { CHECK_OPTIONS } from '../options/show-options.ts';
import { readingOptions, settingsOptions } from '../options/values.ts';
import { build } from './build.ts';
import type { Command, Request } from './command.ts';

export const check: Command = {
  name: 'check',
  summary: 'Run everything that build runs, but write no dataset',
  usage:
    'INPUT... [options]\n\nINPUT is a log, a folder of logs, s3://BUCKET/PREFIX/, s3://BUCKET/KEY, or - for standard input.',
  options: [
    ...optionsIn({ ...CHECK_OPTIONS, ...JSON_OPTION }),
    ...settingsOptions('reading', 'run'),
    ...readingOptions,
    ...optionsIn({ ...FOLLOW_SHORTCUT, ...REPORTING }),
  ],
  examples: [
    ['check logs/', 'Show which dialects the logs are in, and what would be rejected'],
    [
      'check logs/ --target trl',
      'Show what TRL and its templates would drop, alter or refuse, record by record',
    ],
  ],
  words: build.words,
  stoppable: true,
  async run(request) {
    const { values } = request;
    if (values.target !== undefined) return checkTargets(request);
    const { runWhole } = await import('../run-whole.ts');
    return runWhole({ ...request, values: { ...values, dryRun: true } }, true);
  },
};

async function checkTargets(request: Request): Promise<number> {
  const { values } = request;
  if (values.format !== undefined || values.jsonToolCalls === true)
    failUsage('check: --target sets the format, so it cannot be combined with --format');
  const { checkTarget } = await import('../check-target.ts');
  return checkTarget(request);
}
