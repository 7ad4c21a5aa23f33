import { describe, expect, it } from 'vitest';
import type { Format } from '../../../transforms/formats/format.ts';
import { optionFault, valuesFor } from '../../../transforms/formats/format-options.ts';
import { formats } from '../../../transforms/formats/index.ts';
import { decode } from '../../../transforms/json/utf8.ts';
import { conversationOf, messageOf, rawMessage, result, user } from '../checks/samples.ts';

const formatNamed = (name: string): Format => formats.find((one) => one.name === name) as Format;
const record = (name: string, options: object, arguments_: string) => {
  const calls = `[{"id":"1","type":"function","function":{"name":"read","arguments":${arguments_}}}]`;
  const asks = rawMessage('assistant', `{"role":"assistant","tool_calls":${calls}}`);
  const messages = [user('a'), asks, result('1', 'b')];
  const { bytes } = formatNamed(name).encode(conversationOf(messages), options);
  return JSON.parse(decode(bytes));
};

describe('options of the chosen formats', () => {
  it.each<[string[], object, string | undefined]>([
    [['chat'], {}, undefined],
    [['chat'], { arrowSafe: true }, undefined],
    [['chat', 'functiongemma'], { bos: true, arrowSafe: true }, undefined],
    [['chat'], { bos: true }, 'bos'],
    [['chat'], { constructor: true }, 'constructor'],
    [['chat'], { arrowSafe: 'yes' }, 'arrowSafe'],
    [['functiongemma'], { trigger: true }, 'trigger'],
  ])('for %j with %j are a fault that names %s', (names, values, name) => {
    expect(optionFault(names, values as never)?.name).toBe(name);
  });

  it('are passed to the formats that have them', () => {
    const values = { bos: true, arrowSafe: true };
    expect(valuesFor(formatNamed('functiongemma'), values)).toEqual({ bos: true });
    expect(valuesFor(formatNamed('trl'), values)).toEqual({ arrowSafe: true });
    expect(valuesFor(formatNamed('sharegpt'), values)).toEqual({});
  });
});

describe('--arrow-safe', () => {
  const NUMBERS = '{"b": 12345678901234567890, "a": 1e400}';

  it.each(['chat', 'openai', 'trl', 'axolotl'])(
    'makes tools and arguments of %s strings with the same text',
    (name) => {
      for (const logged of [NUMBERS, JSON.stringify(NUMBERS)]) {
        const { tools, messages } = record(name, { arrowSafe: true }, logged);
        expect(JSON.parse(tools)).toHaveLength(1);
        expect(messages[1].tool_calls[0].function.arguments).toBe(NUMBERS);
      }
    },
  );

  it('makes the tools of chat-inline strings', () => {
    expect(typeof record('chat-inline', { arrowSafe: true }, NUMBERS).tools).toBe('string');
  });

  it('is on by default only for axolotl, which without it writes the same as trl', () => {
    for (const { name, options } of formats) {
      if (!('arrowSafe' in options)) continue;
      expect(typeof record(name, {}, NUMBERS).tools === 'string').toBe(name === 'axolotl');
    }
    expect(record('axolotl', { arrowSafe: false }, NUMBERS)).toEqual(record('trl', {}, NUMBERS));
  });

  it('keeps strings of chat that are not JSON, and makes null {} with a finding', () => {
    const nulls = messageOf({
      role: 'assistant',
      tool_calls: [{ function: { name: 'f', arguments: null } }],
    });
    const encoded = formatNamed('chat').encode(conversationOf([nulls]), { arrowSafe: true } as object);
    expect(encoded.findings.map(({ rule }) => rule)).toEqual(['empty-arguments']);
    expect(record('chat', { arrowSafe: true }, '"x"').messages[1].tool_calls[0].function.arguments).toBe('x');
  });
});
