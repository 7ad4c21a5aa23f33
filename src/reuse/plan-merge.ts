/**
 * Decides whether datasets can be merged, and in which order: the slices of a listing by their numbers, where the first
 * of them was named; other datasets as they were named.
 */
import { basename } from 'node:path';
import { REPORTS } from '../dataset/layout.ts';
import { manifestText } from '../dataset/manifest.ts';
import type { Manifest, ManifestSlice } from '../dataset/schema/manifest.ts';
import { TurnmillError } from '../errors.ts';
import { plural } from '../sizes.ts';
import { toolVersion } from '../version.ts';
import type { MergeInput } from './merge-input.ts';

/** All slices of a listing, or another dataset. */
export type MergeGroup = readonly [MergeInput, ...MergeInput[]];

type SliceInput = MergeInput & { readonly manifest: { readonly slice: ManifestSlice } };

const isSlice = (input: MergeInput): input is SliceInput => input.manifest.slice !== undefined;

/**
 * @param absent names of datasets that do not exist
 * @throws TurnmillError `invalid-dataset` if they were built in different ways; `missing-slices`
 */
export function planMerge(inputs: readonly MergeInput[], absent: readonly string[]): readonly MergeGroup[] {
  const [first] = inputs;
  if (first === undefined) throw nothingThere(absent);
  for (const input of inputs) checkSame(first, input);
  const slices = slicesIn(inputs);
  const missing = slices.length === 0 ? '' : rangesOf(missingIn(slices));
  if (missing !== '' || absent.length > 0) throw missingSlices(missing, slices[0]?.manifest.slice.of, absent);
  const groups: MergeGroup[] = [];
  for (const input of inputs) {
    if (!isSlice(input)) groups.push([input]);
    else if (!groups.some(([one]) => isSlice(one))) groups.push(slices as unknown as MergeGroup);
  }
  return groups;
}

/**
 * Returns the numbers of the slices that are not there, such as `4,7-9`; an empty text if all are.
 * @throws TurnmillError as `planMerge`
 */
export function missingAmong(inputs: readonly MergeInput[], absent: readonly string[]): string {
  const other = inputs.find((input) => !isSlice(input));
  if (other !== undefined)
    throw refusal(other, 'was not built with --slice, so no slice of it can be missing');
  const slices = slicesIn(inputs);
  if (slices.length === 0) throw nothingThere(absent);
  return rangesOf(missingIn(slices));
}

/** Returns the slices by their numbers; of two with the same bytes, only one. */
function slicesIn(inputs: readonly MergeInput[]): readonly SliceInput[] {
  const [first, ...others] = inputs.filter(isSlice);
  if (first === undefined) return [];
  const byIndex = new Map<number, SliceInput>();
  for (const input of [first, ...others]) {
    const { index } = checkSlice(first, input);
    const same = byIndex.get(index);
    if (same !== undefined && manifestText(same.manifest) !== manifestText(input.manifest))
      throw refusal(
        input,
        `is slice ${index}, and so is ${same.name}, with other bytes: leave one of them out`,
      );
    byIndex.set(index, same ?? input);
  }
  return [...byIndex].sort(([a], [b]) => a - b).map(([, input]) => input);
}

/** Checks that both slices are of the same listing. */
function checkSlice(first: SliceInput, input: SliceInput): ManifestSlice {
  const { slice: before } = first.manifest;
  const { slice: now } = input.manifest;
  if (!(now.index >= 1 && now.index <= now.of)) throw refusal(input, `names slice ${now.index} of ${now.of}`);
  const rebuild = 'build the slices again, all with the same N and from the same sources';
  if (before.of !== now.of)
    throw refusal(input, `is a slice of ${now.of}, but ${first.name} is one of ${before.of}: ${rebuild}`);
  if (before.sources !== now.sources)
    throw refusal(
      input,
      `is a slice of ${plural(now.sources, 'source')}, but ${first.name} is one of ${before.sources}: ${rebuild}`,
    );
  if (before.listing_sha256 !== now.listing_sha256)
    throw refusal(
      input,
      `is a slice of another listing than ${first.name}, with other names, sizes or skipped files: ${rebuild}`,
    );
  return now;
}

