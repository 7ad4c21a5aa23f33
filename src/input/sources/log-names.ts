/** Which files in folders are logs, by their names and, for a few names, by their first bytes; and why others are not. */
import { readdirSync } from 'node:fs';
import { isBesideLogs, isTypedHistory, logFoldersOf } from './beside-logs.ts';

/**
 * Names of logs, and of rotated ones: a.jsonl.1, a.log.2.gz, a.log-20260113, a.jsonl.2026-01-13.zst; of Inspect's
 * archives and logs in other compressions, whose rejection says what to do with them; and of CloudWatch's exports
 * (000000.gz).
 */
const LOG_NAME =
  /(?:\.(?:jsonl|ndjson|json|toml|traj|har|log|sse)(?:[.-]\d+)*(?:\.(?:gz|zst|xz|bz2|lz4|zip))?|\.eval|(?:^|\/)\d{6}\.gz)$/i;

/** @param relative path below the input */
export const isLog = (relative: string): boolean => LOG_NAME.test(relative) && !isBesideLogs(relative);

/**
 * Says why a walk through folders does not read a file; undefined if it does, unless an option leaves it out.
 * @param path path of the file, absolute, `/` between folders
 */
export function whyNotALog(path: string): string | undefined {
  if (!LOG_NAME.test(path))
    return 'its name does not end like that of a log (.jsonl, .ndjson, .json, .log, .toml, .sse, also with .gz or .zst)';
  return whyBesideLogs(path);
}

/** The same for a file with the name of a log, which the user may have named: says why it lies beside logs only. */
export function whyBesideLogs(path: string): string | undefined {
  if (isTypedHistory(Buffer.from(path).toString('latin1')))
    return 'it has what a user typed, without the answers';
  if (isBesideLogs(path))
    return 'clients and projects keep settings, indexes or long results under this name';
  return whyBeside(path);
}

function whyBeside(path: string): string | undefined {
  const folders = path.split('/');
  for (let end = folders.length - 1; end > 0; end--) {
    const home = folders.slice(0, end).join('/');
    const logs = logFoldersOf(home, namesIn(home));
    if (logs?.length === 0) return `it is part of the dataset ${home}`;
    if (logs !== undefined && !logs.includes(folders[end] ?? ''))
      return `it lies in ${home}, where the client keeps its logs in ${logs.map((name) => `${name}/`).join(' and ')} only`;
  }
  return undefined;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder === '' ? '/' : folder);
  } catch {
    return []; // a folder that may not be listed is not recognised
  }
}
