/** Options of check, explain, inspect and quarantine. */
import { formats } from '../../../transforms/formats/index.ts';
import { followOutsideOption } from './input.ts';
import { type Option, option } from './option.ts';
import { choices, flag, list, text, texts } from './value-types.ts';

const FORMAT_NAMES = formats.map(({ name }) => name);

export const jsonOption: Option = option<'json'>({
  name: 'json',
  group: 'Output',
  describe: 'Print JSON, one object per line',
  type: flag,
});

export const targetOption: Option = option<'target'>({
  name: 'target',
  group: 'Conversion',
  describe: 'Report for each record what the consumers of this format would drop, alter or refuse',
  type: choices(FORMAT_NAMES, 'NAME'),
});

export const explainOptions: readonly Option[] = [
  option<'root'>({
    name: 'root',
    group: 'Input',
    describe: 'Resolve FILE below this folder, which was the input of build',
    type: text('DIR'),
  }),
  option<'in'>({
    name: 'in',
    group: 'Output',
    describe: 'Show where the record is in this dataset',
    type: text('OUT'),
  }),
];

const KINDS = [
  'line',
  'entry',
  'conversation',
  'record',
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
    describe: 'Show the elements that leave this stage; framing comes before the first stage',
    type: text('STAGE'),
  }),
  option<'kind'>({
    name: 'kind',
    group: 'Output',
    describe: 'Show only elements of these kinds, separated by commas',
    default: 'all',
    type: list(KINDS, 'KINDS'),
  }),
];

export const replayOptions: readonly Option[] = [
  option<'into'>({
    name: 'into',
    group: 'Output',
    describe: 'Write the logs to this new folder: one for each source with rejections',
    type: text('DIR'),
  }),
  option<'logs'>({
    name: 'logs',
    group: 'Input',
    describe:
      'Read bytes that the quarantine does not keep from this input of build, a path or an s3:// URL; repeat it for each input, in the same order',
    type: texts('PATH'),
  }),
  followOutsideOption,
];
