// Generates docs/contributing/faults.md: the identities of the ledger, every fault of the matrix, and the tests that name it. Throws if a fault has
// neither a test nor a reason, if it has both, or if the matrix has no such id.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { code, page, prose } from './markdown.mjs';

const IDENTITIES = [
  [
    'I1',
    'Bytes of a source after decompression = byte order mark + content of lines + line ends + abandoned bytes. Bytes of a file = its size when it was opened; of a packed file = members + padding + trailing data.',
  ],
  ['I2', 'Lines = the sum of their fates. A physical line that holds several objects counts once for each.'],
  [
    'I3',
    'Entries = `snapshot` + `superseded` + `truncated` + `dropped:RULE` + `rejected:REASON` of their session.',
  ],
  ['I4', 'Sessions seen = written + rejected + empty; in each format, written = with a record + refused.'],
  [
    'I5',
    'Records written = records counted in the shards that were read back = records in the manifest; the SHA-256 and size of each file are those of the manifest.',
  ],
  ['I6', 'Sources listed = read + empty + rejected + limited + skipped.'],
  ['I7', 'Tool definitions seen = kept + dropped as equal + dropped as conflicting.'],
  ['I8', 'Every message that was changed is counted under the rule that changed it.'],
];
const LATER = 'J';
/** `F070`, `F070-F074`. */
const IDS = /\b([FS]\d{3})(?:-([FS]\d{3}))?\b/g;
/** Matches a test declaration up to its function; the `)` is for `it.each(table)(name`. */
const TEST =
  /(?:\b(?:it|test|describe|faultTest)|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1([\s\S]*?)(?:=>|\bfunction\b|$)/g;

export function faultsPage(root) {
  const sections = readMatrix(root);
  const ids = sections.flatMap(({ faults }) => faults.map(([id]) => id));
  const reasons = new Map(entriesOf(read(root, 'test/faults/not-applicable.ts')));
  const tests = testsById(root, ids);
  const status = (section, id) => {
    const found = tests.get(id) ?? [];
    if (found.length > 0) return found.every(({ long }) => long) ? 'pass (long)' : 'pass';
    if (reasons.has(id)) return 'not applicable';
    return section === LATER ? 'later' : undefined;
  };
  throwIfAny(
    'faults with neither a test nor a reason in test/faults/not-applicable.ts',
    sections.flatMap(({ letter, faults }) =>
      faults.map(([id]) => id).filter((id) => status(letter, id) === undefined),
    ),
  );
  throwIfAny(
    'faults with both a test and a reason in test/faults/not-applicable.ts',
    [...reasons.keys()].filter((id) => tests.has(id)),
  );
  throwIfAny(
    'ids that test/faults/matrix.ts does not list',
    [...reasons.keys(), ...tests.keys()].filter((id) => !ids.includes(id)),
  );
  return page('The faults that turnmill survives', [
    'Code and tests refer to faults and identities by id; this page defines all of them.',
    '## The identities of the ledger',
    'They hold exactly for every run. They are checked before anything is published, and again by `turnmill verify`. If one does not hold, the run exits with 70 and publishes nothing.',
    IDENTITIES.map(([id, text]) => `- **${id}** ${text}`).join('\n'),
    '## How faults are tested',
    '`pass`: tested by `npm test` or `npm run test:faults:quick`; `pass (long)`: tested by `npm run test:faults`. Every test proves that its fault occurred. A test that needs something the machine does not have is skipped and counted; with `FAULTS=strict` it fails.',
    ...sections.flatMap(({ letter, title, faults }) => [
      `## ${letter}. ${title}`,
      // A list, because changing one row of a table would realign all rows and cause merge conflicts.
      faults
        .map(([id, fault]) => {
          const why = reasons.has(id) ? prose(reasons.get(id)) : proof(tests.get(id) ?? []);
          return `- **${id}** ${prose(fault)}: **${status(letter, id)}**${why && ` ${why}`}`;
        })
        .join('\n'),
    ]),
  ]);
}

const read = (root, path) => readFileSync(join(root, path), 'utf8');

/** Parses entries such as `F001: 'text',`. */
function entriesOf(text) {
  return [...text.matchAll(/^\s+([FS]\d{3}):\s+(['"])(.*)\2,$/gm)].map(([, id, , line]) => [
    id,
    line.replaceAll("\\'", "'"),
  ]);
}

function readMatrix(root) {
  const [, ...parts] = read(root, 'test/faults/matrix.ts').split(/^ {2}'(?=[A-Z] )/m);
  return parts.map((part) => {
    const [, letter, title] = /^([A-Z]) ([^']+)'/.exec(part);
    return { letter, title, faults: entriesOf(part) };
  });
}

/** Maps each id to the files with tests that name it, and to whether all of those tests are long. */
function testsById(root, ids) {
  const tests = new Map();
  const slow = slowFiles(root);
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .sort();
  for (const file of files) {
    for (const [, , name, options] of read(root, `test/${file}`).matchAll(TEST)) {
      for (const id of idsIn(name, ids)) {
        const found = tests.get(id) ?? [];
        tests.set(id, found);
        const long = slow.has(file) || /\blong: true\b/.test(options);
        const entry = found.find((other) => other.file === file);
        if (entry === undefined) found.push({ file, long });
        else entry.long &&= long;
      }
    }
  }
  return tests;
}

/** Returns the files that only `npm run test:faults` runs; vitest.config.ts lists them. */
function slowFiles(root) {
  const [, list] = /SLOW_FAULTS = \[([^\]]*)\]/.exec(read(root, 'vitest.config.ts'));
  return new Set([...list.matchAll(/'([\w-]+)'/g)].map(([, name]) => `faults/${name}.test.ts`));
}

function idsIn(name, ids) {
  return [...name.matchAll(IDS)].flatMap(([, from, to]) =>
    to === undefined ? [from] : ids.filter((id) => id >= from && id <= to),
  );
}

const proof = (found) =>
  found.map(({ file, long }) => `${code(`test/${file}`)}${long ? ' (long)' : ''}`).join(', ');

function throwIfAny(problem, ids) {
  if (ids.length > 0) throw new Error(`${problem}: ${ids.join(', ')}`);
}
