import { expect, it } from 'vitest';
import { lineId } from '../../../../transforms/dialects/shared/line-id.ts';
import { originOf } from '../../checks/samples.ts';

it('consists of the source, the line and the object on the line', () => {
  expect([0, 1, 2].map((number) => lineId(originOf(4), number))).toEqual([
    'a.jsonl:4',
    'a.jsonl:4.2',
    'a.jsonl:4.3',
  ]);
});
