// docs/dialects.md: which logs are read, from the registry of dialects; each with its example and what comes of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { built, code, fenced, findingsList, page, prose, table } from './markdown.mjs';
import { workedExample } from './worked-example.mjs';

export async function dialectsPage(root) {
  const { dialects } = await built(root, 'transforms/dialects/index.js');
  const sections = await Promise.all(dialects.map((dialect) => section(root, dialect)));
  return page('Dialects', [
    'How a family of logs is read. `--dialect auto`, the default, looks at the first line of each source that is not blank; `--dialect NAME` reads all of them in one way. One file each in [transforms/dialects](../transforms/dialects), one example each in [examples/dialects](../examples/dialects).',
    table(
      ['dialect', 'reads'],
      dialects.map(({ name, summary }) => [`[${code(name)}](#${name})`, prose(summary)]),
    ),
    ...sections.flat(),
    'The exact rules of each dialect: [dialects in detail](dialect-details.md). What the formats make of such a conversation: [formats.md](formats.md).',
  ]);
}

/** A sentence about members that are not reported as missing. */
function lacking({ lacks = [] }) {
  return lacks.length === 0
    ? []
    : [`These logs never have ${lacks.join(' or ')}, so no finding says that they are missing.`];
}

async function section(root, plugIn) {
  const { name: dialect, summary, knownBy } = plugIn;
  const { input, records, findings, rewrites } = await workedExample(root, { dialect, format: 'chat' });
  const source = readFileSync(join(root, input), 'utf8');
  return [
    `## ${dialect}`,
    prose(summary),
    ...(knownBy === undefined ? [] : [`Known by: ${prose(knownBy)}.`]),
    ...lacking(plugIn),
    `[${input}](../${input}):`,
    fenced(source, input.endsWith('.json') ? 'text' : input.slice(input.lastIndexOf('.') + 1)),
    `${code(`turnmill build ${input} --out -`)} writes:`,
    fenced(records.join('\n')),
    ...rewritesLine(rewrites),
    ...findingsList(findings),
  ];
}

/** How often each rule changed something. */
function rewritesLine(rewrites) {
  const counts = Object.entries(rewrites).map(([rule, count]) => `${code(rule)} ${count}`);
  return counts.length > 0 ? [`It counts what it changed: ${counts.join(', ')}.`] : [];
}
