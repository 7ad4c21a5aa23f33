/** The settings that decide the bytes of the dataset: nothing of the machine, the paths or how the run goes about it. */
import { sha256 } from '../sha256.ts';
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
    follow: _follow,
    onReject: _onReject,
    maxQuarantine: _maxQuarantine,
    scanner: _scanner,
    profile: _profile,
    readers: _readers,
    checksum: _checksum,
    takesBack: _takesBack,
    userTurn,
    ...decisive
  } = settings;
  const said = userTurn === undefined ? {} : { userTurnSha256: sha256(userTurn) };
  return Object.fromEntries(Object.entries({ ...decisive, ...said }).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The names of those that were others in an earlier run. */
export function differences(earlier: object, settings: Settings): readonly string[] {
  const now = decisiveSettings(settings);
  const then = earlier as Readonly<Record<string, unknown>>;
  const names = new Set([...Object.keys(then), ...Object.keys(now)]);
  return [...names].filter((name) => JSON.stringify(then[name]) !== JSON.stringify(now[name])).sort();
}
