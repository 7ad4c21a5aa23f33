/**
 * The table of settings: name, type, default, flag, help and whether it decides bytes, in one place. `Settings`, the flags,
 * the configuration file, the manifest's settings and docs/cli.md are derived from it.
 */
import { CONVERSION_SETTINGS } from './conversion-settings.ts';
import { INPUT_SETTINGS } from './input-settings.ts';
import type { FlagsOf, ValuesOf } from './option.ts';
import { OUTPUT_SETTINGS } from './output-settings.ts';

type Table = typeof INPUT_SETTINGS & typeof CONVERSION_SETTINGS & typeof OUTPUT_SETTINGS;

export const SETTINGS: Table = { ...INPUT_SETTINGS, ...CONVERSION_SETTINGS, ...OUTPUT_SETTINGS };

/** The settings, with all values. */
export type TableValues = ValuesOf<Table>;

/** The values of the flags of the settings. */
export type TableFlags = FlagsOf<Table>;
