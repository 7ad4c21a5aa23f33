/**
 * F218: the shortcut reports the same about answers that later requests repeat as the stages: cut answers, and reasoning that is left out.
 * 400 generated sessions with retries, side calls and rewritten histories; 20,000 with TURNMILL_LONG=1.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { Shortcut } from '../../src/engine/shortcut.ts';
import { ShortcutResults } from '../../src/engine/shortcut-results.ts';
import type { Result } from '../../src/ledger/result.ts';
import type { TaskSettings } from '../../src/settings/settings.ts';
import { entryLine } from '../support/build-logs.ts';
import { temporaryFolder } from '../support/folder.ts';
import { LONG } from '../support/long.ts';
import { createDice, type Dice } from '../support/odd-logs/dice.ts';
import { expectSame, resultsOf } from '../support/shortcut-results.ts';

const SESSIONS = LONG ? 20_000 : 400;
const SEED = Number(process.env.TURNMILL_SEED ?? 1);

const handOut = vi.spyOn(Shortcut.prototype, 'handOut');
const handOutEach = vi.spyOn(ShortcutResults.prototype, 'handOut');
afterAll(() => void vi.restoreAllMocks());

type Said = Readonly<Record<string, unknown>>;

const REASONED = { reasoning_content: 'because' };
const ASKED: Said = { role: 'user', content: 'question' };
const NAMES = ['reasoning_content', 'thinking', 'reasoning'];
const ENDS = ['stop', 'length', 'content_filter', null];
const OWN_ENDS = ['finish_reason', 'stop_reason', 'finishReason', 'stopReason'];

function answer(dice: Dice, text: string): Said {
  const calls = [{ id: text, type: 'function', function: { name: 'f', arguments: `{"n": "${text}"}` } }];
  const reasoning = dice.chance(0.5)
    ? { [NAMES[dice.chance(0.9) ? dice.int(2) : 2] as string]: dice.chance(0.9) ? `why ${text}` : '' }
    : {};
  return {
    role: 'assistant',
    content: `answer ${text}`,
    ...reasoning,
    ...(dice.chance(0.2) && { tool_calls: calls }),
    ...(dice.chance(0.1) && { [OWN_ENDS[dice.int(4)] as string]: ENDS[dice.int(4)] }),
  };
}

/** As a client repeats it: mostly without its reasoning. */
function repeated(dice: Dice, { reasoning_content, thinking, reasoning, ...said }: Said): Said {
  if (dice.chance(0.2)) return { ...said, reasoning_content, thinking, reasoning };
  return dice.chance(0.1) ? { ...said, content: `${said.content}!` } : said;
}

function session(dice: Dice, id: string): string {
  let history: readonly Said[] = [ASKED];
  const lines: string[] = [];
  const turns = 1 + dice.int(6);
  for (let turn = 0; turn < turns; turn++) {
    const reply = answer(dice, `${turn}`);
    const log = (messages: readonly Said[], message: Said): void => {
      const response = {
        choices: [{ message, finish_reason: ENDS[dice.chance(0.7) ? 0 : dice.int(4)] }],
        ...(dice.chance(0.05) && { error: { code: 500 } }),
      };
      lines.push(entryLine({ id, at: lines.length + 1, messages, response }));
    };
    if (dice.chance(0.2)) log([{ role: 'user', content: 'title' }], answer(dice, `title ${turn}`));
    log(history, reply);
    if (dice.chance(0.2)) log(history, dice.chance(0.3) ? reply : answer(dice, `again ${turn}`));
    const results = Array.isArray(reply.tool_calls)
      ? [{ role: 'tool', tool_call_id: `${turn}`, content: 'result' }]
      : [];
    history = [...history, repeated(dice, reply), ...results, { role: 'user', content: `next ${turn}` }];
    if (dice.chance(0.05)) history = history.slice(0, 1);
    if (dice.chance(0.1)) history = history.map((said) => ({ name: 'n', ...said }));
  }
  return `${lines.join('\n')}\n`;
}

const rulesOf = (results: readonly Result[]): readonly string[] =>
  results.flatMap((one) => (one.kind === 'finding' ? [one.rule] : []));

it.each<[name: string, settings: Partial<TaskSettings>, isPacked: boolean]>([
  ['with the default settings', {}, false],
  ['in another format', { format: ['sharegpt'] }, false],
  ['with all conversations', { select: 'leaves' }, false],
  ['of many sessions in a file', { sessionBy: 'run' }, true],
])('F218: the same findings about answers that are repeated, %s', async (_name, settings, isPacked) => {
  const folder = temporaryFolder();
  const logs = Array.from({ length: SESSIONS }, (_, i) =>
    session(createDice(SEED * 1_000_000 + i, new Map()), `s${i}`),
  );
  if (isPacked) writeFileSync(join(folder, 's.jsonl'), logs.join(''));
  else for (const [i, log] of logs.entries()) writeFileSync(join(folder, `s${i}.jsonl`), log);
  handOut.mockClear();
  handOutEach.mockClear();
  const byShortcut = await resultsOf(folder, true, settings);
  const taken = isPacked ? handOutEach.mock.calls.length : handOut.mock.calls.length;
  expectSame(byShortcut, await resultsOf(folder, false, settings));
  expect(taken).toBeGreaterThan(SESSIONS / 4);
  const rules = rulesOf(byShortcut);
  for (const rule of ['reasoning-left-out', 'reply-cut', 'reply-filtered', 'response-error'])
    expect(rules.filter((found) => found === rule).length, rule).toBeGreaterThan(SESSIONS / 20);
});

it('F218: says which answers lost their reasoning, and which were cut', async () => {
  const folder = temporaryFolder();
  const first = { role: 'assistant', content: 'a' };
  const second = { role: 'assistant', content: 'b' };
  const lines = [
    {
      messages: [ASKED],
      response: { choices: [{ message: { ...first, ...REASONED }, finish_reason: 'length' }] },
    },
    { messages: [ASKED, first, ASKED], reply: { ...second, ...REASONED } },
    { messages: [ASKED, first, ASKED, { ...second, ...REASONED }, ASKED], reply: { ...first, ...REASONED } },
  ];
  writeFileSync(
    join(folder, 's.jsonl'),
    lines.map((line, i) => entryLine({ id: 's', at: i + 1, ...line })).join('\n'),
  );
  handOut.mockClear();
  const results = await resultsOf(folder, true, {});
  expect(handOut).toHaveBeenCalledTimes(1);
  const found = results.flatMap((one) => (one.kind === 'finding' ? [`${one.rule} ${one.message}`] : []));
  expect(found).toEqual([
    'reply-cut messages[1]: the answer ended at the limit of tokens',
    'reasoning-left-out messages[1]: the log has the reasoning of this answer, but a later call repeats the answer without it: it is left out',
  ]);
});
