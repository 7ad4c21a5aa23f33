/** Options of the commands that answer a question. */
import { formats } from '../../../transforms/formats/index.ts';
import { type Option, option } from './option.ts';
import { choices, flag, list, text } from './value-types.ts';

const FORMAT_NAMES = formats.map(({ name }) => name);

export const jsonOption: Option = option<'json'>({
  name: 'json',
  group: 'Output',
  describe: 'JSON, one object a line',
  type: flag,
});

export const targetOption: Option = option<'target'>({
  name: 'target',
  group: 'Conversion',
  describe: 'Tell of each record what the reader of this format would drop, alter or refuse',
  type: choices(FORMAT_NAMES, 'FORMAT'),
});

export const explainOptions: readonly Option[] = [
  option<'root'>({
    name: 'root',
    group: 'Input',
    describe: 'The folder that build was given; FILE may then be its path below it',
    type: text('DIR'),
  }),
  option<'in'>({
    name: 'in',
    group: 'Output',
    describe: 'A dataset: tell also where in it the record stands',
    type: text('OUT'),
  }),
];

const KINDS = [
  'line',
  'entry',
  'conversation',
  'row',
  'rejection',
  'fate',
  'repair',
  'finding',
  'session-end',
];

export const inspectOptions: readonly Option[] = [
  option<'after'>({
    name: 'after',
    group: 'Output',
    describe: 'The stage whose elements are shown; framing is what comes before the first one',
    type: text('STAGE'),
  }),
  option<'kind'>({
    name: 'kind',
    group: 'Output',
    describe: 'Only elements of these kinds, separated by commas',
    default: 'all',
    type: list(KINDS, 'KINDS'),
  }),
];
