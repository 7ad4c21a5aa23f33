/**
 * Options for turning sessions into records. The formats' specifications declare the options of formats;
 * `resolveSettings` refuses those that the chosen format lacks.
 */

import type { Format } from '../../../transforms/formats/format.ts';
import { type FormatOption, formatOptionsWith } from '../../../transforms/formats/format-options.ts';
import { formats } from '../../../transforms/formats/index.ts';
import { UNREAD_TEXT } from '../../../transforms/formats/unread-text.ts';
import { GROUPINGS } from '../../../transforms/model/group.ts';
import { META_NAMES } from '../../../transforms/model/meta.ts';
import { rules } from '../../../transforms/rules/index.ts';
import { ruleSets } from '../../../transforms/stages/cleanup.ts';
import { format } from '../../../transforms/stages/format.ts';
import { limitParts } from '../../../transforms/stages/limit-parts.ts';
import { REASONING_MODES, reasoning } from '../../../transforms/stages/reasoning.ts';
import { supply } from '../../../transforms/stages/supply.ts';
import { flagOf } from '../../settings/settings.ts';
import { type Option, option } from './option.ts';
import { choice, choices, decisions, flag, list, size, text, textFile } from './value-types.ts';

const CLEANUP_NAMES = [...ruleSets.keys(), ...rules.map(({ name }) => name)];
const nameOf = ({ name }: Format): string => name;
const FORMAT_NAMES = formats.map(nameOf);
const FORMAT_RULES = [...formats.flatMap(({ rules: reported }) => reported), UNREAD_TEXT];

/** Options of formats that `--help` shows; `--help --all` shows the rest. */
const COMMON = ['arrowSafe'];

/** Returns the flag for a format's option. Formats choose the names, so `OptionValues` cannot list them. */
function optionOf({ name, spec, defaults }: FormatOption): Option {
  const formats = [...defaults.keys()].join(', ');
  const isBuiltIn = [...defaults.keys()].some((format) => FORMAT_NAMES.includes(format));
  const advanced = isBuiltIn && !COMMON.includes(name);
  const describe = `${spec.describe} (${formats})`;
  const shared = { name, group: 'Format options', ofFormat: true, advanced, describe } as const;
  if (spec.fromFile === true) {
    return { ...shared, default: 'see docs/formats.md', type: textFile } as unknown as Option;
  }
  const shown = { ...shared, ...(defaultText(defaults) && { default: defaultText(defaults) }) };
  if (typeof spec.default !== 'boolean') {
    const type = spec.choices === undefined ? text('TEXT') : choice(spec.choices as readonly string[]);
    return { ...shown, type } as unknown as Option;
  }
  const on = [...defaults].filter(([, value]) => value === true).map(([format]) => format);
  const negative = on.length > 0 && {
    negative: { describe: `Turn --${flagOf(name)} off for ${on.join(', ')}`, value: false },
  };
  return { ...shown, type: flag, ...negative } as unknown as Option;
}

/** Describes the default, by format where it differs; undefined for a flag that is off. */
function defaultText(defaults: FormatOption['defaults']): string | undefined {
  const values = [...new Set(defaults.values())];
  if (values.length === 1) return values[0] === false ? undefined : String(values[0]);
  const on = [...defaults].filter(([, value]) => value === true).map(([format]) => format);
  return `on in ${on.join(', ')}`;
}

/** Returns the flags for the options of the built-in formats and of `more`. */
export function formatFlagsWith(more: readonly Format[]): readonly Option[] {
  return [...formatOptionsWith(more).values()].map(optionOf);
}

export const conversionOptions: readonly Option[] = [
  option<'format'>({
    name: 'format',
    group: 'Conversion',
    describe: format.options.format.describe,
    default: 'chat',
    type: choices(FORMAT_NAMES, 'NAME'),
    typeWith: ({ formats: own }) => choices([...FORMAT_NAMES, ...own.map(nameOf)], 'NAME'),
  }),
  ...formatFlagsWith([]),
  option<'jsonToolCalls'>({
    name: 'jsonToolCalls',
    group: 'Conversion',
    advanced: true,
    describe: 'Same as --format chat-inline',
    type: flag,
  }),
  option<'cleanup'>({
    name: 'cleanup',
    group: 'Conversion',
    describe:
      'Apply these cleanup rules or sets of rules, separated by commas; auto is goose and the rules of the client whose log is read',
    default: 'auto',
    type: list(CLEANUP_NAMES, 'RULES'),
    negative: { describe: 'Apply no cleanup rules', value: [] },
  }),
  option<'reasoning'>({
    name: 'reasoning',
    group: 'Conversion',
    describe: reasoning.options.reasoning.describe,
    default: reasoning.options.reasoning.default,
    type: choice(REASONING_MODES),
  }),
  option<'maxPart'>({
    name: 'maxPart',
    group: 'Conversion',
    advanced: true,
    describe: limitParts.options.maxPart.describe,
    default: '1 MiB',
    type: size(Number.MAX_SAFE_INTEGER, 0),
  }),
  option<'systemText'>({
    name: 'systemText',
    group: 'Conversion',
    advanced: true,
    describe: supply.options.systemText.describe,
    type: textFile,
  }),
  option<'toolDefinitions'>({
    name: 'toolDefinitions',
    group: 'Conversion',
    advanced: true,
    describe: supply.options.toolDefinitions.describe,
    type: textFile,
  }),
  option<'meta'>({
    name: 'meta',
    group: 'Conversion',
    advanced: true,
    describe: `${format.options.meta.describe}, separated by commas`,
    default: 'none',
    type: list(META_NAMES, 'NAMES'),
  }),
  option<'groupBy'>({
    name: 'groupBy',
    group: 'Conversion',
    describe: format.options.groupBy.describe,
    default: 'date',
    type: choice(GROUPINGS),
  }),
  option<'integrity'>({
    name: 'integrity',
    group: 'Conversion',
    advanced: true,
    describe: 'Check the sessions for problems',
    type: flag,
    negative: { describe: 'Skip the checks that report problems inside sessions', value: false, only: true },
  }),
  option<'onFinding'>({
    name: 'onFinding',
    group: 'Conversion',
    describe: 'Reject or keep the sessions in which the format reports RULE (turnmill list formats)',
    default: 'keep, except for rules that reject by default',
    type: decisions(FORMAT_RULES),
    typeWith: ({ formats: own }) => decisions([...FORMAT_RULES, ...own.flatMap(({ rules: r }) => r)]),
  }),
];
