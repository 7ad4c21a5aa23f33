/** The checked values of all options of all commands, and the options of the commands that read logs. */
import { formatFlagsWith } from '../../settings/conversion-settings.ts';
import { type FlagsOf, type NamedOption, optionsIn, type Setting } from '../../settings/option.ts';
import { S3_SETTINGS } from '../../settings/s3-settings.ts';
import { SETTINGS, type TableFlags } from '../../settings/table.ts';
import type { MISSING_OPTION } from './merge-options.ts';
import type { CALIBRATE_OPTIONS, ENDPOINT_OPTIONS, LOOP_OPTIONS } from './model-options.ts';
import {
  CONFIG_OPTION,
  type DRY_RUN,
  type FOLLOW_SHORTCUT,
  FORMAT_SHORTCUT,
  type JSON_OPTION,
  LOG_OPTION,
  PLUG_IN_OPTION,
  type REPORTING,
} from './shared-options.ts';
import type {
  CHECK_OPTIONS,
  EXPLAIN_OPTIONS,
  INSPECT_OPTIONS,
  QUARANTINE_OPTIONS,
  REPORT_OPTIONS,
  VERIFY_OPTIONS,
  VIEW_OPTIONS,
} from './show-options.ts';

type Shared = typeof PLUG_IN_OPTION &
  typeof MISSING_OPTION &
  typeof FORMAT_SHORTCUT &
  typeof FOLLOW_SHORTCUT &
  typeof DRY_RUN &
  typeof JSON_OPTION &
  typeof CONFIG_OPTION &
  typeof REPORTING &
  typeof LOG_OPTION;
type OfModels = typeof ENDPOINT_OPTIONS & typeof LOOP_OPTIONS & typeof CALIBRATE_OPTIONS;
type Shown = typeof CHECK_OPTIONS &
  typeof EXPLAIN_OPTIONS &
  typeof INSPECT_OPTIONS &
  typeof QUARANTINE_OPTIONS &
  typeof REPORT_OPTIONS &
  typeof VERIFY_OPTIONS &
  typeof VIEW_OPTIONS;
type All = TableFlags & FlagsOf<typeof S3_SETTINGS & Shared & OfModels & Shown>;

/** By camelCase name; undefined if the option is not set. */
export type Values = { readonly [K in keyof All]?: All[K] | undefined };

/** Returns the settings that are flags of these kinds of commands. */
export function settingsOptions(...kinds: readonly Setting<unknown>['of'][]): readonly NamedOption[] {
  return optionsIn({ ...SETTINGS, ...S3_SETTINGS }).filter(({ of }) => kinds.includes(of));
}

export const s3ReadOptions: readonly NamedOption[] = optionsIn(S3_SETTINGS).filter(
  ({ of }) => of === 'reading',
);

export const s3Options: readonly NamedOption[] = optionsIn(S3_SETTINGS);

/** Options of every command that reads logs, besides settings. */
export const readingOptions: readonly NamedOption[] = [
  ...optionsIn(PLUG_IN_OPTION).map((option) => ({ ...option, advanced: true })),
  ...formatFlagsWith([]),
  ...optionsIn({ ...FORMAT_SHORTCUT, ...CONFIG_OPTION, ...LOG_OPTION }),
];
