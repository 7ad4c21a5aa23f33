/**
 * Checks that a run may write to its destination: before any input is read, and again right before the dataset is
 * published, because the destination must not have changed in the meantime.
 */
import { TurnmillError } from '../errors.ts';
import type { FileIdentity } from '../input/sources/source.ts';
import { printable } from '../printable.ts';
import { foreignFiles } from './foreign-files.ts';
import { checkWritable, lstatIfAny, readDirectory, readLinkIfAny } from './fs-calls.ts';
import { isDataset, readManifest } from './manifest.ts';
import { checkOverlap } from './overlap.ts';
import { locate, type Place } from './place.ts';

export interface Destination extends Place {
  /** Present content: `folder` is a dataset, `link` a link to a version of one. */
  readonly state: 'absent' | 'empty' | 'folder' | 'link';
  /** Identity of the folder or, for a link, of the link itself. */
  readonly identity: FileIdentity | undefined;
  readonly parentIdentity: FileIdentity | undefined;
}

export interface DestinationRequest {
  readonly out: string;
  /** Paths; `-` is standard input. */
  readonly inputs: readonly string[];
  readonly replace: boolean;
}

/** Why an existing dataset is not replaced. */
export const ALREADY_EXISTS =
  'already exists; use --replace to replace it, or build with --update to update it';

/**
 * Throws `usage`, `cannot-create`, `invalid-dataset` or `permission`. Call it under the lock, after
 * `recoverDestination`.
 */
export function checkDestination({ out, inputs, replace }: DestinationRequest): Destination {
  const place = locate(out);
  checkOverlap(out, place, inputs);
  const state = inspect(place, out, replace);
  checkWritable(place.parent);
  const [identity, parentIdentity] = [place.path, place.parent].map(identityIfAny);
  const mounted = state !== 'link' && identity !== undefined && identity.dev !== parentIdentity?.dev;
  if (mounted) refuse(out, 'is a mount point, which a rename cannot replace: name a folder inside it');
  return { ...place, state, identity, parentIdentity };
}

function inspect(place: Place, out: string, replace: boolean): Destination['state'] {
  const stats = lstatIfAny(place.path);
  if (stats === undefined) return 'absent';
  const link = readLinkIfAny(place.path) !== undefined;
  if (!link && !stats.isDirectory()) refuse(out, 'exists and is not a folder');
  if (!link && readDirectory(place.path).length === 0) return 'empty';
  if (!isDataset(place.path))
    refuse(out, 'exists and is not a turnmill dataset, so it is not replaced: name another folder');
  readManifest(place.path);
  if (!replace) refuse(out, ALREADY_EXISTS);
  checkForeignFiles(place.path, out);
  return link ? 'link' : 'folder';
}

/** Throws `cannot-create` if replacing the dataset would delete files that turnmill did not write. */
function checkForeignFiles(root: string, out: string): void {
  const files = foreignFiles(root);
  const first = files.next().value;
  if (first === undefined) return;
  const isOnly = files.next().value === undefined;
  const what = isOnly ? '' : ' and other files';
  refuse(
    out,
    `contains ${printable(first)}${what}, which turnmill did not write; nothing was replaced: move ${isOnly ? 'it' : 'them'} out of the folder`,
  );
}

function refuse(out: string, why: string): never {
  throw new TurnmillError('cannot-create', `${out} ${why}`, { subject: out });
}

/** Throws `cannot-create` if the destination was replaced during the run. */
export function checkUnchanged(destination: Destination): void {
  const same =
    equal(identityIfAny(destination.path), destination.identity) &&
    equal(identityIfAny(destination.parent), destination.parentIdentity);
  if (!same) refuse(destination.path, 'was changed by another process during the run');
}

function identityIfAny(path: string): FileIdentity | undefined {
  const stats = lstatIfAny(path);
  return stats && { dev: stats.dev, ino: stats.ino };
}

function equal(a: FileIdentity | undefined, b: FileIdentity | undefined): boolean {
  return a?.dev === b?.dev && a?.ino === b?.ino;
}
