import { describe, expect, it } from 'vitest';
import { encode } from '../../../transforms/json/utf8.ts';
import type { Message } from '../../../transforms/model/element.ts';
import { signaturesIn, withoutSignatures } from '../../../transforms/model/thought-signatures.ts';
import { text } from '../bytes.ts';

const CALL = '"id":"c","type":"function","function":{"name":"f","arguments":"{\\"n\\": 1.0}"}';
const message = (members: string, role = 'assistant'): Message => ({
  role,
  bytes: encode(`{"role":"${role}",${members}}`),
});
const answer = (call: string, more = ''): Message => message(`"tool_calls":[{${CALL}${call}}]${more}`);

describe('signatures of thoughts', () => {
  it.each([
    ['Gemini, by its OpenAI endpoint', answer(',"extra_content":{"google":{"thought_signature":"S"}}')],
    ['LiteLLM', answer(',"provider_specific_fields":{"thought_signature":"S"}')],
    ['a client', answer(',"thought_signature":"S"')],
    ['LiteLLM, of the message', answer('', ',"provider_specific_fields":{"thought_signatures":["S"]}')],
    ['xAI', answer('', ',"encrypted_content":"S"')],
    ['GitHub Copilot', answer('', ',"reasoning_opaque":"S"')],
  ])('are left out in the form of %s', (_client, one) => {
    expect(signaturesIn(one.bytes).map(text)).toEqual(['"S"']);
    expect(text(withoutSignatures(one).bytes)).toBe(text(answer('').bytes));
  });

  it('leave what is beside them', () => {
    const fields = '"provider_specific_fields":{"citations":[1.0],"thought_signatures":["S","T"]}';
    const one = answer(',"index":0,"extra_content":{"google":{"thought_signature":"S"},"a":1}', `,${fields}`);
    expect(signaturesIn(one.bytes)).toHaveLength(3);
    expect(text(withoutSignatures(one).bytes)).toBe(
      text(
        answer(',"index":0,"extra_content":{"a":1}', ',"provider_specific_fields":{"citations":[1.0]}').bytes,
      ),
    );
  });

  it.each([
    ['an empty one', answer(',"thought_signature":""', ',"encrypted_content":null')],
    ['words about one', message('"content":"the thought_signature and the encrypted_content"')],
    ['a question', message('"encrypted_content":"S"', 'user')],
    ['a call that is not an object', message('"tool_calls":["thought_signature"]')],
  ])('do not change %s', (_what, one) => {
    expect(withoutSignatures(one)).toBe(one);
  });
});
