import { describe, expect, it } from 'vitest';
import type { SessionEnd, StreamElement } from '../../transforms/model/element.ts';
import { apply, defaultsOf, FusedStages, fuse, type Handlers, step } from '../../transforms/stage.ts';
import { entryOf, originOf, user } from './checks/samples.ts';

const END: SessionEnd = { kind: 'session-end', origin: originOf(9), last: true };
const entry = (line: number) => entryOf([user('x')], line);
const line = (element: StreamElement) => element.origin.line;

/** Emits every entry twice. */
const twice: Handlers = { entry: (element) => [element, element] };
/** Drops entries of odd lines and the end. */
const drop: Handlers = {
  entry: (element) => (element.origin.line % 2 === 0 ? [element] : []),
  'session-end': () => [],
};
/** Turns entries into ends. */
const change: Handlers = { entry: (element) => [{ ...END, origin: element.origin }] };

describe('step', () => {
  it('passes elements of other kinds unchanged', () => {
    expect([...step(twice, END)][0]).toBe(END);
    expect([...step({}, END)]).toEqual([END]);
  });

  it('emits the elements of the handler', () => {
    expect([...step(twice, entry(1))]).toHaveLength(2);
    expect([...step(drop, END)]).toEqual([]);
  });
});

it('apply and fuse refuse a stage in place of its handlers, and anything but elements', () => {
  const stage = (() => undefined) as unknown as Handlers;
  expect(() => fuse([stage], () => undefined)).toThrow('fuse() takes an object of handlers');
  expect(() => [...apply(stage, [END])]).toThrow('apply() takes an object of handlers');
  const bytes = Buffer.from('secret') as never;
  expect(() => fuse([twice], () => undefined)(bytes)).toThrow('fuse() takes elements');
  expect(() => [...apply(twice, [bytes])]).toThrow('but got 6 bytes');
  const late = { entry: async () => [] } as never;
  expect(() => fuse([late], () => undefined)(entry(1))).toThrow('but returned a Promise');
});

it('apply processes elements in order, one at a time', () => {
  const seen: number[] = [];
  const watch: Handlers = {
    entry(element) {
      seen.push(line(element));
      return [element];
    },
  };
  const emitted = apply(watch, [entry(1), entry(2), END]);
  emitted.next();
  expect(seen).toEqual([1]);
  expect([...emitted].map(({ kind }) => kind)).toEqual(['entry', 'session-end']);
});

it('defaultsOf returns the default of every option', () => {
  const specs = {
    a: { describe: 'a', default: 1 },
    b: { describe: 'b', default: ['x'] as readonly string[], choices: [] },
  };
  expect(defaultsOf<{ a: number; b: readonly string[] }>(specs)).toEqual({ a: 1, b: ['x'] });
  expect(defaultsOf({})).toEqual({});
});

describe('fuse', () => {
  const run = (stages: readonly Handlers[], elements: readonly StreamElement[]) => {
    const emitted: StreamElement[] = [];
    const feed = fuse(stages, (element) => emitted.push(element));
    elements.forEach(feed);
    return emitted.map((element) => `${element.kind} ${line(element)}`);
  };

  it('emits the same as the stages one after the other', () => {
    const elements = [entry(1), entry(2), END, entry(4)];
    for (const stages of [[], [twice], [twice, drop], [drop, twice, twice], [twice, change, drop]]) {
      const expected = stages.reduce<readonly StreamElement[]>(
        (all, stage) => [...apply(stage, all)],
        elements,
      );
      expect(run(stages, elements)).toEqual(expected.map((element) => `${element.kind} ${line(element)}`));
    }
  });

  it('passes each element on before the next one is emitted', () => {
    const log: string[] = [];
    const source: Handlers = {
      *entry(element) {
        log.push('make');
        yield element;
        log.push('make');
        yield element;
      },
    };
    fuse([source, {}], () => log.push('emit'))(entry(1));
    expect(log).toEqual(['make', 'emit', 'make', 'emit']);
  });
});

describe('FusedStages', () => {
  const many: Handlers = {
    *entry(element) {
      for (let i = 0; i < 5; i++) yield { ...element, sessionId: `${i}` };
    },
  };

  it('stops in the middle of an element when it is full, and goes on where it stopped', () => {
    const emitted: string[] = [];
    const emit = (element: StreamElement): number =>
      emitted.push(element.kind === 'entry' ? element.sessionId : '');
    const stages = new FusedStages([{}, many], emit, () => emitted.length % 2 === 0);
    expect([stages.push(entry(1)), emitted.length]).toEqual([false, 2]);
    expect([stages.goOn(), emitted.length]).toEqual([false, 4]);
    expect([stages.goOn(), emitted]).toEqual([true, ['0', '1', '2', '3', '4']]);
    expect([stages.goOn(), emitted.length]).toEqual([true, 5]);
  });

  it('stops in the output of a later stage, and then takes the rest of the outer ones in order', () => {
    const emitted: string[] = [];
    const emit = (element: StreamElement): number =>
      emitted.push(element.kind === 'entry' ? element.sessionId : '');
    const named = (element: StreamElement, name: string): StreamElement =>
      ({ ...element, sessionId: name }) as StreamElement;
    const list: Handlers = { entry: (element) => ['a', 'b', 'c'].map((name) => named(element, name)) };
    const doubled: Handlers = {
      *entry(element) {
        for (let i = 1; i < 3; i++) yield named(element, `${element.sessionId}${i}`);
      },
    };
    const stages = new FusedStages([doubled, list, doubled], emit, () => true);
    const emittedUpTo: number[] = [];
    for (let isDone = stages.push(entry(1)); !isDone; isDone = stages.goOn())
      emittedUpTo.push(emitted.length);
    const half = ['a1', 'a2', 'b1', 'b2', 'c1', 'c2'];
    expect(emitted).toEqual([...half, ...half]);
    expect(new Set(emittedUpTo)).toEqual(new Set(Array.from({ length: 13 }, (_, i) => i)));
  });

  it('makes nothing before it is asked for', () => {
    let made = 0;
    const counted: Handlers = {
      *entry(element) {
        for (; ; made++) yield element;
      },
    };
    const stages = new FusedStages(
      [counted],
      () => {},
      () => true,
    );
    expect([stages.push(entry(1)), stages.goOn(), made]).toEqual([false, false, 1]);
  });

  it('takes the next element after it finished', () => {
    const emitted: StreamElement[] = [];
    const stages = new FusedStages(
      [many],
      (element) => emitted.push(element),
      () => true,
    );
    stages.push(entry(1));
    stages.finish();
    expect([stages.push(END), emitted.length]).toEqual([true, 6]);
  });
});
