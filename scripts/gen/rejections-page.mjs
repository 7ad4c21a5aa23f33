// Generates docs/reference/rejections.md: everything that can exclude a line, a session or a source, everything that can change it, and everything
// that is only reported.
import { built, code, page, prose, table, unionMembers } from './markdown.mjs';

const FATES = [
  ['blank', 'It contains only white space.'],
  ['snapshot', 'Its conversation is in a record.'],
  ['superseded', 'An earlier entry of a session that has a record.'],
  ['truncated', 'An entry after the one that made the record, with fewer messages.'],
  [
    'folded',
    'A line of an event log, part of a conversation that begins in an earlier line and is in a record.',
  ],
  ['dropped:RULE', 'A cleanup rule dropped the whole entry, or the dialect dropped the line.'],
  [
    'dropped:contained',
    'Its conversation lies inside the record of another one, and `--copies drop` or `mark` is set ([copies.md](../copies.md)).',
  ],
  ['dropped:not-selected', 'Its session is not one of those that `--only` lists.'],
  ['rejected:REASON', 'The line, its session or its source was rejected.'],
];
const LOOKS_AT = { message: 'a message', pair: 'a message and the next one', entry: 'an entry' };
const SCOPES = [
  ['line', 'Why a line is rejected', 'The line goes to quarantine; its session continues without it.'],
  [
    'session',
    'Why a session is rejected',
    'All its entries go to quarantine; other sessions are not affected.',
  ],
  ['source', 'Why a source is rejected', 'Nothing in the source counts; other sources are not affected.'],
];

export async function rejectionsPage(root) {
  const { SKIP_MEANINGS } = await built(root, 'src/input/sources/skip-reasons.js');
  const { catalogue } = await built(root, 'src/cli/catalogue.js');
  const { rules } = await built(root, 'transforms/rules/index.js');
  const { ruleSets } = await built(root, 'transforms/stages/cleanup.js');
  const { dialects } = await built(root, 'transforms/dialects/index.js');
  const { checks } = await built(root, 'transforms/checks/index.js');
  const { formats } = await built(root, 'transforms/formats/index.js');
  const { REMEDIES } = await built(root, 'src/ledger/remedies.js');
  const { fateWords, wordsFor } = await built(root, 'src/charts/words.js');
  const shownAs = (name) => `${code(name)}<br>${wordsFor(name)}`;
  const shownRule = (rule) =>
    wordsFor(rule) === rule.replaceAll('-', ' ') ? code(rule) : `${code(rule)} (${wordsFor(rule)})`;
  const { DROPS } = await built(root, 'transforms/model/drops.js');
  return page('Fates, rejections, rules and findings', [
    'Every line of the input has exactly one fate. `turnmill explain FILE:LINE` says which.',
    table(
      ['fate', 'shown as', 'what became of the line'],
      FATES.map(([name, text]) => [code(name), fateWords(name), prose(text)]),
    ),
    'The names are those in the files, for options and for `--json`; summaries, the report and the viewer show the words.',
    '## Why a dialect drops a line',
    'Counted as `dropped:NAME`; it is not part of any conversation.',
    table(['name', 'when'], named(Object.entries(DROPS))),
    ...SCOPES.flatMap(([scope, title, effect]) => {
      const reasons = catalogue.reasons.filter((reason) => reason.scope === scope);
      const rows = reasons.map(({ name, summary }) => [shownAs(name), prose(summary), REMEDIES[name]]);
      return [`## ${title}`, effect, table(['reason', 'when', 'what to do'], rows)];
    }),
    '## Why a file is skipped when the sources are listed',
    table(['reason', 'when'], named(Object.entries(SKIP_MEANINGS))),
    '## Cleanup rules',
    `Each change is counted by rule. Sets: ${setsOf(ruleSets)}. The default, \`auto\`, also has the rules of the client whose log is read: ${clientsOf(dialects)}. \`--no-cleanup\` turns all off.`,
    table(
      ['rule', 'looks at', 'does'],
      rules.map(({ name, on, summary }) => [code(name), LOOKS_AT[on], prose(summary)]),
    ),
    'Two changes are part of the conversion and always apply: `developer-role` (role `developer` becomes `system`) and `null-fields` (members of a message whose value is `null` are dropped). The dialect `astracodex` counts its changes to the texts of old chats: `think-block`, `leaked-header`, `recovered-call`, `stripped-block` (a tool block without a readable call), `dropped-retrigger` and `extra-newlines` ([details](dialects-of-conversations.md#astracodex)). Event logs count `sealed-reasoning` (messages with reasoning that only its provider can read; `--reasoning keep-sealed` keeps it as `reasoning_details`) and `empty-assistant` (empty answers, which are left out); `claude-code` and `cline` count `interrupt-mark` (marks of an interruption beside the result of a tool or at the end of an answer, left out); `codex` counts `unwrapped-output` (results wrapped as JSON with metadata) and `observation-as-user` (messages of other agents that the log has as answers); `atif` counts `system-step` (later system messages, as user messages), `observation-as-user` (results without a call) and `not-by-model` (steps not made by a model, left out). `--system-text` and `--tool-definitions` count `system-supplied` and `tools-supplied`. `--max-part` counts `part-too-big` (messages with an image, a recording or a file that became a text with its SHA-256). `reasoning-name` counts the messages whose reasoning had another name than `reasoning_content`, and `empty-reply` those that are only a thought and are left out. `--reasoning` counts `reasoning-dropped` and `reasoning-inlined`.',
    '## Repairs',
    'Repairs that make a source or a line readable, counted for each source in the ledger and in the summary:',
    table(['repair', 'what it repairs'], named([...repairNames(root), ...FRAMING_REPAIRS])),
    '## Integrity checks',
    'They report to `reports/integrity.jsonl` and never change data or stop a run. `--no-integrity` turns them off.',
    table(
      ['check', 'finds', 'rules'],
      checks.map((check) => [
        code(check.name),
        prose(check.summary),
        check.rules.map((rule) => shownRule(rule)).join(', '),
      ]),
    ),
    'Reported when the results of all sources are combined: `session-in-parts` (WARNING), a session that also has entries in an earlier source; `copied-history` (WARNING), a conversation of `claude-code` whose first message is in an earlier source too; `split-empty` (WARNING), a split without a record ([splits](../publish.md#splits)).',
    'Rules of the formats:',
    table(
      ['format', 'rules'],
      formats
        .filter((format) => format.rules.length > 0)
        .map((format) => [code(format.name), format.rules.map(code).join(', ')]),
    ),
  ]);
}

