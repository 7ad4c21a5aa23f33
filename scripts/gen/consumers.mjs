// Tables of how consumers treat the records of a format, for docs/formats.md: from test/loaders/expected.json, which `npm run test:loaders`
// compares with the consumers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { code, prose, table } from './markdown.mjs';

const EFFECTS = ['refuses', 'drops', 'changes', 'takes'];
/** Which trainer reads which format; an unknown format stops the generator. */
const TRAINERS = [
  ['OpenAI fine-tuning', 'openai', '`--reasoning drop`: the check of a file knows no `reasoning_content`.'],
  [
    'TRL, Unsloth',
    'trl',
    'Where `load_dataset` is older than its type for JSON: `--arrow-safe`, and make objects of `arguments` again before the chat template.',
  ],
  ['MLX-LM', 'trl', 'It passes messages unchanged to the chat template, and most templates need objects.'],
  ['axolotl', 'axolotl', '`type: chat_template`.'],
  ['LLaMA-Factory', 'sharegpt', '`formatting: sharegpt`, with the columns `system` and `tools`.'],
  ['FunctionGemma', 'functiongemma', 'A `text` field; `--prompt-completion` for two.'],
];

export function readExpected(root) {
  return JSON.parse(readFileSync(join(root, 'test/loaders/expected.json'), 'utf8'));
}

/** Which format for which trainer. */
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

/** A table of what each consumer of a format does, for formats with tested consumers. */
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

/** How loaders with typed columns change records, with and without `--arrow-safe`. */
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
