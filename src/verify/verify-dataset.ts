/**
 * `turnmill verify`: a second, simple reader of a dataset (docs/contributing/decisions/0006-verify-is-a-second-reader.md). It shares
 * no code with the writers, only the types of the lines. It recounts everything from the files alone, and reports every
 * difference.
 */
import { realpathSync } from 'node:fs';
import { ioError, TurnmillError } from '../errors.ts';
import { checkContained, PATHS } from './contained.ts';
import { checkContext } from './context.ts';
import { checkForeignFiles, checkListedFiles } from './files.ts';
import { LedgerReader } from './ledger.ts';
import { checkLedgerSums, checkSummary } from './ledger-sums.ts';
import { type ListedFile, MANIFEST, type ManifestFacts, readManifest } from './manifest-file.ts';
import { type Problem, Problems } from './problems.ts';
import { ProfileRecount } from './profile-recount.ts';
import { REDACTIONS, RedactionRecount } from './redactions.ts';
import { findSecrets, type SecretRules } from './secrets.ts';
import { readShards } from './shards.ts';
import { checkSplits, splitsOf } from './splits.ts';
import { checkUsage } from './usage.ts';

export interface VerifyResult {
  /** The first thousand problems; empty if the dataset matches its manifest. */
  readonly problems: readonly Problem[];
  /** Number of all problems. */
  readonly problemCount: number;
  /** Counts of what was read: records of the shards, shards of the manifest, sources of the ledger that were not skipped, its sessions. */
  readonly records: number;
  readonly shards: number;
  readonly sources: number;
  readonly sessions: number;
}

export interface VerifyOptions {
  /** Search all files for matches of these rules; each is a problem. */
  readonly rules?: SecretRules | undefined;
  /** Called with the text of each record or line of the shards, unless the dataset was built with `--redact`. */
  readonly onRecord?: ((text: string, shard: string) => void) | undefined;
}

const SUMMARY = 'reports/summary.json';
const USAGE = 'reports/tool-usage.csv';
const REQUIRED_FILES = [
  'ledger/sessions.jsonl',
  'ledger/sources.jsonl',
  'quarantine/rejected.jsonl',
  'reports/integrity.jsonl',
  SUMMARY,
  USAGE,
];

/**
 * Checks a whole dataset without changing anything. Follows a link.
 * @throws TurnmillError `no-input` if there is no dataset; `invalid-dataset` if its manifest is of an unknown kind;
 * `io` or `permission` if it cannot be read
 */
export async function verifyDataset(
  out: string,
  { rules, onRecord }: VerifyOptions = {},
): Promise<VerifyResult> {
  const root = realFolder(out);
  const problems = new Problems();
  const manifest = readManifest(root, problems);
  const listed = [...manifest.shards, ...manifest.files];
  checkNames(manifest, problems);
  checkForeignFiles(root, new Set(listed.map(({ path }) => path)), problems);
  const readable = await checkListedFiles(root, listed, problems);
  const usage = new Map();
  const profile = new ProfileRecount(manifest.formats[0]);
  const redactions = isRedacted(manifest) ? new RedactionRecount() : undefined;
  const shards = await readShards(
    root,
    manifest,
    readable,
    {
      usage,
      profile,
      onRecord: redactions === undefined ? onRecord : (text, shard) => redactions.see(shard, text),
    },
    problems,
  );
  let records = 0;
  for (const shard of shards.values()) records += shard.records;
  const ledger = new LedgerReader({ root, manifest, readable, shards, profile, problems });
  const totals = await ledger.read();
  const context = { root, manifest, readable, problems };
  if (comparesRecords(manifest)) await checkContained(context);
  if (splitsOf(manifest).length > 0) await checkSplits({ ...context, sessions: totals.sessions });
  if (manifest.settings.copies === 'mark') await checkContext({ ...context, shards, totals });
  checkLedgerSums(manifest, totals, shards, problems);
  if (readable.has(SUMMARY)) checkSummary(root, manifest.ledger, profile, problems);
  if (readable.has(USAGE)) await checkUsage(root, manifest.settings.groupBy, totals.groups, usage, problems);
  if (readable.has(REDACTIONS)) await redactions?.check(root, !manifest.shards.some(isOfManyLines), problems);
  if (rules !== undefined) await findSecrets(root, rules, problems);
  const { sources, sessions } = totals;
  return {
    problems: problems.kept,
    problemCount: problems.count,
    records,
    shards: shards.size,
    sources,
    sessions,
  };
}

const isRedacted = ({ settings }: ManifestFacts): boolean => settings.redact === true;

/** Returns whether a record of the shard may have several lines. */
const isOfManyLines = ({ path }: ListedFile): boolean => /\.(?:toml|sts\.jsonl)(?:\.|$)/.test(path);

/** Returns whether records that lie inside another one were left out. */
const comparesRecords = ({ settings }: ManifestFacts): boolean =>
  settings.copies === 'drop' || settings.copies === 'mark';

function realFolder(out: string): string {
  try {
    return realpathSync(out);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw ioError('read', out, error);
    throw new TurnmillError('no-input', `${out} not found`, { subject: out, cause: error });
  }
}

/** Checks that the manifest lists the files that every dataset has, even if empty, and that only shards are in data/. */
function checkNames(manifest: ManifestFacts, problems: Problems): void {
  const { shards, files } = manifest;
  const found = new Set(files.map(({ path }) => path));
  const hasPaths = comparesRecords(manifest) || splitsOf(manifest).length > 0;
  const required = [
    ...REQUIRED_FILES,
    ...(hasPaths ? [PATHS] : []),
    ...(isRedacted(manifest) ? [REDACTIONS] : []),
  ];
  if (!hasPaths && found.has(PATHS))
    problems.add(
      MANIFEST,
      `files: expected no ${PATHS} without --copies drop or mark, or --split, found one`,
    );
  for (const path of required)
    if (!found.has(path)) problems.add(MANIFEST, `files: expected ${path}, found no entry for it`);
  const misplaced = [
    ...shards.filter(({ path }) => !path.startsWith('data/')),
    ...files.filter(({ path }) => path.startsWith('data/')),
  ];
  for (const { path } of misplaced)
    problems.add(MANIFEST, `${path}: expected shards in data/ and all other files outside it`);
}
