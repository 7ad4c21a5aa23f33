// Generates docs/reference/formats.md: every format of the registry, with its rules and the record that it writes for the example of the dialect
// `exchange`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { consumersTable, loadersBlocks, readExpected, trainersTable } from './consumers.mjs';
import { built, code, fenced, findingsList, page, prose, table } from './markdown.mjs';
import { Missing } from './missing.mjs';
import { workedExample } from './worked-example.mjs';

const DIALECT = 'exchange';
const THOUGHT = 'Warm and dry: lay it.';

export async function formatsPage(root) {
  const { formats } = await built(root, 'transforms/formats/index.js');
  const { consumerRules } = await built(root, 'transforms/consumers/consumer-rules.js');
  const { templateParts } = await built(root, 'transforms/consumers/templates.js');
  const { sessionReasons } = await built(root, 'transforms/formats/format-rules.js');
  const { input } = await workedExample(root, { dialect: DIALECT, format: 'chat' });
  const expected = readExpected(root);
  const sections = await Promise.all(
    formats.map(async (format) => [
      ...(await section(root, format, sessionReasons, consumerRules)),
      ...consumersTable(expected, format.name),
    ]),
  );
  return page('Formats', [
    '`--format NAME` chooses how records are written. Each format is one file in [transforms/formats](../../transforms/formats). Repeat `--format` for several: one pass writes each into its own folder, `data/NAME/`. `turnmill check --target NAME` reports for each record what the consumer of a format would drop, alter or refuse; `build` counts what it refuses.',
    table(
      ['format', 'a record', 'reasoning'],
      await Promise.all(
        formats.map(async ({ name, summary }) => [
          `[${code(name)}](#${name})`,
          prose(summary),
          await reasoningIn(root, name),
        ]),
      ),
    ),
    'The last column shows the default, `--reasoning keep`; `last`, `drop` and `inline` change it for every format ([reasoning](../cleaning.md#reasoning)). [Formats in detail](format-details.md) has the exact rules of each format.',
    trainersTable(formats),
    'Each format has rules for what it cannot represent. A rule reports a finding; `--on-finding RULE=reject` rejects the session instead. Some rules reject by default ([rejections.md](rejections.md)); `--on-finding RULE=keep` writes the record anyway.',
    `All examples below are built from this log entry, [${input}](../../${input}):`,
    fenced(readFileSync(join(root, input), 'utf8')),
    'If the consumers of a format can be run, its last table shows what they do to the records of a large corpus. `npm run test:loaders` runs the consumers themselves; for OpenAI, it applies the documented rules. Consumers that parse JSON in Python change numbers and keys: 18.50 becomes 18.5.',
    ...sections.flat(),
    '## Chat templates',
    'Chat templates refuse some records, and drop parts of others. The table lists such parts, each with the templates of TRL 1.16 that refuse or drop it. It leaves out the templates for training. `npm run test:loaders` renders each part with each template. `check --target` names the parts of a record and the templates (`reader-template-refuses`, `reader-template-drops`); so many drop reasoning that it has a rule of its own. The last rows are about templates that are not in TRL: those of Mistral and Kimi K2, which use the ids of calls, and those of axolotl 0.19, which gives a template only the members that it finds in its text ([details](format-details.md#openai-trl-axolotl)). idefics3, llava_next and smolvlm need every content to be a list of parts. The preprocessor of ms-swift 4.6 keeps only `role`, `content` and calls of a message, and skips a record in which another message has no content or an unknown role; its templates also refuse a system message that is not the first message (read in their source, not tried).',
    table(
      ['a record with', 'is refused by', 'loses that, or has it changed, by'],
      Object.entries(templateParts).map(([part, { refuse = '', change = '' }]) => [
        prose(part),
        listed(refuse),
        listed(change),
      ]),
    ),
    '## Loaders with columns',
    '`load_dataset("OUT")` of the package `datasets` opens a dataset without further arguments, also with `streaming=True`; with several formats, `load_dataset("OUT", "trl")`. The card, which is the `README.md` of the dataset, names the shards of each format and the types of their columns, so that records of one day are neither typed by those of another nor filled with nulls. A column that a record does not have is null, such as `parallel_tool_calls` of `openai`. Shards packed with zstd need the package `zstandard`, which `datasets` does not install.',
    table(
      ['format', '`datasets` 4.7 or newer', 'older versions'],
      [
        ['`sharegpt`, `functiongemma`, `functiongemma-teaching`', 'as written', 'as written'],
        [
          '`prompt`',
          'as written; if all completions of a block of 10 MB look like times, they change if one of another block reads as JSON (`42`)',
          'as written; refused if all completions of a block look like times',
        ],
        [
          '`trl`, `openai`, `chat`, `chat-inline` with `--arrow-safe`',
          'as written, with nulls for members that only other messages have',
          'the same; refused if a message has parts, or objects other than calls',
        ],
        [
          '`trl`, `openai`, `chat`, `chat-inline`, `axolotl`, `atif`, `sts`, `samples`',
          'as written, but for numbers in objects: rounded to 10 decimal places (`1e-12` becomes 0), refused if they are whole and have more than 64 bits',
          'refused',
        ],
      ],
    ),
    'Versions before 4.7 have no type for JSON, and refuse a whole dataset if a column of any of its formats needs it; `--meta` adds such a column, except where it is a text. The card says so. TRL 1.16 needs 4.7, and axolotl 0.19 has 4.8.4; LLaMA-Factory 0.9.5 has at most 4.0.0, so build `sharegpt` into a folder of its own. If the shards are named, the card is not read: `load_dataset("json", data_files="OUT/data/sharegpt/*.jsonl")`.',
    '`--arrow-safe` keeps all numbers, and is the default of `axolotl` only: other consumers need objects. TRL 1.16 parses `tools` from a text, but no arguments; MLX-LM passes both to the template as they are; the API of OpenAI needs a list of tools, and Harbor objects. `check --target` counts the numbers that the loader would change (`reader-numbers`).',
    'Other readers do not read the card and guess types too, so name the columns. In DuckDB they are JSON ([publishing](../publish.md#parquet)). In polars a column is a text: `polars.read_ndjson(shard, schema={"messages": polars.String, "tools": polars.String})` has the JSON of its values. pyarrow has a type for JSON, but its reader cannot fill it: with an explicit schema of texts it reads `prompt` and `functiongemma`, and for the others there is the Parquet file of DuckDB.',
    'The rest of this section is about shards that are named without a schema. `load_dataset("json")` of the package `datasets` changes records, both in a version with a JSON type and in an older one. Both guess a type for every column from its values, inside arguments too; `--arrow-safe` writes `tools` and `arguments` as strings, so that there is nothing to guess. Content that is text in some records and parts in others is still a column of two types.',
    ...loadersBlocks(expected),
  ]);
}

