/** `turnmill calibrate`: compares the scores of a grader with the expected ones. */
import { optionsIn } from '../../settings/option.ts';
import { CALIBRATE_OPTIONS, ENDPOINT_OPTIONS } from '../options/model-options.ts';
import { JSON_OPTION, LOG_OPTION } from '../options/shared-options.ts';
import type { Command } from './command.ts';

export const calibrate: Command = {
  name: 'calibrate',
  summary: 'Compare the scores of a grader with the expected ones',
  usage:
    'DECK --endpoint URL --model NAME [options]\n\nDECK is a Markdown file with the instructions of the grader, which embeds its samples: ![samples](samples.toml). For each sample, the model gets the instructions and the conversation, and answers with {"score": 1, "reason": "..."}. Exits with 3 if a sample was skipped.',
  options: optionsIn({ ...ENDPOINT_OPTIONS, ...CALIBRATE_OPTIONS, ...JSON_OPTION, ...LOG_OPTION }),
  examples: [
    [
      'calibrate grader.md --endpoint http://127.0.0.1:8000/v1 --model NAME',
      'Print how often the scores agree, and the samples whose scores differ',
    ],
    [
      'calibrate grader.md --endpoint URL --model NAME -o results --resume',
      'Also write the results, and continue from there if the run is stopped',
    ],
  ],
  words: { least: 1, most: 1, missing: 'name a deck, a Markdown file' },
  stoppable: true,
  async run(request) {
    const { runCalibrate } = await import('../calibrate.ts');
    return runCalibrate(request);
  },
};
