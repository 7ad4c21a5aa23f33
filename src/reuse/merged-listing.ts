/**
 * The listing that one build over the sources of several datasets would have: all their sources in order, with the inputs
 * of each dataset numbered after those before. It also says which dataset each source is in.
 */
import { lstatIfAny } from '../dataset/fs-calls.ts';
import { LINE_FILES, manifestPath } from '../dataset/layout.ts';
import { TurnmillError } from '../errors.ts';
import { identityIn } from '../input/fingerprint.ts';
import { firstNamed, shownExtensions } from '../input/sources/passed-over.ts';
import type { SkipReason } from '../input/sources/skip-reasons.ts';
import {
  isPassedOver,
  type Listing,
  PASSED_OVER,
  type PassedOverReason,
  type SkippedSource,
  type SourceKey,
  type SourceRef,
} from '../input/sources/source.ts';
import { bytesOf, compareSources, type FolderPlace, SourceTable } from '../input/sources/source-table.ts';
import { isObjectUrl } from '../object-store/url.ts';
import { damaged } from './checked-lines.ts';
import { keyOf } from './ledger-files.ts';
import type { MergeInput } from './merge-input.ts';
import type { MergeGroup } from './plan-merge.ts';

/** A source of the merged listing: its dataset, and what the dataset calls it. */
export interface Owned {
  readonly dataset: MergeInput;
  readonly key: SourceKey;
  readonly fingerprint: string;
}

interface GroupStart {
  readonly firstInput: number;
  readonly firstDataset: number;
}

export class MergedListing {
  readonly listing: Listing;
  /** The inputs of all datasets. */
  readonly inputs: readonly string[];
  readonly #table = new SourceTable();
  readonly #skipped: SkippedSource[] = [];
  readonly #datasets: MergeInput[] = [];
  /** Number of sources of each dataset that were read. */
  readonly #counts: number[] = [];
  /** The first input and the first dataset of each group. */
  readonly #groups: GroupStart[] = [];
  /** Number of the dataset of each source. */
  readonly #owners: Uint32Array;
  readonly #fingerprints: string[] = [];

  /** @throws TurnmillError `invalid-dataset` if two datasets have the same source */
  constructor(groups: readonly MergeGroup[]) {
    const inputs: string[] = [];
    for (const group of groups) {
      this.#groups.push({ firstInput: inputs.length, firstDataset: this.#datasets.length });
      inputs.push(...this.#addGroup(group, inputs.length));
    }
    this.inputs = inputs;
    this.#table.sort(() => true);
    this.#owners = this.#findOwners();
    if (groups.length > 1) this.#checkApart();
    this.listing = { sources: this.#table, ...this.#filesNotRead() };
  }

  /** Returns the number of sources that a dataset has. */
  countOf(dataset: MergeInput): number {
    return this.#counts[this.#datasets.indexOf(dataset)] as number;
  }

  ownedAt(index: number): Owned {
    const number = this.#owners[index] as number;
    const { name, nameBase64, input } = this.#table.at(index) as SourceRef;
    const own = input - this.#groupWith(input).firstInput;
    const key = nameBase64 === undefined ? { name, input: own } : { name, nameBase64, input: own };
    return {
      dataset: this.#datasets[number] as MergeInput,
      key,
      fingerprint: this.#fingerprints[index] as string,
    };
  }

  /** Adds the sources of a group. @returns its inputs */
  #addGroup(group: MergeGroup, firstInput: number): readonly string[] {
    const places: FolderPlace[] = [];
    let before: { readonly key: SourceKey; readonly name: string } | undefined;
    let total = 0;
    for (const dataset of group) {
      let count = 0;
      for (const line of dataset.run.lines(LINE_FILES.sources)) {
        const key = keyOf(line);
        const input = firstInput + key.input;
        places[key.input] ??= { input, path: '', relative: undefined };
        if (line.status === 'skipped') {
          this.#skipped.push({ ...key, input, reason: line.reason as SkipReason });
          continue;
        }
        if (before !== undefined) checkOrder(before, key, dataset);
        before = { key, name: dataset.name };
        this.#table.addFile(places[key.input] as FolderPlace, bytesOf(key), statsOf(line.size ?? 0));
        count++;
      }
      this.#datasets.push(dataset);
      this.#counts.push(count);
      total += count;
    }
    const [first] = group;
    const { slice } = first.manifest;
    if (slice !== undefined && slice.sources !== total)
      throw damaged(first.name, `is a slice of ${slice.sources} sources, but all slices have ${total}`);
    return inputsOf(first, places.length);
  }

  #groupWith(input: number): GroupStart {
    return this.#groups.findLast(({ firstInput }) => firstInput <= input) as GroupStart;
  }

