/**
 * Leaves out the records that lie inside another one, and marks answers that an earlier record has too (docs/copies.md).
 * Both are known only once all results are staged: if there are any, the staged results are replayed into another staging
 * folder without them, and with the marks.
 */
import type { ContextMarks } from '../../transforms/formats/context-marks.ts';
import { formats } from '../../transforms/formats/index.ts';
import { PATHS } from '../dataset/layout.ts';
import type { DatasetWriter } from '../dataset/store/store.ts';
import type { Listing } from '../input/sources/source.ts';
import type { DatasetOutput } from '../record/output.ts';
import { changedSince } from '../reuse/checked-lines.ts';
import { type ComparedPath, Containment } from '../reuse/containment.ts';
import { Contexts } from '../reuse/contexts.ts';
import { DecidedResults, type Decisions, lostContainer } from '../reuse/decided-results.ts';
import { checkStagedFiles, PreviousRun } from '../reuse/previous-run.ts';
import { ReplayedOutput } from '../reuse/replayed-output.ts';
import { openStaged } from '../reuse/resume.ts';
import { ReusedSources } from '../reuse/reused-sources.ts';
import type { Settings } from '../settings/settings.ts';
import { type Books, openBooks } from './books.ts';

export interface LeaveOutOptions {
  readonly settings: Settings;
  readonly listing: Listing;
  readonly signal: AbortSignal | undefined;
  /** The dataset with all records. */
  readonly staged: DatasetOutput;
  /** Opens the staging folder of the replay. */
  readonly open: () => DatasetWriter;
  /** Returns a path for a temporary file. */
  readonly pathFor: (name: string) => string;
}

/**
 * @param books of the staged results
 * @param sources number of sources that were read
 * @returns the books without the contained records and with the marks, whose destination has to be committed instead;
 *   undefined if the staged records stay as they are
 */
export async function leaveOutContained(
  options: LeaveOutOptions,
  books: Books,
  sources: number,
): Promise<Books | undefined> {
  const { staged, settings, listing, signal } = options;
  const { containment, contexts, marks } = await compare(staged, settings, signal);
  if (containment.contained === 0 && books.ledger.contained > 0) throw lostContainer();
  const rewritesAll = [...marks.values()].some(({ inAll }) => inAll === true);
  if (containment.contained === 0 && !rewritesAll && (contexts?.size ?? 0) === 0) return undefined;
  staged.end(sources);
  const { run, fingerprints } = await openStaged(staged.root, signal);
  const isContainer = (path: number): boolean => containment.isContainer(path);
  const output = new ReplayedOutput({ writer: options.open(), settings, listing, signal, isContainer });
  try {
    const replayed = openBooks(settings, listing, output);
    // what an update unpacked may still be there
    const pathFor = (name: string): string => options.pathFor(`staged-${name}`);
    const from = { format: settings.format[0] ?? '', hasPaths: true, pathFor, signal };
    const reused = new ReusedSources({ run, fingerprints }, listing, from);
    const decided = new DecidedResults({
      containerOf: (path) => containment.containerOf(path),
      contextOf: (path) => contexts?.of(path),
      marks,
    });
    replayed.recorder.skipped(listing.skipped);
    for await (const result of decided.of(reused.before(listing.sources.length))) {
      signal?.throwIfAborted();
      await replayed.recorder.accept(result);
    }
    replayed.ledger.overLimit(listing.sources.length - sources);
    await output.writeSessions(signal);
    return replayed;
  } catch (error) {
    await output.discard();
    throw error;
  }
}

interface Compared extends Pick<Decisions, 'marks'> {
  readonly containment: Containment;
  /** Undefined with `--copies drop`. */
  readonly contexts: Contexts | undefined;
}

async function compare(
  { paths, root }: DatasetOutput,
  settings: Settings,
  signal: AbortSignal | undefined,
): Promise<Compared> {
  if (paths === undefined) throw new Error('the run does not compare its records');
  const { file, count, messages } = paths;
  file.flush();
  const { bytes, crc32, path } = file;
  const refuse = (): never => {
    throw changedSince(path);
  };
  const written = await checkStagedFiles(root, [{ path: PATHS, bytes, crc32 }], refuse, signal);
  const run = new PreviousRun(root, written, []);
  function* read(): Generator<ComparedPath> {
    let number = 0;
    for (const hashes of run.paths()) yield { hashes, formats: paths?.formatsOf(number++) ?? 0 };
  }
  const containment = new Containment({ count, read });
  const marks = marksOf(settings);
  const isKept = (index: number): boolean => containment.containerOf(index) === undefined;
  const contexts = marks.size === 0 ? undefined : new Contexts({ count, messages, read, isKept });
  return { containment, contexts, marks };
}

/** Returns how the formats of the run mark context; none with `--copies drop`. */
function marksOf({ copies, format: names, plugIns }: Settings): ReadonlyMap<string, ContextMarks> {
  const marking = copies === 'mark' ? [...formats, ...plugIns.formats] : [];
  return new Map(
    marking.flatMap(({ name, context }) =>
      context !== undefined && names.includes(name) ? [[name, context]] : [],
    ),
  );
}
