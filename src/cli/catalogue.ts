/** Everything that an option or a report names, from the registries themselves. */

import {
  cleanup,
  format,
  parse,
  reasoning,
  snapshotSelect,
  toolDedupe,
  validate,
} from '../../transforms/chain.ts';
import { checks } from '../../transforms/checks/index.ts';
import { dialects } from '../../transforms/dialects/index.ts';
import { formats } from '../../transforms/formats/index.ts';
import { LINE_REASONS, SESSION_REASONS } from '../../transforms/model/rejection.ts';
import { rules } from '../../transforms/rules/index.ts';
import type { OptionSpec } from '../../transforms/stage.ts';
import { checkConversations, checkEntries, checkRows } from '../../transforms/stages/check.ts';
import { checkReaders } from '../../transforms/stages/check-readers.ts';
import { ruleSets } from '../../transforms/stages/cleanup.ts';
import type { SourceReason } from '../errors.ts';
import { flagOf } from '../settings/settings.ts';
import { build } from './commands/build.ts';

export interface CatalogueItem {
  readonly name: string;
  readonly summary: string;
  /** A stage's options. */
  readonly options?: readonly CatalogueOption[];
  /** What a check or a format reports; the sets that a rule is in. */
  readonly rules?: readonly string[];
  readonly sets?: readonly string[];
  /** What a reason rejects. */
  readonly scope?: 'line' | 'session' | 'source';
}

export interface CatalogueOption {
  /** The flag's name; of an option that only the library has, the option's. */
  readonly name: string;
  readonly describe: string;
  readonly flag: boolean;
  readonly default: unknown;
  readonly choices?: readonly unknown[];
}

const SOURCE_REASONS: Readonly<Record<SourceReason, string>> = {
  unreadable: 'The file could not be opened or read.',
  'changed-while-read':
    'The file grew, shrank or was written to while it was read (if its size stayed the same, during a second reading too).',
  'corrupt-gzip': 'The gzip data is damaged or incomplete.',
  'corrupt-zstd': 'The zstd data is damaged or incomplete.',
  'trailing-data': 'Data that is not padding follows the end of the compressed data.',
  'decompression-limit':
    'The file unpacks to more than the limits allow, or needs too much memory to unpack.',
  'not-regular': 'The path is not a regular file.',
  vanished: 'The file was deleted or replaced after it was listed.',
  'unsupported-compression': 'The file has a compression that turnmill does not support.',
  'encoding-utf16': 'The file is UTF-16 or UTF-32, but logs must be UTF-8.',
  'not-json-lines': 'The file is not a log, but CSV, HTML, a git-lfs pointer, a program or a database.',
  'worker-crash': 'Three worker threads in a row died while reading the file.',
};

const FLAGS: ReadonlySet<string> = new Set(build.options.map(({ name }) => name));
const named = (key: string): string => (key === 'rejectOn' || key === 'keepOn' ? 'onFinding' : key);

interface AnyStage {
  readonly name: string;
  readonly summary: string;
  readonly options: object;
}

function stageItem({ name, summary, options }: AnyStage): CatalogueItem {
  const specs = Object.entries(options) as [string, OptionSpec<unknown>][];
  const shown = specs.map(([key, spec]) => {
    const option = named(key);
    return { ...spec, name: FLAGS.has(option) ? flagOf(option) : option, flag: FLAGS.has(option) };
  });
  return { name, summary, ...(shown.length === 0 ? {} : { options: shown }) };
}

function reasons(
  scope: 'line' | 'session' | 'source',
  of: Readonly<Record<string, string>>,
): readonly CatalogueItem[] {
  return Object.entries(of).map(([name, summary]) => ({ name, summary, scope }));
}

const setsOf = (name: string): readonly string[] =>
  [...ruleSets].filter(([, names]) => names.includes(name)).map(([set]) => set);

export const catalogue: Readonly<Record<string, readonly CatalogueItem[]>> = {
  stages: [
    parse,
    cleanup,
    validate,
    checkEntries,
    snapshotSelect,
    toolDedupe,
    reasoning,
    checkConversations,
    format,
    checkRows,
    checkReaders,
  ].map((stage) => stageItem(stage)),
  dialects: dialects.map(({ name, summary }) => ({ name, summary })),
  rules: rules.map(({ name, summary }) => ({ name, summary, sets: setsOf(name) })),
  checks: checks.map(({ name, summary, rules: reported }) => ({ name, summary, rules: reported })),
  formats: formats.map((made) => ({ ...stageItem(made), rules: made.rules })),
  reasons: [
    ...reasons('line', LINE_REASONS),
    ...reasons('session', SESSION_REASONS),
    ...reasons('source', SOURCE_REASONS),
  ],
};
