/** Documents whose conversations are in a member: framed as a head and then element by element. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { DocumentFramer, type OpenedLists } from '../../../../src/input/framing/json-document.ts';
import { createSlab } from '../../../../src/input/framing/slab.ts';
import { type FramedSource, frame } from './drive.ts';

const MAX = 1000;
const opened: OpenedLists = {
  members: new Set(['samples']),
  opens: (member, head) => {
    const parsed = JSON.parse(Buffer.from(head).toString());
    return 'eval' in parsed && Array.isArray(parsed[member]) && parsed[member].length === 0;
  },
};

function framed(text: string, sizes?: readonly number[], max = MAX): FramedSource {
  const framer = new DocumentFramer('a.json', max, createSlab(), opened);
  return frame(framer, Buffer.from(text), sizes);
}
const textsOf = ({ elements }: FramedSource) => elements.map((one) => one.text ?? one.reason);

describe('a list inside a document', () => {
  const text = ' {"eval": {"a":[1]}, "samples" : [ {"id":1},\n[2] , "x,]", 4],\n"rest":{"samples":[7]} }\n';

  it('is framed as the head with an empty list, then as elements with their places', () => {
    const { elements, counts } = framed(text);
    expect(textsOf({ elements, counts })).toEqual([
      '{"eval": {"a":[1]}, "samples" : []}',
      '{"id":1}',
      '[2]',
      '"x,]"',
      '4',
    ]);
    expect(elements.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
    const at = (piece: string) => text.indexOf(piece);
    expect(elements.map(({ offset, length }) => text.slice(offset, offset + length))).toEqual([
      text.slice(1, at(' {"id"')),
      '{"id":1}',
      '[2]',
      '"x,]"',
      '4',
    ]);
    expect(counts.bytes).toBe(Buffer.byteLength(text));
    expect(counts.lineBytes + counts.terminatorBytes + counts.bomBytes).toBe(counts.bytes);
  });

  it('is framed the same in any chunks', () => {
    const whole = framed(text);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }), (sizes) => {
        expect(framed(text, sizes)).toEqual(whole);
      }),
    );
  });

  test.each([
    ['before the members that identify the dialect', '{"samples":[1],"eval":{}}'],
    ['with another name', '{"eval":{},"other":[1]}'],
    ['deeper', '{"eval":{},"x":{"samples":[1]}}'],
    ['in a list', '[{"eval":{},"samples":[1]}]'],
    ['that is not a list', '{"eval":{},"samples":{"a":[1]}}'],
    ['with an escape in its name', '{"eval":{},"s\\u0061mples":[1]}'],
  ])('is not framed by elements %s', (_what, document) => {
    const only = document.startsWith('[') ? document.slice(1, -1) : document;
    expect(textsOf(framed(document))).toEqual([only]);
  });

  it('is framed by elements in each of several documents', () => {
    expect(textsOf(framed('{"eval":1,"samples":[]}{"eval":2,"samples":[3]} 5'))).toEqual([
      '{"eval":1,"samples":[]}',
      '{"eval":2,"samples":[]}',
      '3',
      '5',
    ]);
  });

  it('needs no more memory than an element', () => {
    const samples = Array.from({ length: 100 }, (_, id) => ({ id, text: 'x'.repeat(50) }));
    const { elements } = framed(JSON.stringify({ eval: {}, samples }), [64], 100);
    expect(elements).toHaveLength(101);
    expect(elements.every(({ kind }) => kind === 'line')).toBe(true);
  });

  test.each([
    ['{"eval":{},"samples":[{"a":1},{"b":tru}]}', 2],
    ['{"eval":{},"samples":[{"a":1}],"rest":x}', 2],
    ['{"eval":{},"samples":[{"a":1}', 2],
    ['{"eval":{},"samples":[{"a":1}]', 2],
  ])('is rejected from its damage on: %s', (damaged, good) => {
    const { elements, counts } = framed(damaged);
    expect(elements.map(({ kind }) => kind)).toEqual([...Array(good).fill('line'), 'rejection']);
    expect(counts.lineBytes + counts.terminatorBytes).toBe(Buffer.byteLength(damaged));
    for (let cut = 1; cut < damaged.length; cut++)
      expect(framed(damaged, [cut])).toEqual({ elements, counts });
  });
});
