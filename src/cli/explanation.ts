/** Implements `turnmill explain`: finds out what became of a line, a record, a session or a source, and prints it. */
import { type Stats, statSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { shellWord } from '../charts/numbers.ts';
import { LINE_FILES } from '../dataset/layout.ts';
import { readManifest } from '../dataset/manifest.ts';
import { resolveDataset } from '../dataset/recover.ts';
import type { SessionLine } from '../dataset/schema/ledger.ts';
import type { Manifest } from '../dataset/schema/manifest.ts';
import { withDataset } from '../dataset/store/with-dataset.ts';
import { failUsage, ioError, TurnmillError } from '../errors.ts';
import { ALL_FILES } from '../input/sources/chosen-files.ts';
import { joinFolders } from '../input/sources/folder-sessions.ts';
import { listSources } from '../input/sources/list.ts';
import { listInputs } from '../input/sources/list-inputs.ts';
import { whyBesideLogs, whyNotALog } from '../input/sources/log-names.ts';
import type { SourceRef } from '../input/sources/source.ts';
import { inputsOf, inputWith, isBelow } from '../job/dataset-inputs.ts';
import { explainLine } from '../job/explain.ts';
import type { Explanation } from '../job/line-trail.ts';
import { CONTAINED_ENTRY } from '../ledger/result.ts';
import type { S3Options } from '../object-store/options.ts';
import { isObjectUrl } from '../object-store/url.ts';
import { asBuilt } from '../settings/as-built.ts';
import { withPlugInFiles } from '../settings/plug-in-files.ts';
import { resolveS3Options, s3In } from '../settings/s3-settings.ts';
import { type PartialSettings, resolveSettings, type Settings } from '../settings/settings.ts';
import type { Request } from './commands/command.ts';
import { closest, eachLineOf, placesOf, sameEnd } from './dataset-lines.ts';
import { addressIn, datasetWith, type Target, targetIn } from './explain-target.ts';
import { type Container, explanationText, type Found } from './explanation-text.ts';
import { settingsOf } from './options/settings-of.ts';
import type { Values } from './options/values.ts';
import { EXPLANATION_STYLES, hasColors, painted } from './paint.ts';
import { accountIn, accountOf, accountText, type SourceAccount, skippedAccount } from './source-account.ts';

/** Printed as JSON, or as text. */
interface Answer {
  readonly facts: object;
  readonly text: string;
}

export async function explain({ words: [where = ''], values: given, signal, host }: Request): Promise<void> {
  const out = given.in ?? datasetWith(addressIn(where)?.file ?? '');
  const values = out === undefined ? given : { ...given, in: out };
  const isOn = hasColors(values.color, host.helpColumns !== undefined);
  const target = await targetOf(where, values);
  host.checkStdin([target.file], true);
  for (const { facts, text } of await answersTo(target, values, signal))
    await host.print(values.json === true ? JSON.stringify(facts) : painted(text, EXPLANATION_STYLES, isOn));
  await host.endPrinting();
}

/** Finds out what the word names. @throws TurnmillError `usage` if it names nothing, or several things */
async function targetOf(where: string, values: Values): Promise<Target> {
  const address = addressIn(where);
  const { in: out, root } = values;
  const isLog = address !== undefined && isFile(address.file) && datasetWith(address.file) === undefined;
  if (out !== undefined && !isLog) {
    const found = await inDataset(out, values, (folder) => targetIn(folder, where));
    if (found !== undefined) return found;
  }
  if (address !== undefined) return address;
  if (isDirectory(where))
    failUsage(
      `${where} is a folder: name one of its files, or see all with turnmill check ${shellWord(where)}`,
    );
  if (isObjectUrl(where) || isFile(root === undefined ? where : join(root, where))) return { file: where };
  const whose =
    out === undefined
      ? ', or with --in OUT a session, a source or a record of that dataset'
      : `, nor a session, a source or a record of ${out}`;
  failUsage(`'${where}' is not a file or FILE:LINE, such as logs/a.jsonl:7 (lines count from 1)${whose}`);
}

async function answersTo(target: Target, values: Values, signal: AbortSignal): Promise<readonly Answer[]> {
  const { file, line, session } = target;
  const root = values.root ?? inputWith(file, values.in);
  const path = root === undefined || isFile(file) ? file : join(root, file);
  if (
    line === undefined ||
    (session !== undefined && !isObjectUrl(root ?? file) && statsOf(path) === undefined)
  ) {
    const account = await accountFor(target, path, values, signal);
    return [answerOf(account, values)];
  }
  const isStored = isObjectUrl(root ?? file) || isObjectUrl(file);
  if (!isStored && root === undefined && values.in !== undefined) checkFound(path, values.in);
  const settings = resolveSettings(await settingsFor(file, values));
  const ref = isStored ? await objectAt(file, root, settings) : sourceAt(file, root, settings);
  const logged = await explainLine({ ref, line, settings, signal });
  const skipped = logged.some(({ stage }) => stage === 'source')
    ? await skippedFor(ref.name, path, values, whyBesideLogs)
    : undefined;
  if (skipped !== undefined) return [answerOf(skipped, values)];
  const shown = values.root === undefined && isFile(file) ? file : ref.name;
  return Promise.all(
    logged.map((explanation) => lineAnswer(explanation, shown, { ...values, root }, settings.s3)),
  );
}

/** @throws TurnmillError `no-input` if the log is neither there nor below the inputs of the dataset */
function checkFound(path: string, out: string): void {
  if (path === '-' || statsOf(path) !== undefined) return;
  const where = isObjectUrl(out) ? [] : inputsOf(out);
  const below = where.length === 0 ? '' : `, also not in ${where.join(', ')}`;
  const message = `${path} not found${below}: name the folder of the logs with --root DIR`;
  throw new TurnmillError('no-input', message, { subject: path });
}

const answerOf = (account: SourceAccount, { in: out }: Values): Answer => ({
  facts: account,
  text: accountText(account, out === undefined ? [] : ['--in', out]),
});

/** @param shown the source as the next command takes it */
async function lineAnswer(
  logged: Explanation,
  shown: string,
  { in: out, root }: Values,
  s3: S3Options,
): Promise<Answer> {
  const found = await recordsOf(logged, out, root, s3);
  const explanation =
    found?.in === undefined
      ? logged
      : ({ ...logged, fate: CONTAINED_ENTRY, sessionFate: 'contained' } as const);
  const text = explanationText({ ...explanation, source: shown }, found, out ?? '');
  return { facts: { ...explanation, ...found }, text };
}

/** Returns the account of a source that a walk through folders skips, or that the dataset lists as skipped. */
async function skippedFor(
  name: string,
  path: string,
  values: Values,
  reasonFor: (path: string) => string | undefined,
): Promise<SourceAccount | undefined> {
  const { in: out } = values;
  const account =
    out === undefined ? undefined : await inDataset(out, values, (folder) => accountIn(folder, name));
  if (account !== undefined) return account.status === 'skipped' ? withReason(account, path) : undefined;
  const why = isObjectUrl(path) ? undefined : reasonFor(resolve(path));
  return why === undefined ? undefined : skippedAccount(path, why);
}

/** The ledger does not say why a file is not a log. */
function withReason(account: SourceAccount, path: string): SourceAccount {
  if (account.reason !== 'excluded' || isObjectUrl(path)) return account;
  return { ...account, detail: account.detail ?? whyNotALog(resolve(path)), path };
}

/** Returns what became of a source as a whole. @throws TurnmillError `no-input` if there is nothing to tell it from */
async function accountFor(
  { file, session }: Target,
  path: string,
  values: Values,
  signal: AbortSignal,
): Promise<SourceAccount> {
  const { in: out } = values;
  const listed =
    out === undefined
      ? undefined
      : await inDataset(out, values, (folder) => accountIn(folder, file, session));
  const account =
    listed ??
    (await skippedFor(file, path, values, whyNotALog)) ??
    (await accountOf(path, settingsOf([path], values), signal, out));
  if (account !== undefined) return withReason(account, path);
  throw new TurnmillError('no-input', `nothing is known of ${file}`, { subject: file });
}

function inDataset<T>(out: string, values: Values, use: (folder: string) => Promise<T>): Promise<T> {
  const isWanted = (path: string): boolean => (Object.values(LINE_FILES) as readonly string[]).includes(path);
  return withDataset(out, resolveS3Options(s3In(values)), isWanted, use);
}

/** Returns the given settings; with a dataset, those of its build in place of the defaults. */
async function settingsFor(file: string, values: Values): Promise<PartialSettings> {
  const given = await withPlugInFiles(settingsOf([file], values));
  const { in: out } = values;
  if (out === undefined) return given;
  const manifestIn = async (folder: string): Promise<Manifest> => readManifest(resolveDataset(folder));
  const { settings = {} } = await withDataset(out, resolveS3Options(given.s3), () => false, manifestIn);
  return asBuilt(out, settings, given);
}

async function recordsOf(
  { source, session, snapshotLine }: Explanation,
  out: string | undefined,
  root: string | undefined,
  s3: S3Options,
): Promise<Found | undefined> {
  if (out === undefined) return undefined;
  if (session === undefined || snapshotLine === undefined) return { records: [] };
  const isWanted = (path: string): boolean => path === LINE_FILES.sessions;
  const isRoot = (input: string): boolean => root !== undefined && resolve(input) === resolve(root);
  const input = inputsOf(out).findIndex(isRoot);
  const named = { source, input, session, snapshotLine };
  return withDataset(out, s3, isWanted, (folder) => findRecords(folder, named));
}

/**
 * Returns the source under the name that a run over `root` gives it, because the name decides its group. Without a
 * root, it is named like a single file.
 * @throws TurnmillError `no-input`
 */
function sourceAt(file: string, root: string | undefined, settings: Settings): SourceRef {
  if (file === '-') return { name: '-', input: 0, path: undefined, sizeBytes: 0 };
  const path = root === undefined || isFile(file) || isDirectory(file) ? file : join(root, file);
  if (root !== undefined && !isBelow(path, root)) failUsage(`${path} is not below --root ${root}`);
  const name = root === undefined ? basename(path) : relative(root, path).split(sep).join('/');
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
  if (!url.startsWith(folder)) failUsage(`${url} is not below --root ${root}`);
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

interface NamedSession {
  readonly source: string;
  /** Position among the inputs of the dataset; -1 if it is not known. */
  readonly input: number;
  readonly session: string;
  readonly snapshotLine: number;
}

/**
 * Returns the places of a session's records, or of the record that contains it; if several sources match equally well, the
 * records of all. An id may be in a source several times (`--session-by run --select leaves`).
 */
async function findRecords(
  out: string,
  { source, input, session, snapshotLine }: NamedSession,
): Promise<Found> {
  const matching: SessionLine[] = [];
  await eachLineOf(out, LINE_FILES.sessions, (line) => {
    if (line.id === session && sameEnd(line.source, source)) matching.push(line);
  });
  const ofInput = thoseOrAll(closest(matching, source), (line) => (line.input ?? 0) === input);
  const found = thoseOrAll(ofInput, ({ origin }) => origin?.line === snapshotLine);
  const records = found.flatMap(placesOf);
  const context = found.find((line) => line.context !== undefined)?.context;
  if (records.length > 0) return { records, ...(context !== undefined && { context }) };
  const place = found.find((line) => line.in !== undefined)?.in;
  if (place === undefined) return { records, listed: found.map(({ fate }) => fate) };
  const { shard, line } = place;
  let container: Container | undefined;
  await eachLineOf(out, LINE_FILES.sessions, (other) => {
    if (placesOf(other).some((one) => one.shard === shard && one.line === line))
      container = { shard, line, session: other.id, source: other.source };
  });
  if (container !== undefined) return { records, in: container };
  const message = `${out} has no session with the record in ${shard}, line ${line}: the dataset is damaged`;
  throw new TurnmillError('invalid-dataset', message, { subject: out });
}

function thoseOrAll<T>(all: readonly T[], test: (one: T) => boolean): readonly T[] {
  const those = all.filter(test);
  return those.length > 0 ? those : all;
}
