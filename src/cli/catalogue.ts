/** Lists stages, dialects, rules, formats and reasons from the registries, and prints them for `turnmill list`. */

import { stages } from '../../transforms/chain.ts';
import { checks } from '../../transforms/checks/index.ts';
import type { Dialect } from '../../transforms/dialects/dialect.ts';
import { dialects } from '../../transforms/dialects/index.ts';
import type { Format } from '../../transforms/formats/format.ts';
import { sessionReasons } from '../../transforms/formats/format-rules.ts';
import { formats } from '../../transforms/formats/index.ts';
import { LINE_REASONS } from '../../transforms/model/reasons.ts';
import type { PlugIns } from '../../transforms/plug-ins.ts';
import { rules } from '../../transforms/rules/index.ts';
import type { OptionSpec } from '../../transforms/stage.ts';
import { ruleSets } from '../../transforms/stages/cleanup.ts';
import { SOURCE_REASONS } from '../errors.ts';
import { flagOf } from '../settings/option.ts';
import { build } from './commands/build.ts';

export interface CatalogueItem {
  readonly name: string;
  readonly summary: string;
  readonly options?: readonly CatalogueOption[];
  /** Rules that a check or a format reports. */
  readonly rules?: readonly string[];
  /** Sets that a cleanup rule belongs to. */
  readonly sets?: readonly string[];
  readonly scope?: 'line' | 'session' | 'source';
}

export interface CatalogueOption {
  /** Name of the flag, or of the option if only the library has it. */
  readonly name: string;
  readonly describe: string;
  readonly flag: boolean;
  readonly default: unknown;
  readonly choices?: readonly unknown[];
}

const FLAGS: ReadonlySet<string> = new Set(build.options.map(({ name }) => name));

interface AnyStage {
  readonly name: string;
  readonly summary: string;
  readonly options: object;
}

/** @param flags names of the options that are flags of the command */
function stageItem({ name, summary, options }: AnyStage, flags: ReadonlySet<string> = FLAGS): CatalogueItem {
  const specs = Object.entries(options) as [string, OptionSpec<unknown>][];
  const shown = specs.map(([option, spec]) => {
    const isFlag = flags.has(option);
    return { ...spec, name: isFlag ? flagOf(option) : option, flag: isFlag };
  });
  return { name, summary, ...(shown.length === 0 ? {} : { options: shown }) };
}

function reasons(
  scope: 'line' | 'session' | 'source',
  summaries: Readonly<Record<string, string>>,
): readonly CatalogueItem[] {
  return Object.entries(summaries).map(([name, summary]) => ({ name, summary, scope }));
}

const setsOf = (name: string): readonly string[] =>
  [...ruleSets].filter(([, names]) => names.includes(name)).map(([set]) => set);

type Catalogue = Readonly<Record<string, readonly CatalogueItem[]>>;

const dialectItem = ({ name, summary }: Dialect): CatalogueItem => ({ name, summary });

export const catalogue: Catalogue = {
  stages: stages.map((stage) => stageItem(stage)),
  dialects: dialects.map(dialectItem),
  rules: rules.map(({ name, summary }) => ({ name, summary, sets: setsOf(name) })),
  checks: checks.map(({ name, summary, rules: reported }) => ({ name, summary, rules: reported })),
  formats: formats.map((format) => ({ ...stageItem(format), rules: format.rules })),
  reasons: [
    ...reasons('line', LINE_REASONS),
    ...reasons('session', sessionReasons),
    ...reasons('source', SOURCE_REASONS),
  ],
};

/** Returns the catalogue with the dialects, formats and stages of plug-ins; each stage comes after the one that it follows. */
export function catalogueOf(own: PlugIns): Catalogue {
  const { stages: builtIn = [], dialects: known = [], formats: written = [] } = catalogue;
  const following = (name: string): CatalogueItem[] =>
    own.stages.filter(({ after }) => after === name).map((stage) => stageItem(stage));
  const formatItem = (format: Format): CatalogueItem => ({
    ...stageItem(format, new Set(Object.keys(format.options))),
    rules: format.rules,
  });
  return {
    ...catalogue,
    stages: builtIn.flatMap((stage) => [stage, ...following(stage.name)]),
    dialects: [...known, ...own.dialects.map(dialectItem)],
    formats: [...written, ...own.formats.map(formatItem)],
  };
}

/** Formats two columns: names and descriptions. */
export function catalogueText(groups: readonly (readonly [string, readonly CatalogueItem[]])[]): string {
  return groups.map(([name, items]) => [name, ...itemLines(items)].join('\n')).join('\n\n');
}

function itemLines(items: readonly CatalogueItem[]): readonly string[] {
  const width = Math.max(...items.map(({ name }) => name.length)) + 2;
  const more = ' '.repeat(width + 2);
  return items.flatMap(({ name, summary, options = [], rules = [], sets = [], scope }) => [
    `  ${name.padEnd(width)}${scope === undefined ? '' : `${scope.padEnd(9)}`}${summary}`,
    ...(rules.length === 0 ? [] : [`${more}reports: ${rules.join(', ')}`]),
    ...(sets.length === 0 ? [] : [`${more}in: ${sets.join(', ')}`]),
    ...options.map((option) => `${more}${optionText(option)}`),
  ]);
}

function shownValue(value: unknown): string {
  if (value === undefined) return 'none';
  if (Array.isArray(value)) return value.join(',') || 'none';
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.keys(value).length === 0 ? 'none' : JSON.stringify(value);
}

function optionText({ name, describe, flag, choices, default: value }: CatalogueOption): string {
  const among = choices === undefined ? '' : ` (${choices.join(', ')})`;
  return `${flag ? '--' : ''}${name}${flag ? '' : ' (library)'}  ${describe}${among}; default ${shownValue(value)}`;
}
