/** Options: how the run goes about it. */
import { LOG_LEVELS } from '../../log-level.ts';
import { type Option, option } from './option.ts';
import { choice, flag, text, tolerance, wholeNumber } from './value-types.ts';

const MOST_WORKERS = 1024;

export const workOptions: readonly Option[] = [
  option<'workers'>({
    name: 'workers',
    group: 'Run',
    describe: 'How many sources are read at a time, each in its own thread; the output does not depend on it',
    default: 'as many as the input is worth, at most the cores',
    type: wholeNumber(1, MOST_WORKERS),
  }),
  option<'onReject'>({
    name: 'onReject',
    group: 'Run',
    describe: 'Go on and exit with 3, or stop at the first rejection and commit nothing (65)',
    default: 'quarantine',
    type: choice(['quarantine', 'fail']),
  }),
  option<'maxQuarantine'>({
    name: 'maxQuarantine',
    group: 'Run',
    describe: 'Commit nothing (65) when more is rejected: a number, or a percentage of the lines',
    default: 'any number is tolerated',
    type: tolerance,
  }),
  option<'profile'>({
    name: 'profile',
    group: 'Run',
    describe: 'Tell at the end, on standard error, where the time went',
    type: flag,
  }),
];

export const configOption: Option = option<'config'>({
  name: 'config',
  group: 'Run',
  describe: 'Options from a JSON object, named as here in camelCase; flags win',
  type: text('FILE'),
  flagOnly: true,
});

export const logLevelOption: Option = option<'logLevel'>({
  name: 'logLevel',
  group: 'Run',
  describe: 'What is told on standard error',
  default: 'warn',
  type: choice(LOG_LEVELS),
});
