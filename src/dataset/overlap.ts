/**
 * Keeps output and inputs apart: a run must never read its own shards, nor put a dataset among the logs. It compares
 * device and inode of every folder above them, so that links, `..`, trailing slashes and the top of a bind mount do not
 * hide an overlap. It does not detect a bind mount of a folder below an input, nor links inside an input (which are not
 * followed).
 */
import { dirname } from 'node:path';
import { TurnmillError } from '../errors.ts';
import { realpathIfAny, statIfAny } from './fs-calls.ts';
import type { Place } from './place.ts';

/** Throws `usage` if they overlap. Skips inputs that cannot be found or reached: listing the sources reports those. */
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
    if (destination !== undefined && folders.includes(destination))
      fail(out, `the input ${input} is inside the output ${out}`);
  }
}

/** Throws `usage` if a file or folder to be written is one of the inputs or inside one; it may be above one. */
export function checkOutside(out: string, inputs: readonly string[]): void {
  const destination = identity(out);
  let existing = out;
  while (realpathIfAny(existing) === undefined && dirname(existing) !== existing)
    existing = dirname(existing);
  const above = chain(existing);
  for (const input of inputs) {
    const [inputIdentity] = inputChain(input);
    if (inputIdentity === undefined || !above.includes(inputIdentity)) continue;
    fail(out, `the output ${out} is ${inputIdentity === destination ? '' : 'inside '}the input ${input}`);
  }
}

function identity(path: string): string | undefined {
  const stats = statIfAny(path);
  return stats && `${stats.dev}:${stats.ino}`;
}

/** Returns the identities of the path and of every folder above it; none if it does not exist. */
function chain(path: string): string[] {
  const identities: string[] = [];
  for (let at = realpathIfAny(path); at !== undefined; at = dirname(at) === at ? undefined : dirname(at))
    identities.push(identity(at) ?? '');
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
