/** Implements `turnmill explain`: finds out what became of a line and prints it. */
import { type Stats, statSync } from 'node:fs';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import split2 from 'split2';
import { DROPS } from '../../transforms/model/drops.ts';
import { fateWords, namedWords } from '../charts/words.ts';
import { LINE_FILES } from '../dataset/layout.ts';
import { checkManifest } from '../dataset/manifest.ts';
import { parseLine } from '../dataset/parse-line.ts';
import { resolveDataset } from '../dataset/recover.ts';
import type { SessionLine } from '../dataset/schema/ledger.ts';
import type { Manifest } from '../dataset/schema/manifest.ts';
import { withDataset } from '../dataset/store/with-dataset.ts';
import { ioError, TurnmillError } from '../errors.ts';
import { ALL_FILES } from '../input/sources/chosen-files.ts';
import { joinFolders } from '../input/sources/folder-sessions.ts';
import { listSources } from '../input/sources/list.ts';
import { listInputs } from '../input/sources/list-inputs.ts';
import type { SourceRef } from '../input/sources/source.ts';
import { inputWith } from '../job/dataset-inputs.ts';
import { explainLine } from '../job/explain.ts';
import type { Explanation, FindingNote, MessageTrail } from '../job/line-trail.ts';
import { remedyOfPlace } from '../ledger/remedies.ts';
import { CONTAINED_ENTRY } from '../ledger/result.ts';
import type { S3Options } from '../object-store/options.ts';
import { isObjectUrl } from '../object-store/url.ts';
import { streamOwnFile } from '../own-file.ts';
import { printable } from '../printable.ts';
import { asBuilt } from '../settings/as-built.ts';
import { withPlugInFiles } from '../settings/plug-in-files.ts';
import { resolveS3Options } from '../settings/s3-settings.ts';
import { type PartialSettings, resolveSettings, type Settings } from '../settings/settings.ts';
import { showCount } from '../sizes.ts';
import type { Request } from './commands/command.ts';
import { settingsOf } from './options/settings-of.ts';
import type { Values } from './options/values.ts';
import { EXPLANATION_STYLES, hasColors, painted } from './paint.ts';

export async function explain({ words: [where = ''], values, signal, host }: Request): Promise<void> {
  const { file, line } = parseAddress(where);
  const root = values.root ?? inputWith(file, values.in);
  const isOn = hasColors(values.color, host.helpColumns !== undefined);
  const settings = resolveSettings(await settingsFor(file, values));
  host.checkStdin([file], true);
  const isStored = isObjectUrl(root ?? file) || isObjectUrl(file);
  const ref = isStored ? await objectAt(file, root, settings) : sourceAt(file, root, settings);
  for (const logged of await explainLine({ ref, line, settings, signal })) {
    const found = await recordsOf(logged, values.in, settings.s3);
    const explanation =
      found?.in === undefined
        ? logged
        : ({ ...logged, fate: CONTAINED_ENTRY, sessionFate: 'contained' } as const);
    const text =
      values.json === true
        ? JSON.stringify({ ...explanation, ...found })
        : painted(explanationText(explanation, found, values.in ?? ''), EXPLANATION_STYLES, isOn);
    await host.print(text);
  }
  await host.endPrinting();
}

/** Returns the given settings; with a dataset, those of its build in place of the defaults. */
async function settingsFor(file: string, values: Values): Promise<PartialSettings> {
  const given = await withPlugInFiles(settingsOf([file], values));
  const { in: out } = values;
  if (out === undefined) return given;
  const manifestIn = async (folder: string): Promise<Manifest | undefined> =>
    checkManifest(resolveDataset(folder));
  const manifest = await withDataset(out, resolveS3Options(given.s3), () => false, manifestIn);
  return manifest === undefined ? given : asBuilt(out, manifest.settings ?? {}, given);
}

interface RecordPlace {
  readonly shard: string;
  readonly line: number;
}

/** The record that contains a session, and the session that it was made from. */
interface Container extends RecordPlace {
  readonly session: string | null;
  readonly source: string;
}

