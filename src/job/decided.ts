/**
 * Leaves out the records that lie inside another one, marks answers that an earlier record has too (docs/copies.md), and
 * divides the records into splits (docs/publish.md). All of this is known only once all results are staged: the staged
 * results are then replayed into another staging folder as decided.
 */
import type { ContextMarks } from '../../transforms/formats/context-marks.ts';
import { formats } from '../../transforms/formats/index.ts';
import { LINE_FILES, PATHS } from '../dataset/layout.ts';
import type { SessionLine } from '../dataset/schema/ledger.ts';
import type { DatasetWriter } from '../dataset/store/store.ts';
import type { Listing } from '../input/sources/source.ts';
import type { FindingResult } from '../ledger/result.ts';
import type { DatasetOutput } from '../record/output.ts';
import type { PathWriter } from '../record/path-writer.ts';
import { changedSince } from '../reuse/checked-lines.ts';
import { type ComparedPath, Containment } from '../reuse/containment.ts';
import { Contexts } from '../reuse/contexts.ts';
import { DecidedResults, type Decisions, lostContainer } from '../reuse/decided-results.ts';
import { isCompared, type PathedSession, sessionsWithPaths } from '../reuse/ledger-files.ts';
import { checkStagedFiles, PreviousRun } from '../reuse/previous-run.ts';
import { ReplayedOutput } from '../reuse/replayed-output.ts';
import { openStaged } from '../reuse/resume.ts';
import { takeEach } from '../reuse/reuse.ts';
import { ReusedSources } from '../reuse/reused-sources.ts';
import { Splits } from '../reuse/splits.ts';
import type { Settings } from '../settings/settings.ts';
import { movedText } from '../settings/split-shares.ts';
import { plural } from '../sizes.ts';
import { type Books, openBooks } from './books.ts';

export interface DecideOptions {
  readonly settings: Settings;
  readonly listing: Listing;
  readonly signal: AbortSignal | undefined;
  readonly onNote?: ((message: string) => unknown) | undefined;
  /** The dataset that an update replaces. */
  readonly previous?: PreviousRun | undefined;
  /** The dataset with all records. */
  readonly staged: DatasetOutput;
  /** Whether the staged records have to be written again even if all stay. */
  readonly isDraft: boolean;
  /** Opens the staging folder of the replay. */
  readonly open: () => DatasetWriter;
  /** Returns a path for a temporary file. */
  readonly pathFor: (name: string) => string;
}

/**
 * @param books of the staged results
 * @param sources number of sources that were read
 * @returns the books as decided, whose destination has to be committed instead; undefined if the staged records stay as
 *   they are
 */
export async function decideRecords(
  options: DecideOptions,
  books: Books,
  sources: number,
): Promise<Books | undefined> {
  const { staged, settings, listing, signal } = options;
  const { containment, contexts, marks } = await compare(staged, settings, signal);
  if (containment?.contained === 0 && books.ledger.contained > 0) throw lostContainer();
  const rewritesAll = [...marks.values()].some(({ inAll }) => inAll === true);
  const stays = (containment?.contained ?? 0) === 0 && !rewritesAll && (contexts?.size ?? 0) === 0;
  if (stays && settings.split === undefined && !options.isDraft) return undefined;
  staged.end(sources);
  const { run, fingerprints } = await openStaged(staged.root, signal);
  const splits = splitsOf(run, options);
  const output = new ReplayedOutput({
    ...{ writer: options.open(), settings, listing, signal },
    isContainer: (path) => containment?.isContainer(path) === true,
    splitOf: (path) => splits?.of(path),
  });
  try {
    const replayed = openBooks(settings, listing, output, settings.integrity ? emptySplits(splits) : []);
    // what an update unpacked may still be there
    const pathFor = (name: string): string => options.pathFor(`staged-${name}`);
    const from = { format: settings.format[0] ?? '', hasPaths: true, pathFor, signal };
    const reused = new ReusedSources({ run, fingerprints }, listing, from);
    const decided = new DecidedResults({
      containerOf: (path) => containment?.containerOf(path),
      contextOf: (path) => contexts?.of(path),
      marks,
    });
    replayed.recorder.skipped(listing.skipped);
    await takeEach(decided.of(reused.before(listing.sources.length)), (result) => {
      signal?.throwIfAborted();
      return replayed.recorder.accept(result);
    });
    replayed.ledger.overLimit(listing.sources.length - sources);
    await output.writeSessions(signal);
    return { ...replayed, splitMoved: movedGroups(splits, options) };
  } catch (error) {
    await output.discard();
    throw error;
  }
}

/** Divides the records; undefined without `--split`. */
function splitsOf(run: PreviousRun, { settings, staged }: DecideOptions): Splits | undefined {
  const { split: shares, splitSeed: seed = 'turnmill' } = settings;
  if (shares === undefined) return undefined;
  const { count } = staged.paths as PathWriter;
  const readAll = (): Iterable<SessionLine> => run.lines(LINE_FILES.sessions);
  return new Splits({ count, read: () => comparedSessions(run), readAll, shares, seed });
}

/** Returns a finding for each split without a record. */
function emptySplits(splits: Splits | undefined): readonly FindingResult[] {
  return (splits?.empty() ?? []).map((name) => ({
    ...{ kind: 'finding', severity: 'WARNING', rule: 'split-empty', sessionId: undefined, line: 1 },
    message: `the split ${name} is empty: sessions that belong together stay together, which makes ${plural(splits?.groups ?? 0, 'group')}`,
    acrossSources: true,
  }));
}

/** Counts the groups that are in another split than in the previous dataset, and notes them. */
function movedGroups(splits: Splits | undefined, { previous, onNote }: DecideOptions): number {
  if (splits === undefined || previous === undefined) return 0;
  const moved = splits.movedFrom(() => previous.lines(LINE_FILES.sessions));
  if (moved > 0) onNote?.(`${movedText(moved)}: new logs joined them`);
  return moved;
}

function* comparedSessions(run: PreviousRun): Generator<PathedSession> {
  for (const session of sessionsWithPaths(run)) if (isCompared(session)) yield session;
}

interface Compared extends Pick<Decisions, 'marks'> {
  /** Undefined without `--copies drop` or `mark`. */
  readonly containment: Containment | undefined;
  /** Undefined without `--copies mark`. */
  readonly contexts: Contexts | undefined;
}

async function compare(
  { paths, root }: DatasetOutput,
  settings: Settings,
  signal: AbortSignal | undefined,
): Promise<Compared> {
  if (settings.copies === undefined) return { containment: undefined, contexts: undefined, marks: new Map() };
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
