// Generates docs/reference/dataset-files.md: every file of a dataset and every field of its lines, from the text of src/dataset/schema/.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { code, page, table } from './markdown.mjs';

const SCHEMA = 'src/dataset/schema/';
const INTERFACE = /\/\*\* ([^\n]*?) \*\/\nexport interface (\w+) \{\n([\s\S]*?)\n\}/g;
const FIELD =
  /^ {2}\/\*\* (.*?)(?: @unit (.*?))?(?: @example (.*?))? \*\/\n {2}readonly (\w+)(\??): ([\s\S]*?);$/gm;

/** The files, in the order of the page, with the type in the schema if they contain JSON. */
const FILES = [
  [
    'data/',
    'The records. One shard, or several, per group: `data/GROUP-NNNNN.jsonl`, with `.gz` or `.zst` at the end under `--compress`. With several formats each has a folder, `data/FORMAT/`. [formats.md](formats.md) shows the records.',
  ],
  ['ledger/sources.jsonl', 'The fate of each source.', 'SourceLine'],
  ['ledger/sessions.jsonl', 'The fate of each session, and the place of its records.', 'SessionLine'],
  [
    'ledger/paths.bin',
    'Only with `--copies drop` or `mark`, or `--split`: for each written or contained session, in the order of `sessions.jsonl`, the number of its messages (u32, little-endian), and 16 bytes for each message, a hash of it and all messages before it, whose last bit is 1 for an answer ([copies.md](../copies.md)).',
  ],
  [
    'quarantine/rejected.jsonl',
    'Everything that was rejected, why, and where its bytes are. Only its owner can read the file.',
    'QuarantineLine',
  ],
  ['reports/integrity.jsonl', 'Findings of the checks.', 'FindingLine'],
  [
    'reports/redactions.jsonl',
    'Only with `--redact`: where the names are that replace secrets, in the order in which the records were written.',
    'RedactionLine',
  ],
  [
    'reports/summary.json',
    'The figures of the report: the sums of the ledger, as in `manifest.json` under `ledger`, and `profile`.',
    'LedgerSums',
  ],
  [
    'reports/index.html',
    'A report about the build: one page without scripts, left out with `--no-report`. Its figures are those of `reports/summary.json` and `manifest.json`.',
  ],
  [
    'reports/tool-usage.csv',
    'Tool usage, one row per group: `date` (or `group`), `scenario`, then counts of sessions, calls, definitions and turns.',
  ],
  [
    'README.md',
    'The card: the shards of each format and the types of their columns, in YAML, for [`load_dataset`](formats.md#loaders-with-columns). Absent if you keep one of your own in the folder.',
  ],
  [
    'manifest.json',
    'The content of the dataset, with the SHA-256 of every file above. Written last; the same input gives the same bytes.',
    'Manifest',
  ],
  ['run.json', 'Facts that differ between runs. Not in the manifest.', 'RunFacts'],
];

/** @returns the interfaces of the schema by name, with their comment and their fields in order */
export function schemaOf(root) {
  const folder = join(root, SCHEMA);
  return new Map(readdirSync(folder).flatMap((file) => [...typesIn(join(folder, file))]));
}

function typesIn(file) {
  const text = readFileSync(file, 'utf8');
  const types = new Map();
  for (const [, about, name, body] of text.matchAll(INTERFACE)) {
    const fields = [...body.matchAll(FIELD)].map(([, doc, unit, example, field, optional, type]) => ({
      name: field,
      doc,
      unit,
      example,
      optional: optional === '?',
      type: type
        .replaceAll(/ \| undefined/g, '')
        .replaceAll('readonly ', '')
        .replaceAll(/\s+/g, ' '),
    }));
    const declared = [...body.matchAll(/^ {2}readonly (\w+)/gm)].map(([, field]) => field);
    const missing = declared.filter((field) => !fields.some((documented) => documented.name === field));
    if (missing.length > 0)
      throw new Error(`${file}: ${name}: these fields need a one-line comment: ${missing.join(', ')}`);
    types.set(name, { about, fields });
  }
  if (types.size !== [...text.matchAll(/^export interface /gm)].length)
    throw new Error(`${file}: every interface needs a one-line comment`);
  return types;
}

export function datasetPage(root) {
  const types = schemaOf(root);
  const nested = (name) =>
    types.get(name).fields.flatMap(({ type }) => {
      const inner = /\b([A-Z]\w+)\b/.exec(type)?.[1];
      return inner !== undefined && types.has(inner) ? [inner, ...nested(inner)] : [];
    });
  const shown = new Set();
  const section = (name, level) => {
    shown.add(name);
    const { about, fields } = types.get(name);
    return [
      ...(level === undefined ? [] : [`${level} ${name}`]),
      about,
      table(
        ['field', 'type', 'unit', '', 'example'],
        fields.map(({ name: field, type, unit = '', doc, example, optional }) => [
          code(field),
          typeCell(type, types) + (optional ? ', optional' : ''),
          unit,
          doc,
          example === undefined ? '' : code(example),
        ]),
      ),
    ];
  };
  return page('The files of a dataset', [
    `From [${SCHEMA}](../../${SCHEMA}). \`turnmill verify OUT\` checks every file against the others.`,
    table(
      ['file', ''],
      FILES.map(([file, about]) => [code(file), about]),
    ),
    ...FILES.filter(([, , type]) => type !== undefined).flatMap(([file, , type]) => [
      `## \`${file}\``,
      ...section(type),
      ...nested(type)
        .filter((name) => !shown.has(name))
        .flatMap((name) => section(name, '###')),
    ]),
  ]);
}

/** Returns the anchor of a type. If a file consists of this type, the type is described under the heading of that file. */
function anchorOf(name) {
  const file = FILES.find(([, , type]) => type === name)?.[0] ?? name;
  return file.toLowerCase().replaceAll(/[^\w-]/g, '');
}

function typeCell(type, types) {
  const inner = /\b([A-Z]\w+)\b/.exec(type)?.[1];
  if (inner === 'Counts') return 'counts';
  const link = inner !== undefined && types.has(inner) ? `[${inner}](#${anchorOf(inner)})` : undefined;
  if (link !== undefined) return type.includes('[]') ? `list of ${link}` : link;
  const words = {
    string: 'text',
    number: 'number',
    boolean: 'true or false',
    'string[]': 'list of texts',
    'string | null': 'text or null',
  };
  return words[type] ?? code(type);
}
