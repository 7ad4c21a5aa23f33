// Tables for docs/reference/formats.md of how consumers treat the records of each format. The source is test/loaders/expected.json, which
// `npm run test:loaders` compares with the real consumers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { code, prose, table } from './markdown.mjs';

const EFFECTS = ['refuses', 'drops', 'changes', 'takes'];
/** The format of each trainer, with a note. */
const TRAINERS = [
  [
    'OpenAI fine-tuning',
    'openai',
    '`--reasoning drop`: files with `reasoning_content` do not pass validation.',
  ],
  [
    'TRL, Unsloth',
    'trl',
    'With `datasets` older than 4.7: `--arrow-safe`, and parse `arguments` into objects before the chat template.',
  ],
  ['MLX-LM', 'trl', 'It passes messages unchanged to the chat template, and most templates need objects.'],
  [
    'axolotl',
    'axolotl',
    '`type: chat_template`, and for [some templates](format-details.md#openai-trl-axolotl) `message_property_mappings`.',
  ],
  ['LLaMA-Factory', 'sharegpt', '`formatting: sharegpt`, with the columns `system` and `tools`.'],
  ['FunctionGemma', 'functiongemma', 'A `text` field; with `--prompt-completion`, two fields.'],
];

export function readExpected(root) {
  return JSON.parse(readFileSync(join(root, 'test/loaders/expected.json'), 'utf8'));
}

/** A table of the format for each trainer. Throws on an unknown format. */
export function trainersTable(formats) {
  const names = formats.map(({ name }) => name);
  return table(
    ['trainer', 'format', ''],
    TRAINERS.map(([trainer, format, note]) => {
      if (!names.includes(format)) throw new Error(`unknown format ${format}`);
      return [trainer, `[${code(format)}](#${format})`, note];
    }),
  );
}

/** A table of what each consumer does with the records of a format; empty if none of them is tested. */
export function consumersTable({ judged }, format) {
  const readers = Object.entries(judged)
    .filter(([name]) => name.split(' ')[0] === format)
    .flatMap(([name, byReader]) => {
      const options = name.slice(format.length + 1);
      return Object.entries(byReader).map(([reader, rules]) => [
        options === '' ? prose(reader) : `${prose(reader)}, with ${code(options)}`,
        rules,
      ]);
    });
  if (readers.length === 0) return [];
  return [
    table(
      ['consumer', 'refuses a record with', 'leaves out', 'changes', 'takes it'],
      readers.map(([reader, rules]) => [reader, ...EFFECTS.map((effect) => namedBy(rules, effect))]),
    ),
  ];
}

function namedBy(rules, effect) {
  const found = rules.filter((rule) => rule.startsWith(`${effect}: `));
  return prose(found.map((rule) => rule.slice(effect.length + 2)).join('; '));
}

/** Tables of how loaders with typed columns change records, with and without `--arrow-safe`. */
export function loadersBlocks({ loaded }) {
  return Object.entries(loaded).flatMap(([loader, byFormat]) => {
    const names = Object.keys(byFormat).filter((name) => Object.keys(byFormat[name]).length > CORPORA.length);
    const probes = Object.keys(byFormat[names[0]]).filter((probe) => !CORPORA.includes(probe));
    const rows = probes.map((probe) => [
      prose(probe),
      ...names.map((name) => effectOf(byFormat[name][probe])),
    ]);
    const corpora = Object.entries(byFormat).map(([name, seen]) => [
      code(name),
      ...CORPORA.map((corpus) => effectOf(seen[corpus])),
    ]);
    return [
      `### ${loader}`,
      table(['records with', ...names.map(code)], rows),
      table(['records as', ...CORPORA], corpora),
    ];
  });
}

const CORPORA = ['the corpus', 'the corpus without contents in parts'];

const effectOf = (changes) => prose(changes.length === 0 ? 'as written' : changes.join('; '));