  /** Finds the dataset and the fingerprint of each source: the sources of a group keep their order. */
  #findOwners(): Uint32Array {
    const owners = new Uint32Array(this.#table.length);
    const next = new Map(this.#groups.map((group) => [group, { dataset: group.firstDataset, at: 0 }]));
    let index = 0;
    for (const { input } of this.#table) {
      const place = next.get(this.#groupWith(input)) as { dataset: number; at: number };
      while (place.at === this.#counts[place.dataset]) {
        place.dataset++;
        place.at = 0;
      }
      owners[index++] = place.dataset;
      const { fingerprints } = this.#datasets[place.dataset] as MergeInput;
      const isWhole = fingerprints?.length === this.#counts[place.dataset];
      this.#fingerprints.push((isWhole && fingerprints?.[place.at]) || '');
      place.at++;
    }
    return owners;
  }

  /** Checks that no source is in two datasets: a file of the same identity, or an object of the same URL. */
  #checkApart(): void {
    const owners = new Map<string, MergeInput>();
    for (const [index, fingerprint] of this.#fingerprints.entries()) {
      const { input, name } = this.#table.at(index) as SourceRef;
      const where = this.inputs[input] ?? '';
      const file = isObjectUrl(where) ? objectOf(where, name) : identityIn(fingerprint);
      if (file === undefined) continue;
      const dataset = this.#datasets[this.#owners[index] as number] as MergeInput;
      const other = owners.get(file);
      if (other !== undefined) throw inBoth(name, other.name, dataset);
      owners.set(file, dataset);
    }
  }

  #filesNotRead(): Omit<Listing, 'sources'> {
    const passedOver = this.#skipped.filter(({ reason }) => isPassedOver(reason));
    const others = this.#skipped.filter(({ reason }) => !isPassedOver(reason));
    const extensions = new Map<string, number>();
    const counts: Partial<Record<PassedOverReason, number>> = {};
    for (const { manifest } of this.#datasets) {
      for (const reason of PASSED_OVER) {
        const count = manifest.ledger.skipped[reason] ?? 0;
        if (count > 0) counts[reason] = (counts[reason] ?? 0) + count;
      }
      for (const [extension, n] of Object.entries(manifest.ledger.extensions))
        extensions.set(extension, (extensions.get(extension) ?? 0) + n);
    }
    return {
      skipped: [...others, ...firstNamed(passedOver, compareSources)].sort(compareSources),
      passedOver: counts,
      extensions: shownExtensions(extensions),
      mode: this.#mode(),
    };
  }

  /** Returns the permissions that all datasets grant; local copies of objects do not count. */
  #mode(): number | undefined {
    let mode: number | undefined;
    for (const { name, run } of this.#datasets)
      if (!isObjectUrl(name)) mode = (mode ?? 0o777) & Number(lstatIfAny(manifestPath(run.root))?.mode ?? 0n);
    return mode;
  }
}

const statsOf = (sizeBytes: number): Parameters<SourceTable['addFile']>[2] => ({
  size: BigInt(sizeBytes),
  ctimeNs: 0n,
  ino: 0n,
  dev: 0n,
});

/** Returns the inputs of a group; if they are not known, one for each number that its lines have. */
function inputsOf({ inputs = [], name }: MergeInput, least: number): readonly string[] {
  const missing = Math.max(1, least) - inputs.length;
  return missing <= 0 ? inputs : [...inputs, ...Array.from({ length: missing }, () => name)];
}

function objectOf(input: string, name: string): string {
  if (input.endsWith(`/${name}`)) return input;
  return input.endsWith('/') ? `${input}${name}` : `${input}/${name}`;
}

function checkOrder(
  before: { readonly key: SourceKey; readonly name: string },
  key: SourceKey,
  dataset: MergeInput,
): void {
  const order = compareSources(before.key, key);
  if (order === 0) throw inBoth(key.name, before.name, dataset);
  if (order > 0) throw damaged(dataset.run.pathOf(LINE_FILES.sources), 'is not in the order of the listing');
}

function inBoth(source: string, first: string, { name }: MergeInput): TurnmillError {
  const text = `${source} is in ${first} and in ${name}: a source can be merged only once`;
  return new TurnmillError('invalid-dataset', text, { subject: source });
}