function missingIn(slices: readonly SliceInput[]): readonly number[] {
  const present = new Set(slices.map(({ manifest }) => manifest.slice.index));
  const { of = 0 } = slices[0]?.manifest.slice ?? {};
  return Array.from({ length: of }, (_, i) => i + 1).filter((index) => !present.has(index));
}

/** Returns `4,7-9` for 4, 7, 8 and 9. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === number - 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

/** Checks that the second dataset was built as the first one, and that both can be merged at all. */
function checkSame(first: MergeInput, input: MergeInput): void {
  const [before, now] = [first.manifest, input.manifest];
  const { version } = now.tool;
  if (version !== toolVersion())
    throw refusal(input, `was built by turnmill ${version}, and this is ${toolVersion()}: build it again`);
  for (const [name, value] of Object.entries(allSettings(now))) {
    const other = allSettings(before)[name];
    if (JSON.stringify(value) !== JSON.stringify(other)) throw differs(first, input, name, [other, value]);
  }
  const gone = Object.keys(allSettings(before)).find((name) => !(name in allSettings(now)));
  if (gone !== undefined) throw differs(first, input, gone, [allSettings(before)[gone], undefined]);
  checkMergeable(input);
}

/** The settings, and whether there is a report, which decides a file. */
function allSettings({ settings, files }: Manifest): Readonly<Record<string, unknown>> {
  return { ...settings, report: files.some(({ path }) => path === REPORTS.page) };
}

function differs(
  first: MergeInput,
  input: MergeInput,
  name: string,
  [before, now]: readonly [unknown, unknown],
): TurnmillError {
  if (name === 'redactKey' && now !== undefined && before !== undefined)
    return refusal(
      input,
      `was redacted with another key than ${first.name}: build both with the same --redact-key-file`,
    );
  const shown = (value: unknown): string => JSON.stringify(value) ?? 'unset';
  return refusal(
    input,
    `was built with other settings than ${first.name}: ${name} is ${shown(now)}, not ${shown(before)}; build one of them again with the options of the other`,
  );
}

/** Refuses datasets whose records one build over all sources might have written differently. */
function checkMergeable(input: MergeInput): void {
  const { limit, copies, plugIns } = input.manifest.settings as Readonly<Record<string, unknown>>;
  if (limit !== undefined)
    throw refusal(input, 'was built with --limit, which counts the sessions of all sources');
  if (copies === 'mark')
    throw refusal(
      input,
      'was built with --copies mark: which answers are context depends on all sources; use --copies drop, or one build',
    );
  const other = input.manifest.shards.find(({ path }) => !/\.jsonl(?:\.gz|\.zst)?$/.test(basename(path)));
  if (plugIns !== undefined && other !== undefined)
    throw refusal(
      input,
      `has ${other.path} of a plug-in, whose records cannot be told apart without its code`,
    );
}

function refusal({ name }: MergeInput, why: string): TurnmillError {
  return new TurnmillError('invalid-dataset', `${name} ${why}`, { subject: name });
}

function missingSlices(missing: string, of: number | undefined, absent: readonly string[]): TurnmillError {
  const [name = ''] = absent;
  const more = absent.length > 1 ? ` and ${absent.length - 1} more` : '';
  const which = `${missing.replaceAll(',', ', ')} (of 1 to ${of})`;
  const slices = /[,-]/.test(missing)
    ? `slices ${which} are missing: build them, and merge again`
    : `slice ${which} is missing: build it, and merge again`;
  const text =
    missing === '' ? `there is no finished dataset at ${name}${more}: build it, and merge again` : slices;
  return new TurnmillError('missing-slices', text, { subject: missing === '' ? name : missing });
}

function nothingThere([name = '']: readonly string[]): TurnmillError {
  const text = `there is no finished dataset at ${name}, nor any other, so the number of slices is unknown`;
  return new TurnmillError('missing-slices', text, { subject: name });
}
