/** Options of several commands that are not settings of a run. */
import { LOG_LEVELS, type LogLevel } from '../../log-level.ts';
import type { Option } from '../../settings/option.ts';
import { choice, flag, text, texts } from '../../settings/value-types.ts';
import { COLOR_CHOICES, type ColorChoice } from '../paint.ts';

export const PLUG_IN_OPTION = {
  plugin: {
    group: 'Input',
    help: 'Load more dialects, formats or stages from an ES module, which runs with your permissions',
    type: texts('FILE'),
    flagOnly: true,
  } as Option<readonly string[]>,
};

/** Shorter or other words for settings. */
export const FORMAT_SHORTCUT = {
  jsonToolCalls: {
    group: 'Conversion',
    advanced: true,
    help: 'Same as --format chat-inline',
    type: flag,
  } as Option<boolean>,
};
export const FOLLOW_SHORTCUT = {
  followOutside: {
    group: 'Input',
    advanced: true,
    help: 'Follow symbolic links in folders wherever they lead',
    type: flag,
  } as Option<boolean>,
};
export const DRY_RUN = {
  dryRun: { group: 'Output', help: 'Convert everything, write nothing', type: flag } as Option<boolean>,
};

export const JSON_OPTION = {
  json: { group: 'Output', help: 'Print JSON, one object per line', type: flag } as Option<boolean>,
};

export const CONFIG_OPTION = {
  config: {
    group: 'Run',
    help: 'Read options, named in camelCase, from a JSON object, or from TOML if FILE ends in .toml; flags override them',
    type: text('FILE'),
    flagOnly: true,
  } as Option<string>,
};

/** How a run reports what happened. */
export const REPORTING = {
  exitZero: {
    group: 'Run',
    advanced: true,
    help: 'Exit with 0, not 3, when something was rejected, for cron and make',
    type: flag,
  } as Option<boolean>,
  quiet: {
    group: 'Run',
    advanced: true,
    help: 'Report errors only: no progress, no notes, no summary',
    type: flag,
  } as Option<boolean>,
};

export const LOG_OPTION = {
  color: {
    group: 'Run',
    advanced: true,
    help: 'Colour what people read: on terminals that have colours, unless NO_COLOR is set, or always, or never',
    shown: 'auto',
    type: choice(COLOR_CHOICES),
  } as Option<ColorChoice>,
  logLevel: {
    group: 'Run',
    advanced: true,
    help: 'Set how much is reported on standard error',
    shown: 'warn',
    type: choice(LOG_LEVELS),
  } as Option<LogLevel>,
};
