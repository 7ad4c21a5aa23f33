/** `turnmill dialects`: lists the dialects and how each one is recognised. */

import { optionsIn } from '../../settings/option.ts';
import { SUCCESS } from '../faults.ts';
import { LOG_OPTION, PLUG_IN_OPTION } from '../options/shared-options.ts';
import type { Command } from './command.ts';

export const dialects: Command = {
  name: 'dialects',
  summary: 'List the dialects and how each one is recognised',
  usage: '[options]',
  options: optionsIn({ ...PLUG_IN_OPTION, ...LOG_OPTION }),
  examples: [
    ['dialects', 'Show the values of --dialect'],
    ['dialects --plugin desk.mjs', 'Show those of a plug-in too'],
  ],
  words: { least: 0, most: 0, missing: '' },
  stoppable: false,
  async run({ values, host }) {
    const { dialects: builtIn } = await import('../../../transforms/dialects/index.ts');
    const { loadPlugIns } = await import('../../settings/plug-ins.ts');
    const { dialects: own } = await loadPlugIns(values.plugin ?? []);
    const known = [...builtIn, ...own];
    const width = Math.max(...known.map(({ name }) => name.length)) + 2;
    for (const { name, summary, knownBy, marks = [] } of known) {
      await host.print(`${name.padEnd(width)}${summary}`);
      const recognised = knownBy ?? marks.join(', ');
      if (recognised !== '') await host.print(`${' '.repeat(width)}known by: ${recognised}`);
    }
    await host.endPrinting();
    return SUCCESS;
  },
};
