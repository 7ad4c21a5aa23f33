/** `turnmill inspect`: shows the elements that leave a stage. */

import { failUsage } from '../../errors.ts';
import { optionsIn } from '../../settings/option.ts';
import { SETTINGS } from '../../settings/table.ts';
import { REJECTIONS, SUCCESS } from '../faults.ts';
import { settingsOf } from '../options/settings-of.ts';
import { FOLLOW_SHORTCUT } from '../options/shared-options.ts';
import { INSPECT_OPTIONS } from '../options/show-options.ts';
import { readingOptions, settingsOptions } from '../options/values.ts';
import type { Command } from './command.ts';

export const inspect: Command = {
  name: 'inspect',
  summary: 'Show the elements that leave a stage, as JSON lines',
  usage:
    'INPUT... --after STAGE [options]\n\nSTAGE is framing or one of `turnmill list stages`. --limit counts elements.',
  options: [
    ...optionsIn(INSPECT_OPTIONS),
    ...settingsOptions('reading'),
    ...optionsIn({ limit: { ...SETTINGS.limit, help: 'Stop after N elements' }, follow: SETTINGS.follow }),
    ...optionsIn(FOLLOW_SHORTCUT),
    ...readingOptions,
  ],
  examples: [
    ['inspect session.jsonl --after cleanup --kind entry', 'Show the entries as cleanup leaves them'],
  ],
  words: {
    least: 1,
    most: Number.POSITIVE_INFINITY,
    missing: 'name at least one input: a file, a folder, or -',
  },
  stoppable: true,
  async run({ words, values, signal, host, plugInCalls }) {
    const { after, kind, limit } = values;
    if (after === undefined) failUsage('inspect: --after is missing; see turnmill list stages');
    host.checkStdin(words, true);
    const [pipeline, { resolveSettings }, { withPlugInFiles }, { elementJson }] = await Promise.all([
      import('../../job/inspect.ts'),
      import('../../settings/settings.ts'),
      import('../../settings/plug-in-files.ts'),
      import('../element-json.ts'),
    ]);
    const request = await withPlugInFiles(settingsOf(words, values));
    let shown = 0;
    if (values.plugin !== undefined) plugInCalls.begin(); // nothing has to be cleaned up
    const faults = await pipeline.inspect({
      settings: resolveSettings({ ...request, limit: undefined }),
      after,
      signal,
      enough: () => limit !== undefined && shown >= limit,
      see(element) {
        if (kind !== undefined && !kind.includes(element.kind)) return undefined;
        shown++;
        return host.print(elementJson(element));
      },
    });
    await host.endPrinting();
    return faults > 0 ? REJECTIONS : SUCCESS;
  },
};
