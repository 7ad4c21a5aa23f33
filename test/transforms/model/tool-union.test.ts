import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../../transforms/model/element.ts';
import { ToolUnion } from '../../../transforms/model/tool-union.ts';
import { asArray, text } from '../bytes.ts';

const tool = (name: string | undefined, json: string): ToolDefinition => ({ name, bytes: asArray(json) });
const shown = (definitions: readonly ToolDefinition[]) => definitions.map(({ bytes }) => text(bytes));

const READ = tool('read', '{"v":1}');
const READ_AGAIN = tool('read', '{"v":1}');
const OTHER_READ = tool('read', '{"v":2}');
const WRITE = tool('write', '{"w":1}');
const NAMELESS = tool(undefined, '{}');

describe('the union', () => {
  it('has each distinct definition once, in the order of first occurrence', () => {
    const union = new ToolUnion();
    union.add([READ, WRITE]);
    union.add([OTHER_READ, READ_AGAIN]);
    union.commit();
    expect(shown(union.definitions())).toEqual(['{"v":1}', '{"w":1}', '{"v":2}']);
    expect(union.counts()).toEqual({ seen: 4, kept: 3, duplicateSame: 1, duplicateConflict: 0 });
  });

  it('recognises duplicates within one entry', () => {
    const union = new ToolUnion();
    union.add([READ, READ_AGAIN, READ]);
    union.commit();
    expect(shown(union.definitions())).toEqual(['{"v":1}']);
  });

  it('keeps every definition without a name, even from the same array', () => {
    const union = new ToolUnion();
    const definitions = [NAMELESS, READ];
    union.add(definitions);
    union.add(definitions);
    union.add([NAMELESS]);
    union.commit();
    expect(shown(union.definitions())).toEqual(['{}', '{"v":1}', '{}', '{}']);
    expect(union.counts()).toEqual({ seen: 5, kept: 4, duplicateSame: 1, duplicateConflict: 0 });
  });

  it('ignores entries after the snapshot until a later one is chosen', () => {
    const union = new ToolUnion();
    union.add([READ]);
    union.commit();
    union.add([WRITE]);
    expect(shown(union.definitions())).toEqual(['{"v":1}']);
    expect(union.counts()).toMatchObject({ seen: 1, kept: 1 });
    union.add([]);
    union.commit();
    expect(shown(union.definitions())).toEqual(['{"v":1}', '{"w":1}']);
    expect(union.counts()).toMatchObject({ seen: 2, kept: 2 });
  });

  it('recognises an array that recurs after another one', () => {
    const union = new ToolUnion();
    const definitions = [READ, WRITE];
    for (const list of [definitions, [OTHER_READ], definitions]) union.add(list);
    union.commit();
    expect(union.counts()).toEqual({ seen: 5, kept: 3, duplicateSame: 2, duplicateConflict: 0 });
  });

  it('starts over after a reset', () => {
    const union = new ToolUnion();
    const definitions = [READ, NAMELESS];
    union.add(definitions);
    union.commit();
    union.reset();
    expect(union.definitions()).toEqual([]);
    expect(union.counts()).toEqual({ seen: 0, kept: 0, duplicateSame: 0, duplicateConflict: 0 });
    union.add(definitions);
    union.commit();
    expect(shown(union.definitions())).toEqual(['{"v":1}', '{}']);
  });

  it('accepts names that break plain objects', () => {
    const union = new ToolUnion();
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
    union.add(names.map((name) => tool(name, '{}')));
    union.commit();
    expect(union.definitions().map(({ name }) => name)).toEqual(names);
  });

  it('accepts two hundred thousand definitions', () => {
    const union = new ToolUnion();
    const definitions = Array.from({ length: 200_000 }, (_, i) =>
      i % 2 === 0 ? NAMELESS : tool(`t${i}`, '{}'),
    );
    union.add(definitions);
    union.add(definitions);
    union.commit();
    expect(union.counts()).toMatchObject({ seen: 400_000, kept: 300_000 });
  });
});
