/** The settings that decide the bytes of the dataset: nothing of the machine, the paths or how the run goes about it. */
import {
  type FormatOptionValue,
  type FormatOptionValues,
  formatOptions,
} from '../../transforms/formats/format-options.ts';
import { sha256 } from '../sha256.ts';
import type { RunPlugIns } from './plug-ins.ts';
import type { Settings } from './settings.ts';

/** With sorted keys. */
export function decisiveSettings(settings: Settings): Readonly<Record<string, unknown>> {
  const {
    inputs: _inputs,
    out: _out,
    replace: _replace,
    update: _update,
    resume: _resume,
    workers: _workers,
    allowEmpty: _allowEmpty,
    report: _report,
    mode: _mode,
    follow: _follow,
    onReject: _onReject,
    maxQuarantine: _maxQuarantine,
    scanner: _scanner,
    profile: _profile,
    readers: _readers,
    checksum: _checksum,
    takesBack: _takesBack,
    only,
    userTurn,
    plugIns,
    formatOptions: given,
    ...decisive
  } = settings;
  const said = userTurn === undefined ? {} : { userTurnSha256: sha256(userTurn) };
  const listed = only === undefined ? {} : { onlySha256: sha256(JSON.stringify([...new Set(only)].sort())) };
  const options = { formatOptions: hashedTexts(given) };
  return Object.fromEntries(
    Object.entries({ ...decisive, ...options, ...said, ...listed, ...plugInsOf(plugIns) }).sort(([a], [b]) =>
      a < b ? -1 : 1,
    ),
  );
}

/** The files by their SHA-256, wherever they are, and the names of all plug-ins; nothing when there are none. */
function plugInsOf({ files, dialects, formats, stages }: RunPlugIns): object {
  const names = [
    ...dialects.map(({ name }) => `dialect:${name}`),
    ...formats.map(({ name }) => `format:${name}`),
    ...stages.map(({ name, after }) => `stage:${name}:after:${after}`),
  ];
  if (names.length === 0) return {};
  return { plugIns: names, plugInSha256s: files.map((file) => file.sha256) };
}

/** Texts that come from a file are named by their SHA-256: they may be confidential. */
function hashedTexts(values: FormatOptionValues): FormatOptionValues {
  const entries = Object.entries(values).map(([name, value]): [string, FormatOptionValue] =>
    formatOptions.get(name)?.spec.fromFile === true
      ? [`${name}Sha256`, sha256(String(value))]
      : [name, value],
  );
  return Object.fromEntries(entries);
}

/** The names of those that were others in an earlier run. */
export function differences(earlier: object, settings: Settings): readonly string[] {
  const now = decisiveSettings(settings);
  const then = earlier as Readonly<Record<string, unknown>>;
  const names = new Set([...Object.keys(then), ...Object.keys(now)]);
  return [...names].filter((name) => JSON.stringify(then[name]) !== JSON.stringify(now[name])).sort();
}
