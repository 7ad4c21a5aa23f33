/** Options: what becomes of the sessions. */

import { formats } from '../../../transforms/formats/index.ts';
import { GROUPINGS } from '../../../transforms/model/group.ts';
import { rules } from '../../../transforms/rules/index.ts';
import { ruleSets } from '../../../transforms/stages/cleanup.ts';
import { format } from '../../../transforms/stages/format.ts';
import { REASONING_MODES, reasoning } from '../../../transforms/stages/reasoning.ts';
import { formatFlags } from './format.ts';
import { type Option, option } from './option.ts';
import { choice, choices, decisions, flag, list, texts } from './value-types.ts';

const CLEANUP_NAMES = [...ruleSets.keys(), ...rules.map(({ name }) => name)];

const FORMAT_NAMES = formats.map(({ name }) => name);

export const conversionOptions: readonly Option[] = [
  option<'format'>({
    name: 'format',
    group: 'Conversion',
    describe: format.options.format.describe,
    default: 'chat',
    type: choices(FORMAT_NAMES, FORMAT_NAMES.join('|')),
    typeWithPlugIns: texts('FORMAT'),
  }),
  ...formatFlags,
  option<'jsonToolCalls'>({
    name: 'jsonToolCalls',
    group: 'Conversion',
    describe: 'The same as --format chat-inline',
    type: flag,
  }),
  option<'cleanup'>({
    name: 'cleanup',
    group: 'Conversion',
    describe: `Cleanup rules or sets of them, separated by commas: ${CLEANUP_NAMES.join(', ')}`,
    default: 'goose',
    type: list(CLEANUP_NAMES, 'RULES'),
    negative: { describe: 'Change nothing', value: [] },
  }),
  option<'reasoning'>({
    name: 'reasoning',
    group: 'Conversion',
    describe: reasoning.options.reasoning.describe,
    default: reasoning.options.reasoning.default,
    type: choice(REASONING_MODES),
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
    describe: 'Look for faults inside the sessions',
    type: flag,
    negative: { describe: 'Look for no faults inside the sessions', value: false, only: true },
  }),
  option<'onFinding'>({
    name: 'onFinding',
    group: 'Conversion',
    describe: `What a finding of the format does to its session: ${[...new Set(formats.flatMap((made) => made.rules))].join(', ')}`,
    default: 'keep, unless the rule rejects by itself',
    type: decisions([...new Set(formats.flatMap((made) => made.rules))]),
    typeWithPlugIns: decisions(),
  }),
];
