/** `turnmill merge`: puts datasets together. */
import { failUsage } from '../../errors.ts';
import { optionsIn } from '../../settings/option.ts';
import { mergeOptions } from '../options/merge-options.ts';
import { LOG_OPTION, REPORTING } from '../options/shared-options.ts';
import { s3Options } from '../options/values.ts';
import type { Command } from './command.ts';

export const merge: Command = {
  name: 'merge',
  summary: 'Put the slices of a dataset together, or several datasets',
  usage:
    'PART... --out OUT [--replace]\nturnmill merge --missing PART...\n\nPART is a dataset: a folder or s3://BUCKET/PREFIX/. Slices of build --slice are ordered by their numbers, other datasets as they are named. The result is what one build of all sources would write; the settings are those of the datasets.',
  options: [...mergeOptions, ...s3Options, ...optionsIn({ ...REPORTING, ...LOG_OPTION })],
  examples: [
    ['merge parts/* --out dataset/', 'Write one dataset, after build --slice I/8 --out parts/I for each I'],
    ['merge --missing parts/*', 'Print which slices have to be built again'],
  ],
  words: { least: 1, most: Number.POSITIVE_INFINITY, missing: 'name the datasets to merge' },
  stoppable: true,
  async run(request) {
    const { missing, out } = request.values;
    if (missing === true && out !== undefined)
      failUsage('merge: --missing writes nothing, so --out has no use');
    if (missing !== true && out === undefined) failUsage('merge: --out is missing; name a folder');
    const { printMissing, runMerge } = await import('../merge.ts');
    return missing === true ? printMissing(request) : runMerge(request);
  },
};
