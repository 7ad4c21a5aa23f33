/**
 * Collects the options of all formats by name, for flags, configuration files and validation. An option that several
 * formats share means the same in all of them; only its default may differ.
 */

import type { OptionSpec } from '../stage.ts';
import type { Format } from './format.ts';
import { formats } from './index.ts';

export type FormatOptionValue = boolean | string;
/** Values by name of the option. */
export type FormatOptionValues = Readonly<Record<string, FormatOptionValue>>;

/** An option of one or several formats. */
export interface FormatOption {
  readonly name: string;
  readonly spec: OptionSpec<FormatOptionValue>;
  /** Default values, by name of the format. */
  readonly defaults: ReadonlyMap<string, FormatOptionValue>;
}

function specsOf({ options }: Format): readonly (readonly [string, OptionSpec<FormatOptionValue>])[] {
  return Object.entries(options);
}

/** The options of these formats, by name. */
function optionsOf(known: readonly Format[]): ReadonlyMap<string, FormatOption> {
  return new Map(
    known
      .flatMap((format) => specsOf(format))
      .map(([name, spec]) => {
        const defaults = known.flatMap((format) =>
          specsOf(format).flatMap(([key, itsSpec]) =>
            key === name ? [[format.name, itsSpec.default] as const] : [],
          ),
        );
        return [name, { name, spec, defaults: new Map(defaults) }];
      }),
  );
}

const builtIn = optionsOf(formats);

/** The options of the built-in formats and of `more`, by name. */
export function formatOptionsWith(more: readonly Format[]): ReadonlyMap<string, FormatOption> {
  return more.length === 0 ? builtIn : optionsOf([...formats, ...more]);
}

export function valuesFor({ options }: Format, values: FormatOptionValues): FormatOptionValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(options, name)));
}

/**
 * Finds the first value that is not valid for these formats; undefined if all are valid.
 * @param more formats besides the built-in ones
 */
export function optionFault(
  names: readonly string[],
  values: FormatOptionValues,
  more: readonly Format[] = [],
): { readonly name: string; readonly problem: string } | undefined {
  const known = formatOptionsWith(more);
  for (const [name, value] of Object.entries(values)) {
    const option = known.get(name);
    if (option === undefined) return { name, problem: 'no format has this option' };
    const { spec, defaults } = option;
    if (!names.some((format) => defaults.has(format))) {
      const owners = [...defaults.keys()].join(', ');
      return { name, problem: `it is an option of ${owners}, and --format is ${names.join(', ')}` };
    }
    if (typeof value !== typeof spec.default) return { name, problem: `it takes a ${typeof spec.default}` };
    const { choices } = spec;
    if (choices?.includes(value) === false)
      return { name, problem: `'${value}' is not one of ${choices.join(', ')}` };
  }
  return undefined;
}
