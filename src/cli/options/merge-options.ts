/** Options of the command that merges datasets. */
import { type NamedOption, type Option, optionsIn } from '../../settings/option.ts';
import { SETTINGS } from '../../settings/table.ts';
import { flag, text } from '../../settings/value-types.ts';

export const MISSING_OPTION = {
  missing: {
    group: 'Output',
    help: 'Print the numbers of the slices that are not there or not whole, such as 4,7-9, and exit with 75 if there are any',
    type: flag,
  } as Option<boolean>,
};

const { out, replace, mode, allowEmpty } = SETTINGS;

export const mergeOptions: readonly NamedOption[] = optionsIn({
  ...MISSING_OPTION,
  out: { ...out, help: 'Write the dataset to this folder', type: text('DIR') },
  ...{ replace, mode, allowEmpty },
});
