/** Tools as declarations in FunctionGemma's syntax, and definitions that are declared only in part. */
import { describe, expect, it, test } from 'vitest';
import functiongemma from '../../../transforms/formats/functiongemma.ts';
import { toolOf } from '../checks/samples.ts';
import { rulesOf, textIn, toolFrom, without } from './gemma-samples.ts';

describe('declarations', () => {
  const declared = (parameters: unknown, description: unknown = 'D') => {
    const record = functiongemma.encode(without([], { tools: [toolFrom('f', description, parameters)] }));
    return [
      /declaration:f\{description:<escape>.*?<escape>,?(.*)\}<end_function_declaration>/s.exec(
        textIn(record),
      )?.[1],
      rulesOf(record),
    ];
  };
  const property = (schema: unknown) => {
    const [declaration, rules] = declared({ type: 'object', properties: { p: schema } });
    return [/properties:\{p:(.*)\},type:<escape>OBJECT<escape>\}$/s.exec(declaration as string)?.[1], rules];
  };
  const LEFT = ['WARNING definition-left-out'];

  test.each<[string, unknown, string]>([
    ['no parameters', undefined, ''],
    ['null', null, ''],
    ['empty ones', {}, ''],
    [
      'empty properties, which are omitted',
      { type: 'object', properties: {}, required: [] },
      'parameters:{type:<escape>OBJECT<escape>}',
    ],
    [
      'properties sorted case-insensitively, required in its order',
      {
        required: ['b', 'A'],
        properties: { b: { type: 'null' }, C: { type: 'boolean' }, A: { type: 'integer' } },
        type: 'object',
      },
      'parameters:{properties:{A:{description:<escape><escape>,type:<escape>INTEGER<escape>},b:{description:<escape><escape>,type:<escape>NULL<escape>},C:{description:<escape><escape>,type:<escape>BOOLEAN<escape>}},required:[<escape>b<escape>,<escape>A<escape>],type:<escape>OBJECT<escape>}',
    ],
  ])('are written with %s', (_what, parameters, expected) => {
    expect(declared(parameters)).toEqual([expected, []]);
  });

  test.each<[string, unknown, string]>([
    ['nothing', {}, '{description:<escape><escape>,type:<escape><escape>}'],
    [
      'choices',
      { type: 'string', enum: ['a', 1.5, null, { b: true }] },
      '{description:<escape><escape>,enum:[<escape>a<escape>,1.5,null,{b:true}],type:<escape>STRING<escape>}',
    ],
    [
      'items and nullable, the type last',
      { type: 'array', nullable: true, items: { type: 'number' }, description: 'L' },
      '{description:<escape>L<escape>,items:{type:<escape>NUMBER<escape>},nullable:true,type:<escape>ARRAY<escape>}',
    ],
    [
      'items that are objects',
      { type: 'array', items: { required: ['x'], properties: { x: { type: 'string' } }, type: 'object' } },
      '{description:<escape><escape>,items:{properties:{x:{description:<escape><escape>,type:<escape>STRING<escape>}},required:[<escape>x<escape>],type:<escape>OBJECT<escape>},type:<escape>ARRAY<escape>}',
    ],
    [
      'nested properties',
      { description: 'O', type: 'object', properties: { z: { type: 'string' }, Y: {} }, required: ['z'] },
      '{description:<escape>O<escape>,properties:{Y:{description:<escape><escape>,type:<escape><escape>},z:{description:<escape><escape>,type:<escape>STRING<escape>}},required:[<escape>z<escape>],type:<escape>OBJECT<escape>}',
    ],
    [
      'properties named like keywords',
      { type: 'object', properties: { type: { type: 'string' } } },
      '{description:<escape><escape>,properties:{type:{description:<escape><escape>,type:<escape>STRING<escape>}},type:<escape>OBJECT<escape>}',
    ],
    [
      'a type that may be null',
      { type: ['string', 'null'] },
      '{description:<escape><escape>,nullable:true,type:<escape>STRING<escape>}',
    ],
    [
      'several types',
      { type: ['string', 'integer'] },
      '{description:<escape><escape>,type:[<escape>STRING<escape>,<escape>INTEGER<escape>]}',
    ],
    ['only null as a type', { type: ['null'] }, '{description:<escape><escape>,type:<escape>NULL<escape>}'],
    [
      'nullable: false',
      { type: 'string', nullable: false },
      '{description:<escape><escape>,type:<escape>STRING<escape>}',
    ],
    [
      'members that are null',
      { type: 'string', enum: null, description: null },
      '{description:<escape><escape>,type:<escape>STRING<escape>}',
    ],
  ])('are written for a property with %s', (_what, schema, expected) => {
    expect(property(schema)).toEqual([expected, []]);
  });

  test.each<[string, unknown]>([
    ['another keyword', { type: 'string', minLength: 1 }],
    ['a default of null', { type: 'string', default: null }],
    ['a keyword inside items', { type: 'array', items: { format: 'x' } }],
    ['choices that are not a list', { enum: 'a' }],
    ['items that are not an object', { items: true }],
    ['properties that are not an object', { properties: [] }],
    ['required that is not a list', { required: true }],
    ['required that holds no text', { required: [1] }],
    ['a description that is not text', { description: 1 }],
    ['nullable that is not a boolean', { nullable: 1 }],
    ['a type that is not text', { type: 1 }],
    ['types that are not text', { type: [1, 'string'] }],
    ['no schema', true],
  ])('report definition-left-out for a property with %s', (_what, schema) => {
    expect(property(schema)[1]).toEqual(LEFT);
  });

  test.each<[string, unknown, unknown?]>([
    ['parameters that are not an object', []],
    ['parameters with another keyword', { type: 'object', additionalProperties: false }],
    ['parameters with a description', { type: 'object', description: 'x' }],
    ['a description that is not text', {}, 7],
  ])('report definition-left-out for a tool with %s', (_what, parameters, description) => {
    expect(declared(parameters, description)[1]).toEqual(LEFT);
  });

  it('report definition-left-out once for each tool with another member or without a name', () => {
    const tools = [
      toolOf({ name: 'f', strict: true, x: 1 }, 'f'),
      toolOf({ description: 'x' }),
      toolOf({ name: 'g', type: 'function' }, 'g'),
    ];
    const { findings } = functiongemma.encode(without([], { tools }));
    expect(findings.map(({ message }) => message)).toEqual([
      'tools[0] is only partly declared: a declaration has no place for the rest',
      'tools[1] is only partly declared: a declaration has no place for the rest',
    ]);
  });
});
