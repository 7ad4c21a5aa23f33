// Generates docs/reference/dialects.md: every dialect of the registry, with its example and the records built from it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { built, code, fenced, findingsList, page, prose, table } from './markdown.mjs';
import { workedExample } from './worked-example.mjs';

export async function dialectsPage(root) {
  const { dialects } = await built(root, 'transforms/dialects/index.js');
  const sections = await Promise.all(dialects.map((dialect) => section(root, dialect)));
  return page('Dialects', [
    'A dialect reads one family of logs. By default (`--dialect auto`) turnmill recognises it by the first object of each source; `--dialect NAME` sets one for all sources. Each dialect is one file in [transforms/dialects](../../transforms/dialects), and has one example in [examples/dialects](../../examples/dialects).',
    table(
      ['dialect', 'reads'],
      dialects.map(({ name, summary }) => [`[${code(name)}](#${name})`, prose(summary)]),
    ),
    ...sections.flat(),
    '[formats.md](formats.md) shows how the formats write a conversation.',
  ]);
}

const DETAILS = ['dialects-of-clients.md', 'dialects-of-calls.md', 'dialects-of-conversations.md'];

/** A link to the section about a dialect on a page written by hand, if there is one. */
function detailsLink(root, name) {
  const page = DETAILS.find((file) =>
    readFileSync(join(root, 'docs/reference', file), 'utf8').includes(`\n## ${name}\n`),
  );
  return page === undefined ? [] : [`[Details](${page}#${name}).`];
}

/** A sentence about the members that are not reported as missing, if there are any. */
function lacking({ lacks = [] }) {
  // marks of loggers are not content, so their absence needs no sentence
  const missing = lacks.filter((one) => one !== 'marks');
  return missing.length === 0
    ? []
    : [`These logs never have ${missing.join(' or ')}, so no finding reports them as missing.`];
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
    ...detailsLink(root, dialect),
    `[${input}](../../${input}):`,
    fenced(source, input.endsWith('.json') ? 'text' : input.slice(input.lastIndexOf('.') + 1)),
    `${code(`turnmill build ${input} --out -`)} writes:`,
    fenced(records.join('\n')),
    ...rewritesLine(rewrites),
    ...findingsList(findings),
  ];
}

/** A sentence that says how often each rule changed something, if any did. */
function rewritesLine(rewrites) {
  const counts = Object.entries(rewrites).map(([rule, count]) => `${code(rule)} ${count}`);
  return counts.length > 0 ? [`Counted changes: ${counts.join(', ')}.`] : [];
}