/** The records of a session in a dataset, or the record that contains it. */
interface Found {
  readonly records: readonly RecordPlace[];
  readonly in?: Container;
  /** Number of its first messages that are context. */
  readonly context?: number;
  /** Its fates in the dataset, if it has no record there. */
  readonly listed?: readonly string[];
}

async function recordsOf(
  { source, session, snapshotLine }: Explanation,
  out: string | undefined,
  s3: S3Options,
): Promise<Found | undefined> {
  if (out === undefined) return undefined;
  if (session === undefined || snapshotLine === undefined) return { records: [] };
  const isWanted = (path: string): boolean => path === LINE_FILES.sessions;
  return withDataset(out, s3, isWanted, (folder) => findRecords(folder, source, session));
}

interface LineAddress {
  readonly file: string;
  readonly line: number;
}

const ADDRESS = /^(.+):(\d{1,15})$/s;

/** @throws TurnmillError `usage` */
function parseAddress(text: string): LineAddress {
  const [, file, digits] = ADDRESS.exec(text) ?? [];
  const line = Number(digits);
  if (file !== undefined && line >= 1) return { file, line };
  throw new TurnmillError('usage', `'${text}' is not FILE:LINE, such as logs/a.jsonl:7; lines count from 1`);
}

/**
 * Returns the source under the name that a run over `root` gives it, because the name decides its group. Without a
 * root, it is named like a single file.
 * @throws TurnmillError `no-input`
 */
function sourceAt(file: string, root: string | undefined, settings: Settings): SourceRef {
  if (file === '-') return { name: '-', input: 0, path: undefined, sizeBytes: 0 };
  const path = root === undefined || isFile(file) || isDirectory(file) ? file : join(root, file);
  const below = root === undefined ? '' : relative(root, path);
  const outside = below === '' || below.startsWith(`..${sep}`) || isAbsolute(below);
  if (root !== undefined && outside) throw new TurnmillError('usage', `${path} is not below --root ${root}`);
  const name = outside ? basename(path) : below.split(sep).join('/');
  if (isDirectory(path)) return folderAt(path, name, settings);
  if (!isFile(path)) throw new TurnmillError('no-input', `file ${path} not found`, { subject: path });
  return { name, input: 0, path: Buffer.from(path).toString('latin1'), sizeBytes: 0 };
}

/** Returns a folder that a run reads as one source. @throws TurnmillError `usage` for any other folder, `no-input` for an empty one */
function folderAt(path: string, name: string, { sessionBy }: Settings): SourceRef {
  const sources = [...joinFolders(listSources([path]), [path], sessionBy).sources];
  const folder = sources.find((ref) => ref.parts?.[0]?.name.includes('/') === false);
  if (folder !== undefined) return { ...folder, name };
  const [first] = sources;
  if (first === undefined)
    throw new TurnmillError('no-input', `no files found in ${path}`, { subject: path });
  const example = Buffer.from(first.path as string, 'latin1').toString('utf8');
  const problem = `${path} is a folder: name one of its files, such as ${example}:1, or add --session-by folder if they are one session`;
  throw new TurnmillError('usage', problem, { subject: path });
}

/** Returns an object of a store, named in the same way. */
async function objectAt(file: string, root: string | undefined, { s3 }: Settings): Promise<SourceRef> {
  const folder = root === undefined ? '' : `${root.replace(/\/$/, '')}/`;
  const url = isObjectUrl(file) ? file : `${folder}${file}`;
  if (!url.startsWith(folder)) throw new TurnmillError('usage', `${url} is not below --root ${root}`);
  const [ref] = (await listInputs({ inputs: [url], follow: 'none', s3, sessionBy: undefined, ...ALL_FILES }))
    .sources;
  if (ref === undefined) throw new TurnmillError('no-input', `${url} not found`, { subject: url });
  return root === undefined ? ref : { ...ref, name: url.slice(folder.length) };
}

const isFile = (path: string): boolean => statsOf(path)?.isFile() === true;
const isDirectory = (path: string): boolean => statsOf(path)?.isDirectory() === true;

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw ioError('read', path, error);
  }
}

