/** `turnmill formats`: lists the formats, one line each. `turnmill list formats` also shows their rules and options. */

import { optionsIn } from '../../settings/option.ts';
import { SUCCESS } from '../faults.ts';
import { LOG_OPTION, PLUG_IN_OPTION } from '../options/shared-options.ts';
import type { Command } from './command.ts';

export const formats: Command = {
  name: 'formats',
  summary: 'List the formats, one line each',
  usage: '[options]',
  options: optionsIn({ ...PLUG_IN_OPTION, ...LOG_OPTION }),
  examples: [['formats', 'Show the values of --format']],
  words: { least: 0, most: 0, missing: '' },
  stoppable: false,
  async run({ values, host }) {
    const { formats: builtIn } = await import('../../../transforms/formats/index.ts');
    const { loadPlugIns } = await import('../../settings/plug-ins.ts');
    const { formats: own } = await loadPlugIns(values.plugin ?? []);
    const known = [...builtIn, ...own];
    const width = Math.max(...known.map(({ name }) => name.length)) + 2;
    for (const { name, summary } of known) await host.print(`${name.padEnd(width)}${summary}`);
    await host.endPrinting();
    return SUCCESS;
  },
};
