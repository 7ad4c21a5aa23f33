/** Files that were passed over because of their name: the first thousand are listed in ledger/sources.jsonl, all are counted. */
import { add, type Counts, compareCounts, sumOf } from './counts.ts';
import { asCounts, type JsonObject } from './json-value.ts';
import { MANIFEST } from './manifest-file.ts';
import type { Problems } from './problems.ts';
import type { Totals } from './totals.ts';

const MOST_LISTED = 1000;
const MOST_EXTENSIONS = 100;
const PACKED = ['.gz', '.zst', '.bz2', '.xz', '.zip'];
/** What a file system lets a name have. */
const MOST_CHARACTERS = 255;

/** The extension that a file is counted under, in lower case. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).slice(-MOST_CHARACTERS);
  const packed = PACKED.find((one) => name.toLowerCase().endsWith(one)) ?? '';
  const stem = unnumbered(name.slice(0, name.length - packed.length));
  const dot = stem.lastIndexOf('.');
  const extension = stem.slice(dot);
  if (dot > 0 && stem[dot - 1] !== '.' && /^\.\w{1,10}$/.test(extension))
    return extension.toLowerCase() + packed;
  return stem.includes('.', 1) ? 'other' : packed || 'none';
}

/** `a.csv` of `a.csv.1` and `a.csv-2026-01-13`. */
function unnumbered(name: string): string {
  const at = Math.max(name.lastIndexOf('.'), name.lastIndexOf('-'));
  return at >= 0 && /^\d+$/.test(name.slice(at + 1)) ? unnumbered(name.slice(0, at)) : name;
}

/** What was counted, with all excluded files where only the first ones are listed. */
export function withUnlisted({ skipped }: Totals, ledger: JsonObject): Counts {
  const counts = new Map(skipped);
  const stated = asCounts(ledger.skipped)?.get('excluded') ?? 0;
  if (skipped.get('excluded') === MOST_LISTED && stated > MOST_LISTED) counts.set('excluded', stated);
  return counts;
}

/** The extensions add up to all excluded files, and are those of the listed ones where these are all. */
export function checkExcluded(ledger: JsonObject, { skipped, extensions }: Totals, problems: Problems): void {
  const stated = asCounts(ledger.extensions);
  const all = asCounts(ledger.skipped)?.get('excluded') ?? 0;
  problems.equal(MANIFEST, undefined, 'ledger.extensions are counts', true, stated !== undefined);
  if (stated === undefined) return;
  problems.equal(MANIFEST, undefined, 'sum of ledger.extensions', all, sumOf(stated));
  if (all !== (skipped.get('excluded') ?? 0) || extensions.size > MOST_EXTENSIONS) return;
  const found: Counts = new Map();
  for (const [extension, n] of extensions) add(found, extension, n);
  compareCounts(problems, { file: MANIFEST }, 'ledger.extensions', found, stated);
}
