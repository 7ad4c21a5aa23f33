/** An option of the command line. Its flag, its help, its key in a configuration file and its checks are derived from this. */
import type { PlugIns } from '../../transforms/plug-ins.ts';
import { showSize } from '../sizes.ts';

/** Headings of the help, in order. */
export const OPTION_GROUPS = [
  'Input',
  'Input limits',
  'Conversion',
  'Format options',
  'Output',
  'Quarantine',
  'Run',
  'S3',
] as const;

/** Throws an error about an invalid value; the caller adds the name of the option to `problem`. */
export type Refuse = (problem: string) => never;

/** Parses a value from the command line or from a configuration file. */
export interface ValueType<T> {
  /** Placeholder of the value in the help, such as FILE; undefined for a flag that takes no value. */
  readonly placeholder: string | undefined;
  /** Values that the help lists after the description, when there are too many for the placeholder. */
  readonly choices?: readonly string[];
  /** Whether the flag may be repeated. */
  readonly repeatable?: boolean;
  fromTexts(texts: readonly string[], refuse: Refuse): T;
  fromJson(value: unknown, refuse: Refuse): T;
  /** Refuses a value that a caller of the library passes, if it is not valid. */
  check?(value: unknown, refuse: Refuse): unknown;
}

/** @typeParam T the parsed value of the flag */
export interface Option<T> {
  readonly group: (typeof OPTION_GROUPS)[number];
  readonly help: string;
  readonly type: ValueType<T>;
  readonly alias?: string;
  /** Rarely needed: shown by `--help --all` only. */
  readonly advanced?: boolean;
  /** The default as the help shows it, if not the value itself. */
  readonly shown?: string;
  /** Adds a flag `--no-NAME` that sets this value; with `only`, there is no flag `--NAME`. */
  readonly negative?: { readonly help: string; readonly value: T; readonly only?: boolean };
  /** If this other option is present too, the value may be left out and defaults to the other option's. */
  readonly defaultsTo?: string;
  /** Returns the type to use when plug-ins are loaded, such as one with more choices. */
  readonly typeWith?: (plugIns: PlugIns) => ValueType<T>;
  /** Whether it may also be set in the environment: as `TURNMILL_` and the name of the flag in capitals. */
  readonly fromEnvironment?: boolean;
  /** Whether it is forbidden in a configuration file. */
  readonly flagOnly?: boolean;
}

/**
 * A setting of a run: a row of the table. Without `group`, no flag sets it directly.
 * @typeParam T the value
 * @typeParam F what its flag gives, if that is something else
 */
export interface Setting<T, F = Exclude<T, undefined>> extends Partial<Option<F>> {
  /** Undefined if the row has none. */
  readonly default?: T;
  /**
   * Set if it decides the bytes of the dataset: then the manifest has it, and `--update` reads everything again when it
   * changes. If hashed, the manifest has only its SHA-256, because it may be confidential.
   */
  readonly decides?: 'bytes' | 'bytes, hashed';
  /** Which commands have the flag: those that read logs, those that run over all of them, or those that write a dataset. */
  readonly of?: 'reading' | 'run' | 'writing';
}

/** Values of the settings of a table, by name. */
export type ValuesOf<Table> = {
  readonly [K in keyof Table]: Table[K] extends { readonly default?: infer T } ? T : never;
};

/** Values of the flags of a table, by name. */
export type FlagsOf<Table> = {
  readonly [K in keyof Table]: Table[K] extends Partial<Option<infer F>> ? F : never;
};

/** An option with its name in camelCase. */
export interface NamedOption extends Option<unknown> {
  readonly name: string;
  readonly default?: unknown;
  readonly of?: Setting<unknown>['of'];
  /** Set for an option of a format: its value goes into `formatOptions`. */
  readonly ofFormat?: true;
}

/** Returns the rows of a table that are options of the command line. */
export function optionsIn(table: object): readonly NamedOption[] {
  const rows = Object.entries(table) as [string, NamedOption][];
  return rows.filter(([, { group }]) => group !== undefined).map(([name, row]) => ({ ...row, name }));
}

/** Returns the option with the names that plug-ins add. */
export function optionWith<O extends Partial<Option<unknown>>>(option: O, plugIns: PlugIns): O {
  return option.typeWith === undefined ? option : { ...option, type: option.typeWith(plugIns) };
}

/** Returns `group-by` for `groupBy`. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Returns the names of the option's flags, without the dashes. */
export function flagNames({ name, negative }: NamedOption): readonly string[] {
  const flag = flagOf(name);
  if (negative === undefined) return [flag];
  return negative.only === true ? [`no-${flag}`] : [flag, `no-${flag}`];
}

/** Returns the default for the help; undefined if there is nothing to show. */
export function shownDefault({ shown, default: value, type }: NamedOption): string | undefined {
  if (shown !== undefined || value === undefined || value === false || type.placeholder === undefined)
    return shown;
  if (typeof value === 'number' && type.placeholder === 'SIZE') return showSize(value);
  return [value].flat().join(', ');
}
