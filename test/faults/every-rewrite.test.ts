/** Every cleanup rule, from outside: the built command on real files, one case each. The last test proves that no rule is missing. */
import { describe, expect, it } from 'vitest';
import { rules } from '../../transforms/rules/index.ts';
import { entryLine as entry, USER as user } from '../support/build-logs.ts';
import { build } from '../support/rejected-content.ts';

const later = entry({ at: 30 });

describe('cleanup rules and rewrites', () => {
  const titleSystem = { role: 'system', content: 'Reply with only a description in four words or less.' };
  const titleUser = { role: 'user', content: 'Here are the first few user messages: hello' };
  const title = entry({
    messages: [titleSystem, titleUser],
    reply: { role: 'assistant', content: 'A greeting' },
  });
  const messages = [
    { role: 'system', content: 'You are a general-purpose AI agent called goose, at 8:01' },
    user,
    { role: 'assistant', content: ' \n' },
    { role: 'assistant', content: 'yes' },
    { role: 'user', content: '<info-msg>8:01</info-msg>' },
  ];
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(2 ** 20)}` } };
  const typed = (content: string): string => entry({ messages: [user, { role: 'user', content }] });
  /** Rules that are not part of the default cleanup. */
  const onDemand: readonly string[] = ['codex-context', 'session-context', 'system-reminder'];
  const cases: Readonly<Record<string, readonly [string, object]>> = {
    'goose-info': [entry({ messages }), { 'goose-info': 1 }],
    'goose-bootstrap': [entry({ messages }), { 'goose-bootstrap': 1 }],
    'empty-assistant': [entry({ messages }), { 'empty-assistant': 1 }],
    'developer-role': [entry({ messages: [{ role: 'developer', content: 'x' }] }), { 'developer-role': 1 }],
    'codex-context': [typed('<environment_context>/repo</environment_context>'), { 'codex-context': 1 }],
    'session-context': [typed('<session_context>today</session_context>'), { 'session-context': 1 }],
    'system-reminder': [typed('<system-reminder>a</system-reminder>'), { 'system-reminder': 1 }],
    'null-fields': [entry({ messages: [{ role: 'user', content: 'x', name: null }] }), { 'null-fields': 1 }],
    'part-too-big': [entry({ messages: [{ role: 'user', content: [image] }] }), { 'part-too-big': 1 }],
  };

  it.each(Object.entries(cases))('%s is counted', async (rule, [line, rewrites]) => {
    const options = onDemand.includes(rule) ? ['--cleanup', rule] : [];
    const { status, sums } = await build({ 's.jsonl': line }, options);
    expect([status, sums.rewrites]).toMatchObject([0, rewrites]);
  });

  it.each(onDemand)('%s changes nothing by default', async (rule) => {
    const [line] = cases[rule] as readonly [string, object];
    expect((await build({ 's.jsonl': line })).sums.rewrites).toEqual({});
  });

  it('goose-title drops the entry', async () => {
    const { status, sums } = await build({ 's.jsonl': `${title}\n${later}` });
    expect([status, sums.fates]).toEqual([0, { 'dropped:goose-title': 1, snapshot: 1 }]);
  });

  it('--no-cleanup leaves everything as logged', async () => {
    const { records, sums } = await build({ 's.jsonl': entry({ messages }) }, ['--no-cleanup']);
    expect(sums.rewrites).toEqual({});
    expect(records[0]).toContain(messages.map((message) => JSON.stringify(message)).join(','));
  });

  it('every rule was tested', () => {
    expect(Object.keys(cases)).toEqual(
      expect.arrayContaining(rules.map(({ name }) => name).filter((name) => name !== 'goose-title')),
    );
  });
});
