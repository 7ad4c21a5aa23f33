/**
 * The table of settings, part 2: turning sessions into records. The formats' specifications declare the options of formats;
 * `resolveSettings` refuses those that the chosen format lacks.
 */
import type { Format } from '../../transforms/formats/format.ts';
import {
  type FormatOption,
  type FormatOptionValues,
  formatOptionsWith,
} from '../../transforms/formats/format-options.ts';
import { formats } from '../../transforms/formats/index.ts';
import { UNREAD_TEXT } from '../../transforms/formats/unread-text.ts';
import { GROUPINGS, type Grouping } from '../../transforms/model/group.ts';
import { META_NAMES, type MetaName } from '../../transforms/model/meta.ts';
import { rules } from '../../transforms/rules/index.ts';
import { ruleSets } from '../../transforms/stages/cleanup.ts';
import { type Decisions, format } from '../../transforms/stages/format.ts';
import limitParts from '../../transforms/stages/limit-parts.ts';
import reasoning, { REASONING_MODES, type ReasoningMode } from '../../transforms/stages/reasoning.ts';
import supply from '../../transforms/stages/supply.ts';
import { flagOf, type NamedOption, type Setting } from './option.ts';
import { choice, choices, decisions, flag, list, size, text, textFile } from './value-types.ts';

const CLEANUP_NAMES = [...ruleSets.keys(), ...rules.map(({ name }) => name)];
const nameOf = ({ name }: Format): string => name;
export const FORMAT_NAMES: readonly string[] = formats.map(nameOf);
const FORMAT_RULES = [...formats.flatMap(({ rules: reported }) => reported), UNREAD_TEXT];

/** Options of formats that `--help` shows; `--help --all` shows the rest. */
const COMMON = ['arrowSafe'];

const conversion = { group: 'Conversion', of: 'reading', decides: 'bytes' } as const;
const rareConversion = { ...conversion, advanced: true } as const;

export const CONVERSION_SETTINGS = {
  /** Names of the formats, all different; with several, each has a folder in data/. */
  format: {
    ...conversion,
    help: format.options.format.describe,
    default: ['chat'],
    type: choices(FORMAT_NAMES, 'NAME'),
    typeWith: ({ formats: own }) => choices([...FORMAT_NAMES, ...own.map(nameOf)], 'NAME'),
  } as Setting<readonly string[]>,
  /** Options of formats, by name (docs/reference/formats.md). */
  formatOptions: { default: {} } as Setting<FormatOptionValues>,
  cleanup: {
    ...conversion,
    help: 'Apply these cleanup rules or sets of rules, separated by commas; auto is goose and the rules of the client whose log is read',
    default: ['auto'],
    type: list(CLEANUP_NAMES, 'RULES'),
    negative: { help: 'Apply no cleanup rules', value: [] },
  } as Setting<readonly string[]>,
  /** How to write the model's reasoning. */
  reasoning: {
    ...conversion,
    help: reasoning.options.reasoning.describe,
    default: reasoning.options.reasoning.default,
    type: choice(REASONING_MODES),
  } as Setting<ReasoningMode>,
  /** Most bytes of the data of an image, a recording or a file in a message; 0 for any number. */
  maxPart: {
    ...rareConversion,
    help: limitParts.options.maxPart.describe,
    default: limitParts.options.maxPart.default,
    type: size(Number.MAX_SAFE_INTEGER, 0),
  } as Setting<number>,
  /** System text for conversations whose log has none. */
  systemText: {
    ...rareConversion,
    help: supply.options.systemText.describe,
    type: textFile,
    decides: 'bytes, hashed',
  } as Setting<string | undefined>,
  /** JSON text of an array of tools, for conversations whose log has none. */
  toolDefinitions: {
    ...rareConversion,
    help: supply.options.toolDefinitions.describe,
    type: textFile,
    decides: 'bytes, hashed',
  } as Setting<string | undefined>,
  /** Names of the metadata that are written into the records. */
  meta: {
    ...rareConversion,
    help: `${format.options.meta.describe}, separated by commas`,
    default: [],
    shown: 'none',
    type: list(META_NAMES, 'NAMES'),
  } as Setting<readonly MetaName[]>,
  groupBy: {
    ...conversion,
    help: format.options.groupBy.describe,
    default: format.options.groupBy.default,
    type: choice(GROUPINGS),
  } as Setting<Grouping>,
  /** Whether to look for problems inside sessions. */
  integrity: {
    ...rareConversion,
    help: 'Check the sessions for problems',
    default: true,
    type: flag,
    negative: { help: 'Skip the checks that report problems inside sessions', value: false, only: true },
  } as Setting<boolean>,
  /** Whether findings of these rules of the format reject the session, where that differs from the default. */
  onFinding: {
    ...conversion,
    help: 'Reject or keep the sessions in which the format reports RULE (turnmill list formats)',
    default: {},
    shown: 'keep, except for rules that reject by default',
    type: decisions(FORMAT_RULES),
    typeWith: ({ formats: own }) => decisions([...FORMAT_RULES, ...own.flatMap(({ rules: r }) => r)]),
  } as Setting<Decisions>,
};

/** Returns the flags for the options of the built-in formats and of `more`. */
export function formatFlagsWith(more: readonly Format[]): readonly NamedOption[] {
  return [...formatOptionsWith(more).values()].map(optionOf);
}

/** Returns the flag for a format's option. Formats choose the names, so the table cannot list them. */
function optionOf({ name, spec, defaults }: FormatOption): NamedOption {
  const having = [...defaults.keys()].join(', ');
  const isBuiltIn = [...defaults.keys()].some((one) => FORMAT_NAMES.includes(one));
  const advanced = isBuiltIn && !COMMON.includes(name);
  const help = `${spec.describe} (${having})`;
  const shared = { name, group: 'Format options', of: 'reading', ofFormat: true, advanced, help } as const;
  if (spec.fromFile === true) return { ...shared, shown: 'see docs/reference/formats.md', type: textFile };
  const shown = { ...shared, ...(defaultText(defaults) && { shown: defaultText(defaults) as string }) };
  if (typeof spec.default !== 'boolean') {
    const type = spec.choices === undefined ? text('TEXT') : choice(spec.choices as readonly string[]);
    return { ...shown, type };
  }
  const on = [...defaults].filter(([, value]) => value === true).map(([one]) => one);
  const negative = { help: `Turn --${flagOf(name)} off for ${on.join(', ')}`, value: false };
  return { ...shown, type: flag, ...(on.length > 0 && { negative }) };
}

/** Describes the default, by format where it differs; undefined for a flag that is off. */
function defaultText(defaults: FormatOption['defaults']): string | undefined {
  const values = [...new Set(defaults.values())];
  if (values.length === 1) return values[0] === false ? undefined : String(values[0]);
  const on = [...defaults].filter(([, value]) => value === true).map(([one]) => one);
  return `on in ${on.join(', ')}`;
}