/**
 * Returns the places of a session's records, or of the record that contains it. Sources are compared by the end of their
 * paths, because these may be relative to any folder; if several match, the records of all are returned.
 */
async function findRecords(out: string, source: string, session: string): Promise<Found> {
  const records: RecordPlace[] = [];
  let place: RecordPlace | undefined;
  let context: number | undefined;
  const listed: string[] = [];
  await eachSession(out, (line) => {
    if (line.id !== session || !sameEnd(line.source, source)) return;
    records.push(...placesOf(line));
    listed.push(line.fate);
    place ??= line.in;
    context ??= line.context;
  });
  if (records.length > 0) return { records, ...(context !== undefined && { context }) };
  if (place === undefined) return { records, listed };
  const { shard, line } = place;
  let container: Container | undefined;
  await eachSession(out, (other) => {
    if (placesOf(other).some((one) => one.shard === shard && one.line === line))
      container = { shard, line, session: other.id, source: other.source };
  });
  if (container !== undefined) return { records, in: container };
  const message = `${out} has no session with the record in ${shard}, line ${line}: the dataset is damaged`;
  throw new TurnmillError('invalid-dataset', message, { subject: out });
}

function placesOf(session: SessionLine): readonly RecordPlace[] {
  return (session.records ?? [session]).flatMap(({ shard, line }) =>
    typeof shard === 'string' && typeof line === 'number' ? [{ shard, line }] : [],
  );
}

/** Calls `take` with each session of a dataset. */
async function eachSession(out: string, take: (line: SessionLine) => void): Promise<void> {
  const root = resolveDataset(out);
  checkManifest(root);
  const path = join(root, LINE_FILES.sessions);
  try {
    await pipeline(streamOwnFile(path), split2(), async (lines: AsyncIterable<string>) => {
      for await (const text of lines) take(sessionIn(text, path));
    });
  } catch (error) {
    if (error instanceof TurnmillError) throw error;
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw ioError('read', path, error);
    throw new TurnmillError('no-input', `no dataset found at ${out}`, { subject: out, cause: error });
  }
}

function sessionIn(text: string, path: string): SessionLine {
  const line = parseLine(LINE_FILES.sessions, text);
  if (line !== undefined) return line;
  const message = `${path} has a line that is not a session: the dataset is damaged`;
  throw new TurnmillError('invalid-dataset', message, { subject: path });
}

