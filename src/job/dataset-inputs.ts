/** Finds the logs that a dataset was built from, so that its sources can be named as arguments of a command. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FACTS } from '../dataset/layout.ts';
import { resolveDataset } from '../dataset/recover.ts';
import type { RunFacts } from '../dataset/schema/manifest.ts';
import { isObjectUrl } from '../object-store/url.ts';

/**
 * Returns the input of a dataset below which a source of that name lies; undefined if there is none, or if the name is
 * already that of a file.
 */
export function inputWith(name: string, dataset: string | undefined): string | undefined {
  if (dataset === undefined || isObjectUrl(dataset) || name === '-' || existsSync(name)) return undefined;
  return inputsOf(dataset).find((input) => existsSync(join(input, name)));
}

/** Returns the inputs as they were named; none if the dataset does not say. */
function inputsOf(dataset: string): readonly string[] {
  try {
    const { inputs } = JSON.parse(readFileSync(join(resolveDataset(dataset), RUN_FACTS), 'utf8')) as RunFacts;
    return Array.isArray(inputs) ? inputs.filter((input) => typeof input === 'string') : [];
  } catch {
    return []; // the command then says that it does not find the file
  }
}
