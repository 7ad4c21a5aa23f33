/**
 * Checks that a run may write to its destination: before any input is read, and again right before the dataset is
 * published, because the destination must not have changed in the meantime.
 */

import { dirname } from 'node:path';
import { TurnmillError } from '../errors.ts';
import { printable } from '../printable.ts';
import { foreignFiles } from './foreign-files.ts';
import {
  checkWritable,
  type Identity,
  lstatIfAny,
  readDirectory,
  readLinkIfAny,
  realpathIfAny,
  statIfAny,
} from './fs-calls.ts';
import { checkManifest, isDataset } from './manifest.ts';
import { locate, type Place } from './place.ts';

export interface Destination extends Place {
  /** Present content: `folder` is a dataset, `link` a link to a version of one. */
  readonly state: 'absent' | 'empty' | 'folder' | 'link';
  /** Identity of the folder or, for a link, of the link itself. */
  readonly identity: Identity | undefined;
  readonly parentIdentity: Identity | undefined;
}

export interface DestinationRequest {
  readonly out: string;
  /** Paths; `-` is standard input. */
  readonly inputs: readonly string[];
  readonly replace: boolean;
}

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
  checkManifest(place.path);
  if (!replace) refuse(out, 'already exists; use --replace to replace it, or --update to update it');
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

function identityIfAny(path: string): Identity | undefined {
  const stats = lstatIfAny(path);
  return stats && { dev: stats.dev, ino: stats.ino };
}

function equal(a: Identity | undefined, b: Identity | undefined): boolean {
  return a?.dev === b?.dev && a?.ino === b?.ino;
}

/**
 * Keeps output and inputs apart: a run must never read its own shards, nor put a dataset among the logs. It compares
 * device and inode of every folder above them, so that links, `..`, trailing slashes and the top of a bind mount do not
 * hide an overlap. It does not detect a bind mount of a folder below an input, nor links inside an input (which are not
 * followed).
 * Throws `usage` if they overlap. Skips inputs that cannot be found or reached: listing the sources reports those.
 */
export function checkOverlap(out: string, place: Place, inputs: readonly string[]): void {
  const destination = identity(place.path);
  /** Folders above the path as the user wrote it, and above its target. */
  const above = [place.path, place.parent, dirname(out)].flatMap(chain);
  for (const input of inputs) {
    if (input === '-') continue;
    const [inputIdentity, ...folders] = inputChain(input);
    if (inputIdentity === undefined) continue;
    if (inputIdentity === destination) fail(out, `the output ${out} is the input ${input}`);
    if (above.includes(inputIdentity)) fail(out, `the output ${out} is inside the input ${input}`);
    if (destination !== undefined && folders.includes(destination)) {
      fail(out, `the input ${input} is inside the output ${out}`);
    }
  }
}

function identity(path: string): string | undefined {
  const stats = statIfAny(path);
  return stats && `${stats.dev}:${stats.ino}`;
}

/** Returns the identities of the path and of every folder above it; none if it does not exist. */
function chain(path: string): string[] {
  const identities: string[] = [];
  for (let at = realpathIfAny(path); at !== undefined; at = dirname(at) === at ? undefined : dirname(at)) {
    identities.push(identity(at) ?? '');
  }
  return identities;
}

function inputChain(input: string): string[] {
  try {
    return chain(input);
  } catch (error) {
    if (error instanceof TurnmillError) return [];
    throw error;
  }
}

function fail(out: string, message: string): never {
  throw new TurnmillError('usage', message, { subject: out });
}
