/** Metadata in the folded logs of agents. */
import { describe, expect, it } from 'vitest';
import claudeCode from '../../../transforms/dialects/claude-code.ts';
import codex from '../../../transforms/dialects/codex.ts';
import type { Dialect } from '../../../transforms/dialects/dialect.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { asBuffer, text } from '../bytes.ts';
import { lineOf } from '../log-lines.ts';

function metaIn({ create }: Dialect, lines: readonly object[]): readonly object[] {
  const reader = create();
  let offset = 0;
  const elements = lines.flatMap((json, i) => {
    const line = lineOf(JSON.stringify(json), asBuffer, i + 1, offset);
    offset += line.bytes.length + 1;
    return [...reader.read(line)];
  });
  return [...elements, ...(reader.end?.() ?? [])]
    .filter((element): element is Entry => element.kind === 'entry')
    .map(({ meta }) =>
      Object.fromEntries([...(meta ?? [])].map(([key, json]) => [key, JSON.parse(text(json))])),
    );
}

const claudeLine = (uuid: string, parentUuid: string | null, message: object, more: object = {}) => ({
  type: 'role' in message && message.role === 'user' ? 'user' : 'assistant',
  ...{ uuid, parentUuid, message, sessionId: 'S', isSidechain: false },
  ...{ cwd: '/home/ada/secret', gitBranch: 'main', userType: 'external' },
  ...more,
});
const answer = (id: string, model: string, input: number, block: object, stop: string | null = null) => ({
  ...{ id, role: 'assistant', model, content: [block], stop_reason: stop },
  usage: { input_tokens: input, cache: { read: 2 } },
});
const textPart = (words: string) => ({ type: 'text', text: words });

describe('claude-code', () => {
  it('counts the tokens of an answer once, from the last of its lines', () => {
    const [meta] = metaIn(claudeCode, [
      claudeLine('a', null, { role: 'user', content: 'One?' }),
      claudeLine('b', 'a', answer('m1', 'x', 10, textPart('I'))),
      claudeLine('c', 'b', answer('m1', 'x', 12, { type: 'tool_use', id: 't', name: 'f', input: {} })),
      claudeLine('d', 'c', {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't', content: '1' }],
      }),
      claudeLine('e', 'd', answer('m2', 'y', 30, textPart('1.'), 'end_turn')),
    ]);
    expect(meta).toEqual({
      ...{ source_id: 'S', harness: 'claude-code', model: 'y', finish: 'end_turn' },
      usage: { input_tokens: 42, cache: { read: 4 } },
    });
  });

  it('counts the answers of each branch separately, and names the parent of a sub-agent', () => {
    const side = { isSidechain: true, agentId: 'ag' };
    const metas = metaIn(claudeCode, [
      claudeLine('a', null, { role: 'user', content: 'One?' }),
      claudeLine('b', 'a', answer('m1', 'x', 1, textPart('1.'))),
      claudeLine('c', 'b', { role: 'user', content: 'Two?' }),
      claudeLine('d', 'c', answer('m2', 'x', 20, textPart('2.'))),
      claudeLine('e', 'b', { role: 'user', content: 'Three?' }),
      claudeLine('f', 'e', answer('m3', 'x', 300, textPart('3.'))),
      claudeLine('g', null, { role: 'user', content: 'Look.' }, side),
      claudeLine('h', 'g', answer('m4', 'z', 5000, textPart('Seen.')), side),
    ]);
    const usage = (input_tokens: number, read: number) => ({ usage: { input_tokens, cache: { read } } });
    const own = { source_id: 'S', harness: 'claude-code' };
    expect(metas).toHaveLength(3);
    expect(metas).toEqual(
      expect.arrayContaining([
        { ...own, model: 'x', ...usage(21, 4) },
        { ...own, model: 'x', ...usage(301, 4) },
        { ...own, model: 'z', parent: 'S', ...usage(5000, 2) },
      ]),
    );
  });
});

describe('codex', () => {
  const item = (payload: object) => ({ type: 'response_item', payload });
  const say = (role: string, words: string) =>
    item({ type: 'message', role, content: [{ type: 'text', text: words }] });
  const tokens = (input: number) => ({
    type: 'event_msg',
    payload: { type: 'token_count', info: { last_token_usage: { input_tokens: input } } },
  });

  it('counts a repeated token event once', () => {
    const [meta] = metaIn(codex, [
      { type: 'session_meta', payload: { id: 'C', cwd: '/home/ada', forked_from_id: 'P' } },
      { type: 'turn_context', payload: { model: 'm1', cwd: '/home/ada' } },
      say('user', 'One?'),
      item({ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }),
      item({ type: 'function_call_output', call_id: 'c', output: 'r' }),
      tokens(7),
      tokens(7),
      { type: 'turn_context', payload: { model: 'm2' } },
      say('assistant', '1.'),
      tokens(30),
      { type: 'event_msg', payload: { type: 'token_count', info: null } },
    ]);
    expect(meta).toEqual({
      ...{ source_id: 'C', harness: 'codex', parent: 'P', model: 'm2' },
      usage: { input_tokens: 37 },
    });
  });
});
