/** Options of the formats, from their own specifications. `resolveSettings` refuses those that the chosen format does not have. */
import {
  type FormatOption,
  type FormatOptionValues,
  formatOptions,
} from '../../../transforms/formats/format-options.ts';
import { flagOf } from '../../settings/settings.ts';
import type { Option, Values } from './option.ts';
import { choice, flag, text, textFile } from './value-types.ts';

/** Shown by `--help`; the others by `--help --all`. */
const COMMON = ['arrowSafe'];

/** The flag of a format's option. The formats choose the names, so `OptionValues` does not list them. */
function optionOf({ name, spec, defaults }: FormatOption): Option {
  const formats = [...defaults.keys()].join(', ');
  const advanced = !COMMON.includes(name);
  const shared = { name, group: 'Format options', advanced, describe: `${spec.describe} (${formats})` };
  if (spec.fromFile === true) {
    return { ...shared, default: 'see docs/formats.md', type: textFile } as unknown as Option;
  }
  const shown = { ...shared, ...(defaultText(defaults) && { default: defaultText(defaults) }) };
  if (typeof spec.default !== 'boolean') {
    const type = spec.choices === undefined ? text('TEXT') : choice(spec.choices as readonly string[]);
    return { ...shown, type } as unknown as Option;
  }
  const on = [...defaults].filter(([, held]) => held === true).map(([format]) => format);
  const negative = on.length > 0 && {
    negative: { describe: `Turn --${flagOf(name)} off for ${on.join(', ')}`, value: false },
  };
  return { ...shown, type: flag, ...negative } as unknown as Option;
}

/** The default, by format where they differ; a flag that is off shows none. */
function defaultText(defaults: FormatOption['defaults']): string | undefined {
  const held = [...new Set(defaults.values())];
  if (held.length === 1) return held[0] === false ? undefined : String(held[0]);
  const on = [...defaults].filter(([, value]) => value === true).map(([format]) => format);
  return `on in ${on.join(', ')}`;
}

export const formatFlags: readonly Option[] = [...formatOptions.values()].map(optionOf);

/** Picks the options of formats from the values of a command. */
export function formatValuesOf(values: Values): FormatOptionValues | undefined {
  const given = Object.entries(values as FormatOptionValues).filter(([name]) => formatOptions.has(name));
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
