/** `turnmill list`: lists stages, dialects, rules, checks, formats and reasons with a description each. */

import { failUsage } from '../../errors.ts';
import { optionsIn } from '../../settings/option.ts';
import { SUCCESS } from '../faults.ts';
import { JSON_OPTION, LOG_OPTION, PLUG_IN_OPTION } from '../options/shared-options.ts';
import type { Command } from './command.ts';

export const list: Command = {
  name: 'list',
  summary: 'List stages, dialects, rules, checks, formats or reasons',
  usage: '[stages|dialects|rules|checks|formats|reasons] [options]',
  options: optionsIn({ ...JSON_OPTION, ...PLUG_IN_OPTION, ...LOG_OPTION }),
  examples: [['list rules', 'List the cleanup rules']],
  words: { least: 0, most: 1, missing: '' },
  stoppable: false,
  async run({ words: [what], values, host }) {
    const { catalogueOf, catalogueText } = await import('../catalogue.ts');
    const { loadPlugIns } = await import('../../settings/plug-ins.ts');
    const catalogue = catalogueOf(await loadPlugIns(values.plugin ?? []));
    const known = Object.keys(catalogue);
    if (what !== undefined && !known.includes(what))
      failUsage(`list: '${what}' is not one of ${known.join(', ')}`);
    const chosen = Object.entries(catalogue).filter(([name]) => what === undefined || name === what);
    if (values.json === true) {
      for (const [group, items] of chosen)
        for (const item of items) await host.print(JSON.stringify({ group, ...item }));
    } else await host.print(catalogueText(chosen));
    await host.endPrinting();
    return SUCCESS;
  },
};
