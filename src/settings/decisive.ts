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
import type { RunPlugIns } from './plug-ins.ts';
import { DEFAULT_SETTINGS, type Settings } from './settings.ts';

/** Returns these settings, with sorted keys. */
export function decisiveSettings(settings: Settings): Readonly<Record<string, unknown>> {
  const {
    inputs: _inputs,
    out: _out,
    replace: _replace,
    update: _update,
    resume: _resume,
    workers: _workers,
    allowEmpty: _allowEmpty,
    allowShrink: _allowShrink,
    report: _report,
    mode: _mode,
    follow: _follow,
    onReject: _onReject,
    maxQuarantine: _maxQuarantine,
    scanner: _scanner,
    profile: _profile,
    consumers: _consumers,
    measures: _measures,
    checksum: _checksum,
    s3: _s3,
    takesBack: _takesBack,
    select,
    meta,
    maxConversationBytes,
    maxBranches,
    minRead,
    only,
    userTurn,
    systemText,
    toolDefinitions,
    plugIns,
    formatOptions: optionValues,
    ...decisive
  } = settings;
  const texts = {
    userTurnSha256: userTurn,
    systemTextSha256: systemText,
    toolDefinitionsSha256: toolDefinitions,
  };
  const textHashes = hashes(texts);
  const listed = only === undefined ? {} : { onlySha256: sha256(JSON.stringify([...new Set(only)].sort())) };
  const folding = otherThanDefault({ select, maxConversationBytes, maxBranches, minRead });
  const metadata = meta.length === 0 ? {} : { meta };
  const options = { formatOptions: hashedTexts(optionValues, plugIns) };
  const named = { ...folding, ...metadata, ...textHashes, ...listed, ...plugInsOf(plugIns) };
  return Object.fromEntries(
    Object.entries({ ...decisive, ...options, ...named }).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/**
 * Returns the settings that differ from the default. Settings of event logs are listed only then, so that datasets of
 * other logs remain comparable.
 */
function otherThanDefault(settings: Partial<Settings>): object {
  const defaults: Readonly<Record<string, unknown>> = DEFAULT_SETTINGS;
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => value !== defaults[name]));
}

/** Returns the names of all plug-ins, and the SHA-256 of their files, regardless of the paths; nothing without plug-ins. */
function plugInsOf({ files, dialects, formats, stages }: RunPlugIns): object {
  const names = [
    ...dialects.map(({ name }) => `dialect:${name}`),
    ...formats.map(({ name }) => `format:${name}`),
    ...stages.map(({ name, after }) => `stage:${name}:after:${after}`),
  ];
  if (names.length === 0) return {};
  return { plugIns: names, plugInSha256s: files.map((file) => file.sha256) };
}

/** Returns the SHA-256 of each text that is set. */
function hashes(texts: Readonly<Record<string, string | undefined>>): object {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, sha256(text)]])),
  );
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
