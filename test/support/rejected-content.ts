/** Log entries that a format rejects or reports, and a build of a few files. */
import { type Built, buildLogs, entryLine as entry, USER as user } from './build-logs.ts';

export const build = (
  files: Readonly<Record<string, string | Buffer>>,
  args: readonly string[] = [],
): Promise<Built> => buildLogs({ files }, args);

export const call = (id: string, args: unknown = '{}', name = 'f'): object => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
export const calls = (...tool_calls: unknown[]): object => ({ role: 'assistant', content: null, tool_calls });
export const result = (id: string, content: string): object => ({ role: 'tool', tool_call_id: id, content });
export const withMessages = (...messages: unknown[]): string => entry({ messages });

interface Inexpressible {
  readonly rule: string;
  readonly format: string;
  readonly log: string;
  /** Does the rule reject by default? */
  readonly rejects?: true;
  /** Options of the format. */
  readonly args?: readonly string[];
}

/** Content that a format cannot represent. */
export const inFormats: readonly Inexpressible[] = [
  {
    rule: 'arguments-not-json',
    format: 'openai',
    log: withMessages(user, calls(call('a', '{')), result('a', '1')),
  },
  {
    rule: 'arguments-not-object',
    format: 'trl',
    log: withMessages(user, calls(call('a', '[]')), result('a', '1')),
    rejects: true,
  },
  {
    rule: 'empty-arguments',
    format: 'axolotl',
    log: withMessages(user, calls(call('a', '')), result('a', '1')),
  },
  ...['openai', 'trl', 'axolotl'].map((format) => ({
    rule: 'no-answer',
    format,
    log: entry({ reply: { role: 'assistant', content: '', reasoning_content: 'hm' } }),
    rejects: true as const,
  })),
  { rule: 'tool-not-function', format: 'openai', log: entry({ tools: [{ type: 'web_search' }] }) },
  ...['openai', 'trl', 'axolotl', 'sharegpt'].map((format) => ({
    rule: 'unknown-role',
    format,
    log: withMessages(user, { role: 'session_meta', content: 'x' }),
    rejects: true as const,
    args: format === 'sharegpt' ? ['--on-finding', 'not-alternating=keep'] : [],
  })),
  {
    rule: 'malformed-call',
    format: 'sharegpt',
    log: withMessages(user, calls(call('a'), {}), result('a', '1')),
    rejects: true,
  },
  { rule: 'members-dropped', format: 'sharegpt', log: withMessages({ ...user, name: 'x' }) },
  { rule: 'messages-merged', format: 'sharegpt', log: withMessages(user, user) },
  {
    rule: 'not-alternating',
    format: 'sharegpt',
    log: withMessages({ role: 'assistant', content: 'first' }, user),
    rejects: true,
  },
  {
    rule: 'control-token-in-content',
    format: 'sharegpt',
    log: withMessages(user, calls(call('a', '{"a":"<tool_call>"}')), result('a', '1')),
    rejects: true,
  },
  {
    rule: 'reasoning-inlined',
    format: 'sharegpt',
    log: entry({ reply: { role: 'assistant', content: 'a', reasoning_content: 'hm' } }),
  },
  {
    rule: 'results-reordered',
    format: 'sharegpt',
    log: withMessages(user, calls(call('a'), call('b', '{"b":1}')), result('b', '1'), result('a', '1')),
  },
  {
    rule: 'unanswered-end',
    format: 'sharegpt',
    log: entry({ messages: [user, { role: 'assistant', content: 'a' }, user], reply: null }),
  },
  { rule: 'calls-inlined', format: 'samples', log: withMessages(user, calls(call('a'))) },
  {
    rule: 'content-not-text',
    format: 'samples',
    log: withMessages({ role: 'user', content: '' }),
    rejects: true,
  },
  { rule: 'no-messages', format: 'samples', log: entry({ messages: [], reply: null }), rejects: true },
  {
    rule: 'not-toml',
    format: 'samples',
    log: withMessages({ ...user, weight: { of: null } }),
    rejects: true,
    args: ['--as', 'toml'],
  },
  {
    rule: 'parts-joined',
    format: 'samples',
    log: withMessages({ role: 'user', content: [{ type: 'text', text: 'x' }] }),
  },
];
