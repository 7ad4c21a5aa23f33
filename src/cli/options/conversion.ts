/** Options for turning sessions into records. */

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
const FORMAT_RULES = [...new Set(formats.flatMap(({ rules: reported }) => reported))];

export const conversionOptions: readonly Option[] = [
  option<'format'>({
    name: 'format',
    group: 'Conversion',
    describe: format.options.format.describe,
    default: 'chat',
    type: choices(FORMAT_NAMES, 'NAME'),
    typeWithPlugIns: texts('NAME'),
  }),
  ...formatFlags,
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
    describe: 'Apply these cleanup rules or sets of rules, separated by commas',
    default: 'goose',
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
    default: 'keep, except for rules that reject by themselves',
    type: decisions(FORMAT_RULES),
    typeWithPlugIns: decisions(),
  }),
];
