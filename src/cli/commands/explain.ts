/** `turnmill explain`: what became of a line, and why. */
import { SUCCESS } from '../exit-code.ts';
import { explainOptions, jsonOption } from '../options/answer.ts';
import { conversionOptions } from '../options/conversion.ts';
import { inputOptions } from '../options/input.ts';
import { configOption, logLevelOption } from '../options/run.ts';
import type { Command } from './command.ts';

export const explain: Command = {
  name: 'explain',
  summary: 'Tell what became of a line, and why',
  usage:
    'FILE:LINE [options]\n\nGive the same conversion options as to build. For FILE.json LINE is the number of the entry.',
  options: [
    ...explainOptions,
    jsonOption,
    ...inputOptions,
    ...conversionOptions,
    configOption,
    logLevelOption,
  ],
  examples: [
    ['explain logs/2026-01-13/a.jsonl:7', 'The fate of line 7'],
    ['explain 2026-01-13/a.jsonl:7 --root logs/ --in dataset/', 'And where in the dataset its record stands'],
  ],
  words: { least: 1, most: 1, missing: 'name a file and a line: FILE:LINE' },
  stoppable: true,
  async run({ words: [where = ''], values, signal }) {
    const { answer } = await import('../answer.ts');
    await answer(where, values, signal);
    return SUCCESS;
  },
};
