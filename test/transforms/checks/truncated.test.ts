import { describe, expect, it } from 'vitest';
import truncated from '../../../transforms/checks/truncated.ts';
import { conversationOf, named, texts, user } from './samples.ts';

const found = (count: number) => [...truncated.check(conversationOf([user('x')], { truncated: count }))];

describe('truncated', () => {
  it('warns about shorter entries after the snapshot with their number', () => {
    expect(named(found(1))).toEqual(['WARNING truncated']);
    expect(texts([...found(1), ...found(3)])).toEqual([
      '1 shorter entry comes after the one that made the record',
      '3 shorter entries come after the one that made the record',
    ]);
  });

  it('reports nothing when there are none', () => {
    expect(found(0)).toEqual([]);
  });
});
