/** Options for how a run does its work. */
import { LOG_LEVELS } from '../../log-level.ts';
import { type Option, option } from './option.ts';
import { choice, flag, text, tolerance, wholeNumber } from './value-types.ts';

const MAX_WORKERS = 1024;

export const workOptions: readonly Option[] = [
  option<'workers'>({
    name: 'workers',
    group: 'Run',
    describe:
      'Read up to N sources at the same time, each in its own thread; the output is the same for any N',
    default: 'depends on the size of the input, at most the number of cores',
    type: wholeNumber(1, MAX_WORKERS),
  }),
  option<'onReject'>({
    name: 'onReject',
    group: 'Run',
    describe:
      'After a rejection, continue and exit with 3 (quarantine), or stop, publish nothing and exit with 65 (fail)',
    default: 'quarantine',
    type: choice(['quarantine', 'fail']),
  }),
  option<'maxQuarantine'>({
    name: 'maxQuarantine',
    group: 'Run',
    describe: 'Publish nothing and exit with 65 if more is rejected: N records, or a percentage of the lines',
    default: 'no limit',
    type: tolerance,
  }),
  option<'profile'>({
    name: 'profile',
    group: 'Run',
    advanced: true,
    describe: 'Print where the time went on standard error at the end',
    type: flag,
  }),
];

export const configOption: Option = option<'config'>({
  name: 'config',
  group: 'Run',
  describe: 'Read options from a JSON object with their names in camelCase; flags override them',
  type: text('FILE'),
  flagOnly: true,
});

export const logLevelOption: Option = option<'logLevel'>({
  name: 'logLevel',
  group: 'Run',
  advanced: true,
  describe: 'Set how much is reported on standard error',
  default: 'warn',
  type: choice(LOG_LEVELS),
});