function sameEnd(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

const LABEL_WIDTH = 11;
const REJECTED = 'rejected:';

/** Returns several lines, without a newline after the last one. */
function explanationText(explanation: Explanation, found: Found | undefined, out: string): string {
  const { source, line, offset, length, messages, changes, findings, sessionFindings } = explanation;
  const { fate, session, sessionFate, group } = explanation;
  const bytes = offset === undefined ? '' : `, bytes ${offset} to ${offset + (length ?? 0)}`;
  const place = explanation.stage === 'source' ? '' : `, line ${line}${bytes}`;
  const rules = Object.entries(changes);
  return [
    `${printable(source)}${place}: ${printable(fateWords(fate))}`,
    row('why', whyOf(explanation)),
    row('to do', remedyOf(explanation)),
    row('session', session === undefined ? undefined : `${printable(session)}, ${sessionFate}`),
    row('group', group === undefined ? undefined : printable(group)),
    row('record', found && recordText(found, out)),
    row('context', found?.context === undefined ? undefined : contextText(found.context)),
    ...recordRejectionLines(explanation),
    row('messages', messages && messagesText(messages)),
    row(
      'changes',
      rules.length === 0 ? undefined : rules.map(([rule, count]) => `${rule} ${showCount(count)}`).join(', '),
    ),
    ...notes('findings', findings, line),
    ...notes(findings.length === 0 ? 'findings' : '', sessionFindings, line),
  ]
    .filter((text) => text !== undefined)
    .join('\n');
}

function row(label: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `  ${label.padEnd(LABEL_WIDTH)}${text}`;
}

function notes(label: string, findings: readonly FindingNote[], own: number): (string | undefined)[] {
  return findings.map(({ severity, rule, message, line }, i) =>
    row(
      i === 0 ? label : '',
      printable(`${severity} ${namedWords(rule)}${line === own ? '' : ` (line ${line})`}: ${message}`),
    ),
  );
}

function whyOf(explanation: Explanation): string {
  const { fate, detail, stage, violationLine, snapshotLine, isFolded, findings } = explanation;
  if (isFolded === true) return 'this is the first event of the conversation that the record is folded from';
  if (fate === 'snapshot')
    return 'this is the last entry with the most messages, so the record is made from it';
  if (fate === 'folded') return `it is part of the conversation that begins in line ${snapshotLine}`;
  if (fate === 'superseded' && findings.some(({ rule }) => rule === 'not-a-prefix'))
    return `line ${snapshotLine} has at least as many messages, so the record is made from that line`;
  if (fate === 'superseded')
    return `line ${snapshotLine} repeats and continues this conversation, so the record is made from that line`;
  if (fate === 'truncated')
    return `it has fewer messages than the earlier line ${snapshotLine}, so the record is made from that line`;
  if (fate === 'blank') return 'the line is blank';
  if (fate === CONTAINED_ENTRY)
    return `its conversation, made from line ${snapshotLine}, lies inside the record of another one`;
  const dropped: string | undefined = (DROPS as Readonly<Record<string, string>>)[
    fate.replace('dropped:', '')
  ];
  if (fate.startsWith('dropped:') && dropped !== undefined) return dropped;
  if (fate.startsWith('dropped:'))
    return `the cleanup rule ${printable(fate.slice('dropped:'.length))} drops such entries`;
  if (stage === 'source') return `the whole source was rejected: ${printable(detail ?? '')}`;
  const by = `${printable(detail ?? '')} (${stage})`;
  if (violationLine === undefined) return by;
  return `the whole session was rejected because of line ${violationLine}: ${by}`;
}

/** Says what to type about a rejection. */
function remedyOf({ fate, recordRejections = [] }: Explanation): string | undefined {
  const [refused] = recordRejections;
  const reason = fate.startsWith(REJECTED) ? fate.slice(REJECTED.length) : refused?.reason;
  return reason && remedyOfPlace(reason);
}

function recordRejectionLines({ recordRejections = [] }: Explanation): (string | undefined)[] {
  return recordRejections.map(({ detail, reason }, i) =>
    row(i === 0 ? 'refused' : '', printable(`${namedWords(reason)}: ${detail}`)),
  );
}

/** Counts the messages of the request, without the reply. */
function messagesText(messages: readonly MessageTrail[]): string {
  const request = messages.filter(({ isReply }) => isReply !== true);
  const logged = request.length;
  const kept = request.filter((message) => message.kept !== null).length;
  return logged === kept ? showCount(logged) : `${showCount(logged)}, ${showCount(kept)} after cleanup`;
}

function contextText(messages: number): string {
  const first = messages === 1 ? 'the first message is' : `the first ${showCount(messages)} messages are`;
  return `${first} in an earlier record too, which trains the answers among them`;
}

/** @param out the dataset, so that the paths are those of files */
function recordText({ records, in: container, listed }: Found, out: string): string {
  const placeOf = ({ shard, line }: RecordPlace): string =>
    printable(`${out.replace(/\/$/, '')}/${shard}:${line}`);
  if (container !== undefined) {
    const { session, source } = container;
    return `none; it lies inside ${placeOf(container)} (session ${printable(session ?? '')} of ${printable(source)})`;
  }
  if (records.length === 0)
    return `none in that dataset${listed === undefined ? '' : differenceText(listed)}`;
  return records.map(placeOf).join('; ');
}

/** Says why a line that makes a record now has none in the dataset. */
function differenceText(listed: readonly string[]): string {
  if (listed.length > 0)
    return `, which lists this session as ${printable(listed.map(fateWords).join(', '))}: the log or turnmill has changed since, or you passed other options`;
  return ', which does not list this session: its build did not read it (--limit, --slice, --exclude or --since), or the log has changed since';
}
