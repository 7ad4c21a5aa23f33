/** Options of `turnmill loop`. */
import { LONGEST_TEXT_BYTES } from '../../own-file.ts';
import { type Option, option } from './option.ts';
import { choice, flag, size, text, wholeNumber } from './value-types.ts';

export const loopOptions: readonly Option[] = [
  option<'endpoint'>({
    name: 'endpoint',
    group: 'Run',
    describe:
      'Send requests to this chat completions API: its base URL with the version, such as http://127.0.0.1:8000/v1',
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
    describe: 'Read the API key of the endpoint from this environment variable',
    type: text('TEXT'),
  }),
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
  option<'maxAnswer'>({
    name: 'maxAnswer',
    group: 'Run',
    advanced: true,
    describe: 'Refuse an answer of the endpoint that is longer than SIZE',
    default: '16MiB',
    type: size(LONGEST_TEXT_BYTES),
  }),
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
