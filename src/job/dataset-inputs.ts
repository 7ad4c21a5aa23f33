/** Finds the logs that a dataset was built from, so that its sources can be named as arguments of a command. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { resolveDataset } from '../dataset/recover.ts';
import { isBuiltHere, readInputs } from '../dataset/run-facts.ts';
import { isObjectUrl } from '../object-store/url.ts';

/**
 * Returns the input of a dataset below which a source of that name lies; undefined if there is none, or if the name is
 * already that of a file.
 */
export function inputWith(name: string, dataset: string | undefined): string | undefined {
  if (dataset === undefined || isObjectUrl(dataset) || name === '-' || existsSync(name)) return undefined;
  return inputsOf(dataset).find((input) => existsSync(join(input, name)));
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
