/** `turnmill loop`: replays recorded conversations, with the recorded replies or with a model's. */
import { optionsIn } from '../../settings/option.ts';
import { SETTINGS } from '../../settings/table.ts';
import { ENDPOINT_OPTIONS, LOOP_OPTIONS } from '../options/model-options.ts';
import { JSON_OPTION, LOG_OPTION } from '../options/shared-options.ts';
import type { Command } from './command.ts';

export const loop: Command = {
  name: 'loop',
  summary: 'Replay recorded conversations, on their own or with a model',
  usage:
    'DATASET [options]\n\nAnswers tool calls from the record and executes nothing. Without --endpoint it replays the recorded replies and reports the conversations that do not close. Exits with 3 if there are any.',
  options: optionsIn({
    ...ENDPOINT_OPTIONS,
    endpoint: { ...ENDPOINT_OPTIONS.endpoint, shown: 'none: replay the recorded replies' },
    ...LOOP_OPTIONS,
    only: SETTINGS.only,
    ...JSON_OPTION,
    ...LOG_OPTION,
  }),
  examples: [
    ['loop dataset/', 'List the records whose calls are not all answered, or that end in a call'],
    [
      'loop dataset/ --endpoint http://127.0.0.1:8000/v1 --model NAME',
      'Compare the calls of a model with the recorded ones',
    ],
  ],
  words: { least: 1, most: 1, missing: 'name the folder of a dataset' },
  stoppable: true,
  async run(request) {
    const { runLoops } = await import('../loop.ts');
    return runLoops(request);
  },
};
