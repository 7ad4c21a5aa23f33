// docs/formats.md: what a record can look like, from the registry of formats.
import { built, code, page, prose, table } from './markdown.mjs';

export async function formatsPage(root) {
  const { formats } = await built(root, 'transforms/formats/index.js');
  return page('Formats', [
    'What a record looks like is chosen with `--format NAME`. One file each in [transforms/formats](../transforms/formats).',
    table(
      ['format', 'a record', 'rules'],
      formats.map(({ name, summary, rules }) => [code(name), prose(summary), rules.map(code).join(', ')]),
    ),
    'A rule names what the format cannot represent as it is. It is reported as a finding; `--on-finding RULE=reject` rejects the session instead. What cannot be written at all rejects it without being asked.',
  ]);
}
