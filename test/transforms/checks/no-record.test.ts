import { describe, expect, it } from 'vitest';
import noRecord from '../../../transforms/checks/no-record.ts';
import type { SessionEnd, SessionFate } from '../../../transforms/model/element.ts';
import { named, originOf, texts } from './samples.ts';

const end = (fate: SessionFate): SessionEnd => ({
  kind: 'session-end',
  origin: originOf(9),
  last: true,
  fate,
});

describe('no-record', () => {
  it('warns about a session whose entries cleanup dropped', () => {
    expect(named(noRecord.check(end('empty'), { count: 0, last: undefined, inSource: [] }))).toEqual([
      'WARNING no-record',
    ]);
  });

  it.each([
    [1, '1 line'],
    [7, '7 lines'],
  ])('reports an error when %d of its lines were rejected', (lines, text) => {
    const found = [
      ...noRecord.check(end('empty'), { count: lines, last: originOf(8), inSource: [originOf(8)] }),
    ];
    expect(named(found)).toEqual(['ERROR no-record']);
    expect(texts(found)).toEqual([`no record: ${text} of the session rejected, no entry left`]);
  });

  it('reports an error when its only line is not complete', () => {
    const lines = { count: 0, last: undefined, inSource: [], unfinished: originOf(8) };
    const found = [...noRecord.check(end('empty'), lines)];
    expect([named(found), texts(found)]).toEqual([
      ['ERROR no-record'],
      ['no record: line 8 is not complete, and no other entry is in the session'],
    ]);
  });

  it.each(['written', 'rejected', 'none'] as const)('reports nothing for a session that is %s', (fate) => {
    expect([...noRecord.check(end(fate), { count: 3, last: originOf(8), inSource: [originOf(8)] })]).toEqual(
      [],
    );
  });
});
