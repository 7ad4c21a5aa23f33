/** Options of `turnmill loop`. */
import { type Option, option } from './option.ts';
import { choice, flag, text, wholeNumber } from './value-types.ts';

export const loopOptions: readonly Option[] = [
  option<'endpoint'>({
    name: 'endpoint',
    group: 'Run',
    describe:
      'Ask this model: the base URL of chat completions with its version, such as http://127.0.0.1:8000/v1',
    default: 'none: replay the recorded replies',
    type: text('URL'),
  }),
  option<'model'>({
    name: 'model',
    group: 'Run',
    describe: 'Name of the model at the endpoint',
    type: text('TEXT'),
  }),
  option<'keyEnv'>({
    name: 'keyEnv',
    group: 'Run',
    describe: 'Take the key of the endpoint from this environment variable',
    type: text('TEXT'),
  }),
  option<'prompt'>({
    name: 'prompt',
    group: 'Run',
    describe: 'Send messages, or one text with history and request, as an agent of the text protocol does',
    default: 'messages',
    type: choice(['messages', 'astracodex']),
  }),
  option<'eachTurn'>({
    name: 'eachTurn',
    group: 'Run',
    describe: 'Ask for each recorded reply separately, after the recorded history',
    type: flag,
  }),
  option<'maxSteps'>({
    name: 'maxSteps',
    group: 'Run',
    describe: 'Stop after N replies to one user message',
    default: '8',
    type: wholeNumber(1),
  }),
  option<'onMiss'>({
    name: 'onMiss',
    group: 'Run',
    describe: 'At a call without a recorded result, stop, or answer the model with an error (tell)',
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
    describe: 'With --each-turn: also write preferences.jsonl, with the recorded reply as the chosen one',
    type: choice(['recorded'], 'SIDE'),
  }),
];
