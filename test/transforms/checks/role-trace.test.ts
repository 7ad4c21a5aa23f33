import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partingOf, roleSign } from '../../../transforms/checks/role-trace.ts';
import type { Message } from '../../../transforms/model/element.ts';
import { assistant, call, calling, messageOf, rawMessage, result, user } from './samples.ts';

const part = (type: string) => ({ type, text: 'x' });

describe('roleSign', () => {
  it.each([
    ['S', messageOf({ role: 'system', content: 'x' })],
    ['S', messageOf({ role: 'developer', content: 'x' })],
    ['T', result('1', 'x')],
    ['T', messageOf({ role: 'function', content: 'x' })],
    ['U', user('x')],
    ['U', user([])],
    ['U', user([part('tool_result'), part('text')])],
    ['U', user(['tool_result'])],
    ['R', user([part('tool_result'), part('tool_result')])],
    ['A', assistant(' ')],
    ['A', assistant(null)],
    ['A', assistant([])],
    ['A', messageOf({ role: 'assistant', tool_calls: [] })],
    ['A', rawMessage('assistant', '{"role":"assistant","tool_calls":[ \n]}')],
    ['A', messageOf({ role: 'assistant', tool_calls: {} })],
    ['At', rawMessage('assistant', '{"role":"assistant","tool_calls":[ null]}')],
    ['Ac', assistant('x')],
    ['Ac', assistant([part('image')])],
    ['At', calling(call('1', 'a'))],
    ['At', messageOf({ role: 'assistant', content: '', function_call: { name: 'a' } })],
    ['At', assistant([part('tool_use')])],
    ['Act', assistant([part('text'), part('tool_use')])],
    ['Act', messageOf({ role: 'assistant', content: 'x', tool_calls: [call('1', 'a')] })],
    ['"critic"', messageOf({ role: 'critic', content: 'x' })],
  ])('is %s', (sign, message) => {
    expect(roleSign(message)).toBe(sign);
  });
});

const SAMPLES: ReadonlyMap<string, () => Message> = new Map([
  ['S', () => messageOf({ role: 'system' })],
  ['U', () => user('x')],
  ['T', () => result('1', 'x')],
  ['A', () => assistant('')],
  ['Ac', () => assistant('x')],
  ['At', () => calling(call('1', 'a'))],
  ['Act', () => messageOf({ role: 'assistant', content: 'x', tool_calls: [call('1', 'a')] })],
]);
const make = (signs: readonly string[]): Message[] =>
  signs.map((sign) => (SAMPLES.get(sign) as () => Message)());
const parting = (earlier: string, later: string) => {
  const split = (signs: string) => make(signs.split(' ').filter((sign) => sign !== ''));
  return partingOf(split(earlier), split(later));
};

describe('partingOf', () => {
  it.each([
    ['', ''],
    ['', 'S U'],
    ['S U', 'S U'],
    ['S U', 'S U At T'],
    ['S Ac At T', 'S Act T Ac'],
    ['Ac At', 'Ac At'],
    ['Act', 'Act'],
    ['Ac At Ac At', 'Act Act'],
  ])('takes %j for a prefix of %j', (earlier, later) => {
    expect(parting(earlier, later)).toBeUndefined();
  });

  it.each([
    ['S U', 'S', 1, 1],
    ['S U', 'U', 0, 0],
    ['U Ac', 'U At', 1, 1],
    ['U Act', 'U Ac At', 1, 1],
    ['Ac', 'Act', 0, 0],
    ['Ac U', 'Act U', 0, 0],
    ['At Ac', 'Act', 0, 0],
    ['Ac At', 'At', 0, 0],
    ['U Ac At', 'U A', 1, 1],
    ['Ac At T U', 'Act T T', 3, 2],
  ])('finds where %j stops being a prefix of %j', (a, b, earlier, later) => {
    expect(parting(a, b)).toEqual({ earlier, later });
  });

  it('agrees with comparing the traces as text, with or without shared messages', () => {
    const signs = fc.array(fc.constantFrom(...SAMPLES.keys()), { maxLength: 8 });
    fc.assert(
      fc.property(signs, signs, fc.nat(8), fc.boolean(), (a, b, keep, share) => {
        const earlier = make(a);
        const later = [...(share ? earlier.slice(0, keep) : make(a.slice(0, keep))), ...make(b)];
        const isPrefix = partingOf(earlier, later) === undefined;
        expect(isPrefix).toBe(isTextPrefix(a, [...a.slice(0, keep), ...b]));
      }),
      { numRuns: 1000 },
    );
  });
});

/** The same rule on text: the earlier trace is a prefix after replacing some `Ac At` with `Act`. */
function isTextPrefix(earlier: readonly string[], later: readonly string[]): boolean {
  if (earlier.length === 0) return true;
  const [first, second, ...rest] = earlier;
  if (first === later[0] && isTextPrefix(earlier.slice(1), later.slice(1))) return true;
  return first === 'Ac' && second === 'At' && later[0] === 'Act' && isTextPrefix(rest, later.slice(1));
}
