/** Options of `turnmill loop`. */
import { endpointOption, maxAnswerOption, modelOptions } from './endpoint.ts';
import { type Option, option } from './option.ts';
import { choice, flag, text, wholeNumber } from './value-types.ts';

export const loopOptions: readonly Option[] = [
  { ...endpointOption, default: 'none: replay the recorded replies' },
  ...modelOptions,
  option<'prompt'>({
    name: 'prompt',
    group: 'Run',
    describe:
      'Send messages, or one text with history and request, as agents with a text protocol do (astracodex)',
    default: 'messages',
    type: choice(['messages', 'astracodex']),
  }),
  option<'eachTurn'>({
    name: 'eachTurn',
    group: 'Run',
    describe: 'Request each reply separately, with the recorded history before it',
    type: flag,
  }),
  option<'maxSteps'>({
    name: 'maxSteps',
    group: 'Run',
    describe: 'Stop after N replies to one user message',
    default: '8',
    type: wholeNumber(1),
  }),
  maxAnswerOption,
  option<'onMiss'>({
    name: 'onMiss',
    group: 'Run',
    describe: 'When a call has no recorded result, stop, or return an error to the model (tell)',
    default: 'stop',
    type: choice(['stop', 'tell']),
  }),
];

export const loopOutOptions: readonly Option[] = [
  option<'out'>({
    name: 'out',
    alias: 'o',
    group: 'Output',
    describe: 'Write loop.jsonl, and with --each-turn continuations.jsonl, to this folder',
    type: text('DIR'),
  }),
  option<'prefer'>({
    name: 'prefer',
    group: 'Output',
    advanced: true,
    describe: 'With --each-turn: also write preferences.jsonl, where the recorded reply is the chosen one',
    type: choice(['recorded'], 'SIDE'),
  }),
];
