/** Options: those of the formats, from their own specifications. What a chosen format does not have is refused with the settings. */
import {
  type FormatOption,
  type FormatOptionValues,
  formatOptions,
} from '../../../transforms/formats/format-options.ts';
import type { Option, Values } from './option.ts';
import { textFile } from './text-file.ts';
import { choice, flag, text } from './value-types.ts';

/** The flag of a format's option. Its name is the format's own, so it is none of those that `OptionValues` knows. */
function optionOf({ name, spec, defaults }: FormatOption): Option {
  const formats = [...defaults.keys()].join(', ');
  const shared = { name, group: 'Conversion', describe: `${spec.describe} [${formats}]` };
  if (spec.fromFile === true) {
    return { ...shared, default: 'as in docs/formats.md', type: textFile } as unknown as Option;
  }
  const shown = { ...shared, ...(defaultText(defaults) && { default: defaultText(defaults) }) };
  if (typeof spec.default !== 'boolean') {
    const type = spec.choices === undefined ? text('TEXT') : choice(spec.choices as readonly string[]);
    return { ...shown, type } as unknown as Option;
  }
  const on = [...defaults].filter(([, held]) => held === true).map(([format]) => format);
  const negative = on.length > 0 && { negative: { describe: `Not so in ${on.join(', ')}`, value: false } };
  return { ...shown, type: flag, ...negative } as unknown as Option;
}

/** One default for all, or what differs by format; a flag that is off has none to show. */
function defaultText(defaults: FormatOption['defaults']): string | undefined {
  const held = [...new Set(defaults.values())];
  if (held.length === 1) return held[0] === false ? undefined : String(held[0]);
  const on = [...defaults].filter(([, value]) => value === true).map(([format]) => format);
  return `on in ${on.join(', ')}`;
}

export const formatFlags: readonly Option[] = [...formatOptions.values()].map(optionOf);

/** The values of the formats' options among those of a command. */
export function formatValuesOf(values: Values): FormatOptionValues | undefined {
  const given = Object.entries(values as FormatOptionValues).filter(([name]) => formatOptions.has(name));
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
