/**
 * The settings that decide the bytes of the dataset, without those that concern the machine, the paths or the way the
 * run works.
 */
import {
  type FormatOptionValue,
  type FormatOptionValues,
  formatOptionsWith,
} from '../../transforms/formats/format-options.ts';
import { sha256 } from '../sha256.ts';
import type { Setting } from './option.ts';
import type { RunPlugIns } from './plug-ins.ts';
import type { Settings } from './settings.ts';
import { SETTINGS } from './table.ts';

/** Returns these settings, with sorted keys. */
export function decisiveSettings(settings: Settings): Readonly<Record<string, unknown>> {
  const { formatOptions, plugIns } = settings;
  const values = Object.entries<Setting<unknown>>(SETTINGS).flatMap(([name, { decides }]) => {
    const value = settings[name as keyof typeof SETTINGS];
    if (decides === undefined || value === undefined) return [];
    return decides === 'bytes' ? [[name, value] as const] : [[`${name}Sha256`, hashOf(value)] as const];
  });
  const all = { ...Object.fromEntries(values), formatOptions: hashedTexts(formatOptions, plugIns) };
  return Object.fromEntries(
    Object.entries({ ...all, ...plugInsOf(plugIns) }).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** SHA-256 of a text, or of a list of ids regardless of their order. */
const hashOf = (value: unknown): string =>
  sha256(Array.isArray(value) ? JSON.stringify([...new Set(value)].sort()) : String(value));

/** Returns the names of all plug-ins, and the SHA-256 of their files, regardless of the paths; nothing without plug-ins. */
function plugInsOf(plugIns: RunPlugIns): object {
  const names = plugInNames(plugIns);
  if (names.length === 0) return {};
  return { plugIns: names, plugInSha256s: plugIns.files.map((file) => file.sha256) };
}

/** Returns the names of plug-ins as the manifest has them. */
export function plugInNames({ dialects, formats, stages }: RunPlugIns): readonly string[] {
  return [
    ...dialects.map(({ name }) => `dialect:${name}`),
    ...formats.map(({ name }) => `format:${name}`),
    ...stages.map(({ name, after }) => `stage:${name}:after:${after}`),
  ];
}

/** Replaces texts that were read from a file by their SHA-256, because they may be confidential. */
function hashedTexts(values: FormatOptionValues, { formats }: RunPlugIns): FormatOptionValues {
  const known = formatOptionsWith(formats);
  const entries = Object.entries(values).map(([name, value]): [string, FormatOptionValue] =>
    known.get(name)?.spec.fromFile === true ? [`${name}Sha256`, sha256(String(value))] : [name, value],
  );
  return Object.fromEntries(entries);
}

/** Returns the names of the settings that differ from a previous run. */
export function differences(previous: object, settings: Settings): readonly string[] {
  const now = decisiveSettings(settings);
  const before = previous as Readonly<Record<string, unknown>>;
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name])).sort();
}
