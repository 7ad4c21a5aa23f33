/**
 * Finds the real path of a destination, and names what a run puts beside it: `.NAME.staging-RUN` is a run at work;
 * `.NAME.v-RUN` a complete version that OUT links to; `.NAME.link-RUN` the link that is about to become OUT;
 * `.NAME.old-RUN` the dataset that RUN supersedes; `.NAME.lock-RUN` the lock of a run at work
 * (docs/decisions/0004-publishing-by-rename.md).
 */
import { basename, dirname, join, resolve } from 'node:path';
import { TurnmillError } from '../errors.ts';
import { readDirectory, readLinkIfAny, realpathIfAny, statIfAny } from './fs-calls.ts';

const MOST_LINKS = 40;
/** Longest file name in bytes, on Linux and its usual file systems. */
const MOST_NAME_BYTES = 255;
const RUN_ID = /^[0-9a-f]{16}$/;
const ENDS_IN_RUN_ID = /-([0-9a-f]{16})$/;
/** Kinds of things that a run puts beside OUT. */
export type Part = 'staging' | 'v' | 'link' | 'old' | 'lock';

export interface Place {
  /** Parent and name joined. May be a link to a version of this destination, never another link. */
  readonly path: string;
  /** Real path, without links. */
  readonly parent: string;
  readonly name: string;
}

/** Follows the user's links to the destination itself. Throws `cannot-create` if there is no folder to hold it. */
export function locate(out: string): Place {
  let path = out;
  for (let links = 0; links <= MOST_LINKS; links += 1) {
    const place = placeOf(path);
    const target = readLinkIfAny(place.path);
    if (target === undefined || versionOf(place, target) !== undefined) return place;
    path = resolve(place.parent, target);
  }
  throw new TurnmillError('cannot-create', `${out}: too many symbolic links`, { subject: out });
}

/** The kernel resolves the folder: in `link/../out` the `..` belongs to the link's target. */
function placeOf(out: string): Place {
  const dotted = ['.', '..'].includes(basename(out));
  const path = dotted ? (realpathIfAny(out) ?? resolve(out)) : out;
  const name = basename(path);
  if (name === '' || name.includes('\0')) {
    throw new TurnmillError('usage', `${JSON.stringify(out)} cannot be an output folder`, { subject: out });
  }
  checkName(out, name, MOST_NAME_BYTES);
  const parent = realpathIfAny(dirname(path));
  if (parent === undefined || !statIfAny(parent)?.isDirectory()) {
    const text = `cannot create ${out}: the folder ${dirname(path)} does not exist`;
    throw new TurnmillError('cannot-create', text, { subject: out });
  }
  return { path: join(parent, name), parent, name };
}

/** Throws `cannot-create` if the destination's own name is too long for the names of the parts beside it. */
export function checkRoomForParts(out: string, place: Place): void {
  const longest = Buffer.byteLength(partName({ ...place, name: '' }, 'staging', '0'.repeat(16)));
  checkName(out, place.name, MOST_NAME_BYTES - longest);
}

function checkName(out: string, name: string, most: number): void {
  const bytes = Buffer.byteLength(name);
  if (bytes <= most) return;
  const text = `cannot create ${out}: its name has ${bytes} bytes, and at most ${most} are allowed${most < MOST_NAME_BYTES ? `: its staging folder beside it, .NAME.staging-RUN, needs the other ${MOST_NAME_BYTES - most} of a file name's ${MOST_NAME_BYTES}` : ''}`;
  throw new TurnmillError('cannot-create', text, { subject: out });
}

/** Name of a part in the parent; also works as a relative link target. */
export function partName(place: Place, part: Part, runId: string): string {
  return `.${place.name}.${part}-${runId}`;
}

export function partPath(place: Place, part: Part, runId: string): string {
  return join(place.parent, partName(place, part, runId));
}

/** The run whose version a link points to, if it is a version of this destination. */
export function versionOf(place: Place, target: string): string | undefined {
  const prefix = `.${place.name}.v-`;
  const runId = target.slice(prefix.length);
  return target.startsWith(prefix) && RUN_ID.test(runId) ? runId : undefined;
}

/** Ids of the runs that left such parts beside the destination, sorted bytewise. */
export function runsWith(place: Place, parts: readonly Part[]): string[] {
  const runs = new Set<string>();
  for (const { name } of readDirectory(place.parent)) {
    const runId = ENDS_IN_RUN_ID.exec(name)?.[1];
    if (runId !== undefined && parts.some((part) => name === partName(place, part, runId))) runs.add(runId);
  }
  return [...runs].sort();
}
