/** Micro benchmarks of the search for secrets: in the lines of a log, and in texts that are made to take long. */
import { parseRules } from '../../src/settings/redaction-rules.ts';
import { RULES } from '../../transforms/redaction/rules.ts';
import { SecretScan } from '../../transforms/redaction/scan.ts';
import { type MicroCase, sample } from './job.ts';

const HOSTILE_BYTES = 1_000_000;
const BEGIN = ['-----BEGIN', 'PRIVATE KEY-----'].join(' ');
const STARTS = [
  '@',
  'a@a.',
  '4539 ',
  'DE89',
  '://a:',
  'Bearer a1',
  'password=',
  '\\\\n',
  '-eyJ',
  '.eyJ',
  BEGIN,
];
const OWN_RULES = ['acme_[a-z]*1', 'acme_.*1', 'acme_[a-z]+\\.[a-z]+', 'acme_(?:live|test)_[a-z]{20,200}1'];

const repeated = (text: string): Buffer =>
  Buffer.from(text.repeat(Math.ceil(HOSTILE_BYTES / text.length)).slice(0, HOSTILE_BYTES));

const findCase = (name: string, scan: SecretScan, texts: readonly Uint8Array[]): MicroCase => ({
  name,
  bytes: texts.reduce((sum, { length }) => sum + length, 0),
  items: texts.length,
  run: () => texts.reduce((found, text) => found + scan.find(text).length, 0),
});

export const redactionCases = (): readonly MicroCase[] => {
  const scan = new SecretScan(RULES);
  const anchors = RULES.flatMap(({ forms }) => forms.flatMap((form) => form.anchors));
  const signed = anchors.map((anchor) => `${anchor}=`);
  const own = OWN_RULES.map((pattern) => {
    const toml = `[[rule]]\nname = "acme"\nanchor = "acme_"\npattern = '${pattern}'`;
    const { rules } = parseRules(toml, (problem) => {
      throw new Error(problem);
    });
    return findCase(`1 MB of the anchor of ${pattern}`, new SecretScan(rules.slice(-1)), [repeated('acme_')]);
  });
  return [
    findCase('secrets in lines of a log', scan, sample().lines),
    findCase('1 MB of each anchor', scan, [...new Set([...anchors, ...signed, ...STARTS])].map(repeated)),
    findCase('1 MB of a key that never ends', scan, [Buffer.from(`${BEGIN}${'A'.repeat(HOSTILE_BYTES)}`)]),
    ...own,
  ];
};
