/** The mark that Claude Code has in place of an empty text: in its log, and in the history that it sends through a proxy. */
import { describe, expect, it } from 'vitest';
import { buildLogs } from '../../../support/build-logs.ts';

const words = (text: string) => ({ type: 'text', text });
const CALL = { type: 'tool_use', id: 't1', name: 'look', input: {} };
const ask = { role: 'user', content: 'When do the plums ripen?' };
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'late' }] };
const last = { role: 'assistant', content: [words('In late August.')] };
const says = (...content: readonly object[]) => ({ role: 'assistant', content });

type Said = readonly { readonly role: string; readonly content: unknown }[];
const DIALECTS = {
  'claude-code': (messages: Said) =>
    messages.map((message, i) => ({
      ...{ type: message.role, uuid: `u${i}`, parentUuid: i === 0 ? null : `u${i - 1}`, sessionId: 's' },
      message,
    })),
  anthropic: (messages: Said) => [
    {
      request: { model: 'm', max_tokens: 9, messages: messages.slice(0, -1) },
      response: { type: 'message', ...messages.at(-1) },
    },
  ],
};

describe.each(Object.entries(DIALECTS))('the mark of an empty text in %s', (_dialect, logOf) => {
  const built = async (messages: Said) => {
    const log = logOf(messages).map((line) => JSON.stringify(line));
    const { records, findings } = await buildLogs({ files: { 'a.jsonl': `${log.join('\n')}\n` } });
    return { record: records.join(), rules: findings.map(({ rule }) => rule) };
  };

  it('is left out beside a call', async () => {
    const { record, rules } = await built([ask, says(words('(no content)'), CALL), result, last]);
    expect(record).not.toContain('no content');
    expect(record).toContain('"look"');
    expect(rules).toContain('body-placeholder');
  });

  it('is no answer', async () => {
    const { record, rules } = await built([
      ask,
      says(words('(no content)')),
      { ...ask, content: 'So?' },
      last,
    ]);
    expect(record).not.toContain('no content');
    expect(record).toContain('In late August.');
    expect(rules).toContain('body-placeholder');
  });

  it('is a text if the model says more', async () => {
    const { record, rules } = await built([
      ask,
      says(words('(no content) is what it says'), CALL),
      result,
      last,
    ]);
    expect(record).toContain('(no content) is what it says');
    expect(rules).not.toContain('body-placeholder');
  });
});