/** Repairs counted by the framing of a source. */
const FRAMING_REPAIRS = [
  ['bom', 'A byte order mark at the start of the source was removed.'],
  ['crlf', 'Lines ended with CR LF.'],
  ['no-final-newline', 'The last line had no line feed.'],
  ['wrong-extension', 'The file name did not match the compression.'],
];
/** The meanings of the type RepairName. A name without a meaning stops the generator. */
const REPAIR_MEANINGS = {
  'split-objects': 'A line contained several objects; each counts as a separate line.',
  'json-document': 'A source named like JSON lines is a single JSON document.',
  'reply-role': 'A reply had no role and was given the role `assistant`.',
  'nul-prefix': 'NULs before or after the objects of a line were left out.',
  'bom-prefix':
    'A byte order mark before or between the objects of a later line was left out, as joined files have it.',
  'text-prefix': 'A text before a JSON document, such as a client prints, was left out.',
  'torn-prefix':
    'The object after a torn one on the same line was read. What is left of the torn one is rejected; the two count as `split-objects` too.',
  'time-prefix': 'A time before the object of a line was left out, as exports of CloudWatch have it.',
  'bare-nan': 'A line had NaN, Infinity or -Infinity in members that are not read; they are kept.',
};

function repairNames(root) {
  const path = 'transforms/model/element.ts';
  const names = unionMembers(root, path, 'RepairName');
  const wrong = names.filter((name) => !Object.hasOwn(REPAIR_MEANINGS, name));
  if (wrong.length > 0 || names.length !== Object.keys(REPAIR_MEANINGS).length)
    throw new Error(`${path} and scripts/gen/rejections-page.mjs differ in RepairName: ${wrong.join(', ')}`);
  return names.map((name) => [name, REPAIR_MEANINGS[name]]);
}

const named = (rows) => rows.map(([name, text]) => [code(name), prose(text)]);

function clientsOf(dialects) {
  const having = dialects.filter(({ clientRules }) => clientRules !== undefined);
  return having
    .map(({ name, clientRules }) => `${clientRules.map(code).join(', ')} for ${code(name)}`)
    .join('; ');
}

function setsOf(ruleSets) {
  return [...ruleSets].map(([set, names]) => `${code(set)} (${names.map(code).join(', ')})`).join('; ');
}
