/** `turnmill explain`: shows what became of a line, and why. */
import { SUCCESS } from '../faults.ts';
import { explainOptions, jsonOption } from '../options/answer.ts';
import { conversionOptions } from '../options/conversion.ts';
import { inputOptions } from '../options/input.ts';
import { configOption, logLevelOption } from '../options/run.ts';
import { s3ReadOptions } from '../options/s3.ts';
import type { Command } from './command.ts';

export const explain: Command = {
  name: 'explain',
  summary: 'Show what became of a line, and why',
  usage:
    'FILE:LINE [options]\n\nPass the same conversion options as to build. In FILE.json, LINE is the number of the entry.',
  options: [
    ...explainOptions,
    jsonOption,
    ...inputOptions,
    ...conversionOptions,
    ...s3ReadOptions,
    configOption,
    logLevelOption,
  ],
  examples: [
    ['explain logs/2026-01-13/a.jsonl:7', 'Show the fate of line 7'],
    [
      'explain 2026-01-13/a.jsonl:7 --root logs/ --in dataset/',
      'Also show where its record is in the dataset',
    ],
  ],
  words: { least: 1, most: 1, missing: 'name a file and a line: FILE:LINE' },
  stoppable: true,
  async run(request) {
    const { explain: print } = await import('../explanation.ts');
    if (request.values.plugin !== undefined) request.plugInCalls.begin(); // nothing has to be cleaned up
    await print(request);
    return SUCCESS;
  },
};
