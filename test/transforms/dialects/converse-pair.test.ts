/** Pairs whose request has a `system` but whose answer is one of Bedrock's Converse API are not of the Messages API. */
import { expect, it } from 'vitest';
import { encode } from '../../../transforms/json/utf8.ts';
import { detectDialect } from '../../../transforms/stages/choose-dialect.ts';

const request = { messages: [{ role: 'user', content: [{ text: 'a' }] }], system: [{ text: 'Be brief.' }] };
const message = { role: 'assistant', content: [{ text: 'b' }] };
const dialectOf = (response: object): string | undefined =>
  detectDialect(
    encode(JSON.stringify({ session_id: 's', timestamp: '2026-02-01T10:00:00Z', request, response })),
  )?.name;

it('are read as pairs of any API', () => {
  expect(dialectOf({ output: { message }, stopReason: 'end_turn' })).toBe('exchange');
  expect(dialectOf({ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'b' }] })).toBe(
    'anthropic',
  );
});
