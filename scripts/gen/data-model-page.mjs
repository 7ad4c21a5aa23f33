// Generates docs/contributing/data-model.md: the kinds of elements with their fields and comments, from the text of transforms/model/element.ts, and the
// stages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { built, code, page, prose, table } from './markdown.mjs';
import { Missing } from './missing.mjs';

const SOURCE = 'transforms/model/element.ts';
const DECLARATION = /^export (interface|type) (\w+)/;
const FIELD = /^ {2}readonly (\w+\??): (.+);$/;

export async function dataModelPage(root) {
  const lines = readFileSync(join(root, SOURCE), 'utf8').split('\n');
  const { about, declarations } = parse(lines);
  const elements = declarations.filter(({ kind }) => kind !== undefined);
  const rest = declarations.filter(({ kind, name }) => kind === undefined && !isUnion(name));
  if (elements.length < 5 || rest.length < 3)
    throw new Error(`${SOURCE}: most of the declarations were not recognised`);
  return page('The data model', [
    `From [${SOURCE}](../../${SOURCE}). ${about}`,
    table(
      ['kind', 'what it is'],
      elements.map(({ kind, name, doc }) => [`[${code(kind)}](#${name.toLowerCase()})`, firstSentence(doc)]),
    ),
    '[architecture.md](architecture.md) lists which stage emits and takes each kind.',
    '## Stages',
    'In their order. The library has each as a function that returns a stream ([library.md](../library.md#your-own-pipeline)); `turnmill list stages` shows their options. Elements of other kinds pass through.',
    await stagesTable(root),
    '## Elements',
    ...elements.flatMap(section),
    '## What they hold',
    ...rest.flatMap(section),
  ]);
}

async function stagesTable(root) {
  const { stages } = await built(root, 'transforms/chain.js');
  const { placedStages } = await built(root, 'transforms/stages/index.js');
  const { SETTINGS } = await built(root, 'src/settings/table.js');
  for (const { name, after, options } of placedStages) {
    const path = `transforms/stages/${name}.ts`;
    if (!stages.some((stage) => stage.name === name))
      throw new Missing(`${path} follows '${after}', which is not a stage: name one of turnmill list stages`);
    const unset = Object.keys(options).filter((option) => !Object.hasOwn(SETTINGS, option));
    if (unset.length > 0)
      throw new Missing(
        `${path} has the option ${unset.join(', ')}: add a setting with that name to src/settings/conversion-settings.ts`,
      );
  }
  return table(
    ['stage', 'takes', 'what it does'],
    stages.map(({ name, takes = 'record', summary }) => [code(name), code(takes), prose(summary)]),
  );
}

const isUnion = (name) => ['StreamElement', 'Kind', 'ElementOf'].includes(name);
const firstSentence = (doc) => doc.split(/(?<=[.?!]) /)[0];

function section({ name, doc, fields, alias }) {
  const blocks = [`### ${name}`, doc];
  if (alias !== undefined) blocks.push(code(alias));
  if (fields.length > 0) {
    const rows = fields.map((field) => [code(field.name), code(field.type), field.doc]);
    blocks.push(table(['field', 'type', ''], rows));
  }
  return blocks.filter((block) => block !== '');
}

/** Returns the comment of the file and its exported declarations, in order. */
function parse(lines) {
  const declarations = [];
  let about;
  let doc = '';
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    if (/^\s*\/\*\*/.test(line)) {
      const end = lines.findIndex((other, i) => i >= at && other.includes('*/'));
      doc = commentText(lines.slice(at, end + 1));
      about ??= doc;
      at = end;
      continue;
    }
    const declared = DECLARATION.exec(line);
    const field = FIELD.exec(line);
    if (declared !== null) declarations.push(declaration(declared[2], doc, line));
    else if (field !== null) addField(declarations.at(-1), field, doc);
    doc = '';
  }
  return { about, declarations };
}

function declaration(name, doc, line) {
  const alias = /^export type \w+ = (.+);$/.exec(line)?.[1];
  return { name, doc, fields: [], alias, kind: undefined };
}

function addField(declared, [, name, type], doc) {
  if (name === 'kind') declared.kind = type.replaceAll("'", '');
  else declared.fields.push({ name, type, doc });
}

function commentText(lines) {
  return lines
    .map((line) => line.replace(/^\s*(\/\*\*|\*(?!\/))\s?/, '').replace(/\s*\*\/\s*$/, ''))
    .join(' ')
    .trim();
}
