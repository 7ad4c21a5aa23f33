/** Options of `turnmill calibrate`. */
import { endpointOption, maxAnswerOption, modelOptions } from './endpoint.ts';
import { type Option, option } from './option.ts';
import { flag, text, wholeNumber } from './value-types.ts';

export const calibrateOptions: readonly Option[] = [
  endpointOption,
  ...modelOptions,
  option<'concurrency'>({
    name: 'concurrency',
    group: 'Run',
    describe: 'Send at most N requests at the same time',
    default: '4',
    type: wholeNumber(1),
  }),
  maxAnswerOption,
  option<'out'>({
    name: 'out',
    alias: 'o',
    group: 'Output',
    describe: 'Write results.jsonl and summary.json to this folder, and keep each answer there as it comes',
    type: text('DIR'),
  }),
  option<'resume'>({
    name: 'resume',
    group: 'Output',
    describe:
      'Reuse the answers in the folder of --out; request only those that are missing or unusable, or whose sample, deck or model has changed',
    type: flag,
  }),
];
