/**
 * Finds the real path of a destination, and names the siblings that a run creates beside it: `.NAME.staging-RUN` is the
 * staging folder of a run, `.NAME.v-RUN` a complete version that OUT links to, `.NAME.link-RUN` the link that is about
 * to become OUT, `.NAME.old-RUN` the dataset that RUN supersedes, and `.NAME.lock-RUN` the lock of a run
 * (docs/contributing/decisions/0004-publishing-by-rename.md).
 */
import { basename, dirname, join, resolve } from 'node:path';
import { TurnmillError } from '../errors.ts';
import { readDirectory, readLinkIfAny, realpathIfAny, statIfAny } from './fs-calls.ts';

const MAX_LINKS = 40;
/** Longest file name in bytes, on Linux and its usual file systems. */
const MAX_NAME_BYTES = 255;
const RUN_ID = /^[0-9a-f]{16}$/;
const ENDS_IN_RUN_ID = /-([0-9a-f]{16})$/;
/** A file or folder that a run creates beside OUT. */
export type Sibling = 'staging' | 'v' | 'link' | 'old' | 'lock';

export interface Place {
  /** Parent and name joined. May be a link to a version of this destination, never another link. */
  readonly path: string;
  /** Real path, without links. */
  readonly parent: string;
  readonly name: string;
}

/** Follows the user's links to the destination itself. Throws `cannot-create` if its parent folder does not exist. */
export function locate(out: string): Place {
  let path = out;
  for (let links = 0; links <= MAX_LINKS; links += 1) {
    const place = placeOf(path);
    const target = readLinkIfAny(place.path);
    if (target === undefined || versionOf(place, target) !== undefined) return place;
    path = resolve(place.parent, target);
  }
  throw new TurnmillError('cannot-create', `${out}: too many symbolic links`, { subject: out });
}

/** Lets the kernel resolve the folder: in `link/../out`, `..` is relative to the link's target. */
function placeOf(out: string): Place {
  const dotted = ['.', '..'].includes(basename(out));
  const path = dotted ? (realpathIfAny(out) ?? resolve(out)) : out;
  const name = basename(path);
  if (name === '' || name.includes('\0'))
    throw new TurnmillError('usage', `${JSON.stringify(out)} cannot be an output folder`, { subject: out });
  checkName(out, name, MAX_NAME_BYTES);
  const parent = realpathIfAny(dirname(path));
  if (parent === undefined || !statIfAny(parent)?.isDirectory()) {
    const why = parent === undefined ? 'the folder % does not exist' : '% is not a folder';
    const text = `cannot create ${out}: ${why.replace('%', () => dirname(path))}`;
    throw new TurnmillError('cannot-create', text, { subject: out });
  }
  return { path: join(parent, name), parent, name };
}

/** Throws `cannot-create` if the destination's name is too long to derive the names of its siblings from it. */
export function checkRoomForSiblings(out: string, place: Place): void {
  const longest = Buffer.byteLength(siblingName({ ...place, name: '' }, 'staging', '0'.repeat(16)));
  checkName(out, place.name, MAX_NAME_BYTES - longest);
}

function checkName(out: string, name: string, most: number): void {
  const bytes = Buffer.byteLength(name);
  if (bytes <= most) return;
  const text = `cannot create ${out}: its name has ${bytes} bytes, and at most ${most} are allowed${most < MAX_NAME_BYTES ? `: its staging folder beside it, .NAME.staging-RUN, needs the other ${MAX_NAME_BYTES - most} of a file name's ${MAX_NAME_BYTES}` : ''}`;
  throw new TurnmillError('cannot-create', text, { subject: out });
}

/** Returns the name of a sibling; it also works as the target of a relative link. */
export function siblingName(place: Place, kind: Sibling, runId: string): string {
  return `.${place.name}.${kind}-${runId}`;
}

export function siblingPath(place: Place, kind: Sibling, runId: string): string {
  return join(place.parent, siblingName(place, kind, runId));
}

/** Returns the id of the run whose version a link points to; undefined if it is not a version of this destination. */
export function versionOf(place: Place, target: string): string | undefined {
  const prefix = `.${place.name}.v-`;
  const runId = target.slice(prefix.length);
  return target.startsWith(prefix) && RUN_ID.test(runId) ? runId : undefined;
}

/** Returns the ids of the runs that left such siblings, sorted bytewise. */
export function runsWith(place: Place, siblings: readonly Sibling[]): string[] {
  const runs = new Set<string>();
  for (const { name } of readDirectory(place.parent)) {
    const runId = ENDS_IN_RUN_ID.exec(name)?.[1];
    if (runId !== undefined && siblings.some((kind) => name === siblingName(place, kind, runId)))
      runs.add(runId);
  }
  return [...runs].sort();
}