async function section(root, format, reasons, consumerRules) {
  const { name, summary, rules, needsAnswer, otherContent, options, context } = format;
  const { input, records, findings } = await workedExample(root, { dialect: DIALECT, format: name });
  const nameless = rules.filter((rule) => reasons[rule] === undefined);
  if (nameless.length > 0)
    throw new Missing(
      `transforms/formats/${name}.ts reports ${nameless.join(', ')}: say what it means in its ownRules`,
    );
  const meanings = rules.map((rule) => [code(rule), prose(reasons[rule])]);
  return [
    `## ${name}`,
    prose(summary),
    `${code(`turnmill build ${input} --format ${name} --out -`)} writes:`,
    fenced(records.join('\n')),
    ...findingsList(findings),
    ...(rules.length > 0 ? [table(['rule', 'when'], meanings)] : []),
    prose(`A content that is a number, an object or a boolean ${otherContent}.`),
    ...(context === undefined
      ? []
      : [prose(`With --copies mark, ${context.meaning} ([copies](../copies.md#mark)).`)]),
    ...(needsAnswer ? ['It needs an answer: `no-answer` rejects the session by default.'] : []),
    ...optionTable(options),
    ...readerTable(name, consumerRules),
  ];
}

/** Says where a record of the format has the reasoning of the example's last message. */
async function reasoningIn(root, format) {
  const { records } = await workedExample(root, { dialect: DIALECT, format });
  const text = records.join('\n');
  if (text.includes(`"reasoning_content":"${THOUGHT}"`)) return '`reasoning_content`';
  return text.includes(THOUGHT) ? 'in front of the text' : 'left out';
}

/** A table of the options of a format. Defaults are shown, except for options that read a file: the example shows those. */
function optionTable(options) {
  const rows = Object.entries(options).map(([name, { describe, default: value, choices, fromFile }]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const values = choices === undefined ? '' : ` (${choices.join(', ')})`;
    const shown = fromFile
      ? 'as in the example above'
      : typeof value === 'boolean'
        ? value
          ? 'on'
          : 'off'
        : value;
    return [code(flag), prose(`${describe}${values}`), prose(shown)];
  });
  return rows.length > 0 ? [table(['option', 'what it does', 'default'], rows)] : [];
}

const listed = (names) => names.replaceAll(' ', ', ');

/** A table of the rules that `turnmill check --target` applies in addition to those of the format itself. */
function readerTable(name, consumerRules) {
  const rows = consumerRules
    .filter(({ formats }) => formats.includes(name))
    .map(({ name: rule, effect, problem, refusal }) => [
      ...[code(rule), effect, prose(`The record or a message ${problem}.`)],
      refusal === undefined ? '' : prose(refusal.remedy),
    ]);
  return rows.length > 0 ? [table(['`check --target`', 'its consumer', 'when', 'what to do'], rows)] : [];
}
