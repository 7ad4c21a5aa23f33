/** Finds the logs that a dataset was built from, so that its sources can be named as arguments of a command. */
import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { resolveDataset } from '../dataset/recover.ts';
import { isBuiltHere, readInputs } from '../dataset/run-facts.ts';
import { isObjectUrl } from '../object-store/url.ts';

/**
 * Returns the input of a dataset below which a file or a source of that name lies; undefined if there is none. The names of
 * sources begin there, and those of sessions without an id.
 */
export function inputWith(name: string, dataset: string | undefined): string | undefined {
  if (dataset === undefined || isObjectUrl(dataset) || name === '-' || isObjectUrl(name)) return undefined;
  const isThere = existsSync(name)
    ? (input: string) => isBelow(name, input)
    : (input: string) => existsSync(join(input, name));
  return inputsOf(dataset).find(isThere);
}

/** Returns whether a path leads to something in a folder, not to the folder itself. */
export function isBelow(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

/**
 * Returns the inputs of a dataset if all of them are still there; otherwise none. A dataset of another machine cannot name
 * folders of this one.
 */
export function inputsThere(dataset: string): readonly string[] {
  if (!isBuiltHere(dataset)) return [];
  const inputs = inputsOf(dataset);
  return inputs.every((input) => existsSync(input)) ? inputs : [];
}

/** Returns the inputs as paths; none if the dataset does not say. */
export function inputsOf(dataset: string): readonly string[] {
  try {
    return readInputs(resolveDataset(dataset)) ?? [];
  } catch {
    return []; // the command then says that it does not find the file
  }
}
