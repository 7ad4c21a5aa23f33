/**
 * Keeps output and inputs apart: a run must never read its own shards, nor put a dataset among the logs. Compares
 * device and inode of every folder above, so links, `..`, trailing slashes and the top of a bind mount do not hide an
 * overlap. Does not notice a bind mount of a folder below an input, nor links inside an input (which are not followed).
 */
import { dirname } from 'node:path';
import { TurnmillError } from '../errors.ts';
import { realpathIfAny, statIfAny } from './fs-calls.ts';
import type { Place } from './place.ts';

/** Throws a usage error. Leaves inputs that cannot be found or reached to the sources. */
export function checkOverlap(out: string, place: Place, inputs: readonly string[]): void {
  const destination = identity(place.path);
  /** Folders above the name that the user gave, and above its target. */
  const above = [place.path, place.parent, dirname(out)].flatMap(chain);
  for (const input of inputs) {
    if (input === '-') continue;
    const [own, ...folders] = inputChain(input);
    if (own === undefined) continue;
    if (own === destination) fail(out, `the output ${out} is the input ${input}`);
    if (above.includes(own)) fail(out, `the output ${out} is inside the input ${input}`);
    if (destination !== undefined && folders.includes(destination)) {
      fail(out, `the input ${input} is inside the output ${out}`);
    }
  }
}

function identity(path: string): string | undefined {
  const stats = statIfAny(path);
  return stats && `${stats.dev}:${stats.ino}`;
}

/** Identities of the path and of every folder above it; empty if it does not exist. */
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
