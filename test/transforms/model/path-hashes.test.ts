import { describe, expect, it } from 'vitest';
import type { Message } from '../../../transforms/model/element.ts';
import { type Path, pathHashes, pathOf } from '../../../transforms/model/path-hashes.ts';
import { call, calling, messageOf, result, user } from '../checks/samples.ts';

const copyOf = ({ bytes, ...rest }: Message): Message => ({ ...rest, bytes: Uint8Array.from(bytes) });

const first = [user('1'), calling(call('x', 'read', '{}')), result('x', 'text')];
const other = messageOf({ role: 'user', content: 'other' });

describe('the path of messages', () => {
  it('is the same with a known path as without one', () => {
    const known = pathOf(first);
    const paths = [first, [...first, other], [first[0] as Message, other], [other, ...first], []];
    for (const messages of paths) expect(pathOf(messages, known).hashes).toEqual(pathHashes(messages));
  });

  it('takes the hashes of leading messages with the same bytes from the known path', () => {
    const known: Path = { ...pathOf(first), hashes: ['a', 'b', 'c'] };
    expect(pathOf([...first.map(copyOf), other], known).hashes.slice(0, 3)).toEqual(['a', 'b', 'c']);
    expect(pathOf([other, ...first], known).hashes).toEqual(pathHashes([other, ...first]));
  });
});
