/** The text of a dataset's card below its YAML: what the dataset was made from, what became of it, and what to know. */
import { fateWords } from '../charts/words.ts';
import type { Counts } from '../dataset/schema/ledger.ts';
import type { LedgerSums } from '../dataset/schema/reports.ts';
import type { Settings } from '../settings/settings.ts';
import { plural, showCount } from '../sizes.ts';
import { toolVersion } from '../version.ts';

/** Describes one format or, with splits, one split of it. */
export interface CardRow {
  readonly config: string;
  readonly split: string;
  readonly records: number;
  /** Pattern of its files. */
  readonly path: string;
}

export type BodySettings = Pick<Settings, 'redact' | 'copies' | 'card' | 'split'>;

const REDACTED = 'redact:';
/** As `npm run test:judges` measures it, which fails if the card says something else. */
const RECALL = '459 of 462';
const NOT_FOUND = [
  'values in base64, except private keys, in percent-encoding, and values in images or archives;',
  'values that are cut over two messages, or by the tool that printed them;',
  'names, addresses and other facts about people, except e-mail addresses and numbers of cards and accounts;',
  'passwords that nothing names, and secrets of services that no rule knows.',
];

/**
 * Returns the user's own text, or one about the dataset. It depends on the settings, the records and the counts only.
 * @param needJson configs with columns of JSON
 */
export function cardBody(
  settings: BodySettings,
  rows: readonly CardRow[],
  sums: LedgerSums,
  needJson: readonly string[],
): string {
  if (settings.card !== undefined) return `${settings.card.trimEnd()}\n`;
  const parts = [
    ...[overview(rows, sums), loading(needJson), splits(settings), origin(sums)],
    ...[secrets(settings, sums.rewrites), limits(settings, sums, needJson)],
  ];
  return `${parts.flat().join('\n')}\n`;
}

const overview = (rows: readonly CardRow[], { records }: LedgerSums): readonly string[] => [
  '# Conversations of LLM agents',
  '',
  `Built from session logs by turnmill ${toolVersion()}.`,
  '',
  ...(rows.length > 0 ? table(rows) : [records === 0 ? NO_RECORDS : NO_LINES]),
  '',
];

const NO_RECORDS = 'It has no records.';
const NO_LINES = 'Its records are in TOML decks, which `load_dataset` does not read.';

const table = (rows: readonly CardRow[]): readonly string[] => [
  '| config | split | records | files |',
  '| --- | --- | --- | --- |',
  ...rows.map(
    ({ config, split, records, path }) =>
      `| \`${config}\` | \`${split}\` | ${showCount(records)} | \`${path}\` |`,
  ),
];

function loading(needJson: readonly string[]): readonly string[] {
  if (needJson.length === 0) return [];
  const names = needJson.map((name) => `\`${name}\``).join(', ');
  return [
    `\`load_dataset\` reads this folder with version 4.7 or newer of \`datasets\`: older ones have no type for JSON, which columns of ${names} have.`,
    '',
  ];
}

function splits({ split }: BodySettings): readonly string[] {
  if (split === undefined) return [];
  const shares = Object.entries(split).map(([name, share]) => `\`${name}\` ${share}`);
  return [
    `Shares of the splits: ${shares.join(', ')}. Conversations of one session, or with the same messages up to the first answer, are in the same split.`,
    '',
  ];
}

/** Every line has one fate, so the rows of the lines add up. */
const origin = ({ sources, lines, fates, sessions }: LedgerSums): readonly string[] => [
  '## Origin',
  '',
  `${plural(sumOf(sources), 'source')}: ${listOf(sources)}. ${plural(sessions.seen ?? 0, 'session')}: ${listOf(sessions, 'seen')}.`,
  '',
  '| what became of the lines | lines |',
  '| --- | --- |',
  ...Object.entries(fates).map(([fate, n]) => `| ${fateWords(fate)} | ${showCount(n)} |`),
  `| all | ${showCount(lines)} |`,
  '',
];

function secrets({ redact }: BodySettings, rewrites: Counts): readonly string[] {
  const title = ['## Secrets', ''];
  if (redact !== true) return [...title, 'Nothing was redacted: the records say what the logs say.', ''];
  const found = Object.entries(rewrites).filter(([rule]) => rule.startsWith(REDACTED));
  return [
    ...title,
    'Keys, tokens, passwords and such values were replaced by names like `<GITHUB_TOKEN:K7Q2M4XN3A>`; the same value has the same name everywhere.',
    '',
    ...(found.length === 0 ? ['None was found.'] : ['| rule | values |', '| --- | --- |']),
    ...found.map(([rule, n]) => `| \`${rule.slice(REDACTED.length)}\` | ${showCount(n)} |`),
    '',
    `In a test with planted values, ${RECALL} were replaced in plain text (docs/publish.md of turnmill). Not found are:`,
    '',
    ...NOT_FOUND.map((item) => `- ${item}`),
    '',
  ];
}

function limits(
  { copies }: BodySettings,
  { errors, warnings }: LedgerSums,
  needJson: readonly string[],
): readonly string[] {
  return [
    '## Limits',
    '',
    `- The checks reported ${plural(errors, 'error')} and ${plural(warnings, 'warning')}: \`reports/integrity.jsonl\`. What was rejected is in \`quarantine/rejected.jsonl\`.`,
    ...(copies === undefined
      ? ['- Copies of a conversation, in other files or as the beginning of a longer one, were kept.']
      : []),
    ...(needJson.length > 0
      ? [
          `- The shards have numbers as the logs do, but in columns of JSON (${needJson.map((name) => `\`${name}\``).join(', ')}) \`load_dataset\` rounds them to 10 decimal places, so that \`1e-12\` becomes 0, and refuses whole numbers of more than 64 bits. A build with \`--arrow-safe\` writes tools and arguments as texts, which keep them.`,
        ]
      : []),
  ];
}

const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, n) => sum + n, 0);

const listOf = (counts: Counts, without?: string): string =>
  Object.entries(counts)
    .filter(([name]) => name !== without)
    .map(([name, n]) => `${showCount(n)} ${name}`)
    .join(', ');
