/** `turnmill dialects`: lists the dialects and how each one is recognised. */

import { SUCCESS } from '../faults.ts';
import { logLevelOption } from '../options/run.ts';
import type { Command } from './command.ts';

export const dialects: Command = {
  name: 'dialects',
  summary: 'List the dialects and how each one is recognised',
  usage: '[options]',
  options: [logLevelOption],
  examples: [['dialects', 'Show the values of --dialect']],
  words: { least: 0, most: 0, missing: '' },
  stoppable: false,
  async run({ host }) {
    const { dialects: known } = await import('../../../transforms/dialects/index.ts');
    const width = Math.max(...known.map(({ name }) => name.length)) + 2;
    for (const { name, summary, knownBy, marks = [] } of known) {
      await host.print(`${name.padEnd(width)}${summary}`);
      await host.print(`${' '.repeat(width)}known by: ${knownBy ?? marks.join(', ')}`);
    }
    await host.endPrinting();
    return SUCCESS;
  },
};
