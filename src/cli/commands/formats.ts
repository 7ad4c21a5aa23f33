/** `turnmill formats`: lists the formats, one line each. `turnmill list formats` also shows their rules and options. */

import { SUCCESS } from '../exit-code.ts';
import { logLevelOption } from '../options/run.ts';
import type { Command } from './command.ts';

export const formats: Command = {
  name: 'formats',
  summary: 'List the formats, one line each',
  usage: '[options]',
  options: [logLevelOption],
  examples: [['formats', 'Show the values of --format']],
  words: { least: 0, most: 0, missing: '' },
  stoppable: false,
  async run() {
    const [{ formats: known }, { endPrinting, printLine }] = await Promise.all([
      import('../../../transforms/formats/index.ts'),
      import('../print.ts'),
    ]);
    const width = Math.max(...known.map(({ name }) => name.length)) + 2;
    for (const { name, summary } of known) await printLine(`${name.padEnd(width)}${summary}`);
    await endPrinting();
    return SUCCESS;
  },
};
