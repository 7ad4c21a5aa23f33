/** `turnmill quarantine`: what a dataset keeps of the rejected lines, and the way back into a build. */
import { TurnmillError } from '../../errors.ts';
import { jsonOption } from '../options/answer.ts';
import { replayOptions } from '../options/quarantine.ts';
import { logLevelOption } from '../options/run.ts';
import type { Command } from './command.ts';

const ACTIONS = ['list', 'replay'];

export const quarantine: Command = {
  name: 'quarantine',
  summary: 'List what was rejected, or make logs of it again',
  usage:
    'list|replay OUT [options]\n\nreplay writes the rejected lines of each source to a log below --into, to be built after a fix.',
  options: [...replayOptions, jsonOption, logLevelOption],
  examples: [
    ['quarantine list dataset/', 'Every record: where, why, how large, and whether its bytes are kept'],
    [
      'quarantine replay dataset/ --logs logs/ --into again/',
      'Logs that hold exactly what was rejected: then build again/ --out more/',
    ],
  ],
  words: { least: 2, most: 2, missing: 'name list or replay, and the folder of a dataset' },
  stoppable: true,
  async run({ words: [action = '', out = ''], values, signal }) {
    if (!ACTIONS.includes(action))
      throw new TurnmillError('usage', `quarantine: '${action}' is not one of ${ACTIONS.join(', ')}`);
    const { into, logs, followOutside } = values;
    if (action === 'list') {
      if (into !== undefined || logs !== undefined || followOutside !== undefined)
        throw new TurnmillError('usage', 'quarantine list takes none of --into, --logs and --follow-outside');
      const { listQuarantine } = await import('../quarantine-list.ts');
      return listQuarantine(out, values.json === true, signal);
    }
    if (into === undefined) throw new TurnmillError('usage', 'quarantine replay: --into is missing');
    const { tellReplay } = await import('../quarantine-replay.ts');
    return tellReplay({ out, into, logs: logs ?? [], followOutside, signal }, values.json === true);
  },
};
